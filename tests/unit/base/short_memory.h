/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out: one allocation is refused, those after it are not. For programs
 * that are linked with --wrap of malloc, calloc and realloc; included once. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static size_t num_left = SIZE_MAX; /* allocations until one fails */

void *__real_malloc(size_t num_bytes);
void *__real_calloc(size_t num_items, size_t num_bytes);
void *__real_realloc(void *memory, size_t num_bytes);
void *__wrap_malloc(size_t num_bytes);
void *__wrap_calloc(size_t num_items, size_t num_bytes);
void *__wrap_realloc(void *memory, size_t num_bytes);

static bool is_refused(void)
{
    if (num_left == SIZE_MAX || num_left-- > 0) {
        return false;
    }
    num_left = SIZE_MAX; /* what follows has memory again */
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
