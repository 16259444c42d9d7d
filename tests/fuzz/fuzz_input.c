/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as an array of times, as an array of dictionaries, and as lines of objects:
 * no crash, a refusal says why, and what is accepted holds what the headers promise. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/loader/npy.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static char times_path[64], lines_path[64];

static void remove_files(void)
{
    unlink(times_path);
    unlink(lines_path);
    *strrchr(lines_path, '/') = '\0';
    rmdir(lines_path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char folder[32];

    (void) argc;
    (void) argv;
    /* A folder in memory, where there is one, is much faster. */
    snprintf(folder, sizeof(folder), "%s/fuzz_input_XXXXXX",
        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    spot_bug_assert(mkdtemp(folder) != NULL);
    snprintf(times_path, sizeof(times_path), "%s/times.npy", folder);
    snprintf(lines_path, sizeof(lines_path), "%s/memory.jsonl", folder);
    return atexit(remove_files);
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t num_bytes)
{
    FILE *file = fopen(path, "wb");

    spot_bug_assert(file != NULL);
    spot_bug_assert(fwrite(bytes, 1, num_bytes, file) == num_bytes);
    spot_bug_assert(fclose(file) == 0);
}

/* Frees the rows. */
static void check_rows(spot_memory_rows_t *self, int ret, size_t num_bytes, spot_diag_t *diag)
{
    spot_bug_assert((ret == 0) == (diag->num_errors == 0));
    spot_bug_assert(self->num_rows <= num_bytes);
    for (size_t j = 0; ret == 0 && j < self->num_rows; j++) {
        spot_bug_assert(self->rows[j].num_containers <= num_bytes);
        spot_bug_assert(isfinite(self->rows[j].sum_bytes) && self->rows[j].sum_bytes >= 0);
    }
    spot_memory_rows_free(self);
    spot_diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_memory_rows_t rows;
    spot_npy_t times;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_memory_rows_parse(&rows, (const char *) bytes, num_bytes, "fuzz", &diag);
    check_rows(&rows, ret, num_bytes, &diag);
    if (num_bytes > 0 && bytes[0] == '{') {
        write_bytes(lines_path, bytes, num_bytes);
        spot_diag_init(&diag);
        ret = spot_memory_rows_read(&rows, lines_path, &diag);
        check_rows(&rows, ret, num_bytes, &diag);
    }
    if (num_bytes > 10 && bytes[0] == 0x93) {
        write_bytes(times_path, bytes, num_bytes);
        spot_diag_init(&diag);
        ret = spot_npy_read(&times, times_path, &diag);
        spot_bug_assert((ret == 0) == (diag.num_errors == 0));
        spot_bug_assert(ret != 0 || (times.num >= 1 && times.num <= num_bytes / 4));
        for (size_t j = 0; ret == 0 && j < times.num; j++) {
            spot_bug_assert(isfinite(times.values[j]) && times.values[j] >= 0);
        }
        spot_npy_free(&times);
        spot_diag_free(&diag);
    }
    return 0;
}
