/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim with memory that runs out: linked into a second program with --wrap of malloc, calloc and
 * realloc. SPOT_REFUSE=N refuses the N-th allocation of the program's own code (from 1), and none
 * after it; SPOT_COUNT=FILE writes there how many there were. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t num_bytes);
void *__real_calloc(size_t num_items, size_t num_bytes);
void *__real_realloc(void *memory, size_t num_bytes);
void *__wrap_malloc(size_t num_bytes);
void *__wrap_calloc(size_t num_items, size_t num_bytes);
void *__wrap_realloc(void *memory, size_t num_bytes);

static atomic_llong num_made;
static long long refused; /* 0: none */

static bool is_refused(void)
{
    if (atomic_fetch_add(&num_made, 1) + 1 != refused) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t num_bytes)
{
    return is_refused() ? NULL : __real_malloc(num_bytes);
}

void *__wrap_calloc(size_t num_items, size_t num_bytes)
{
    return is_refused() ? NULL : __real_calloc(num_items, num_bytes);
}

void *__wrap_realloc(void *memory, size_t num_bytes)
{
    return is_refused() ? NULL : __real_realloc(memory, num_bytes);
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("SPOT_REFUSE");

    refused = text == NULL ? 0 : atoll(text);
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("SPOT_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");

    if (file != NULL) {
        fprintf(file, "%lld\n", (long long) atomic_load(&num_made));
        fclose(file);
    }
}
