/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data that lie beside the repository and are not part of it: a test that needs them is skipped
 * where they are absent. Tests that were skipped for that are named together at the end of ctest
 * (tests/left_out.sh). */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARED_DATA SPOT_SOURCE_DIR "/../shared/data/"

/* Notes that a test was skipped, of the source file with this path. */
static inline void note_left_out(const char *source)
{
    const char *folder = getenv("SPOT_TEST_TMP"), *name = strrchr(source, '/') + 1;
    char path[4096];
    FILE *file;

    if (folder == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/left-out", folder);
    file = fopen(path, "a");
    if (file != NULL) {
        fprintf(file, "%.*s\n", (int) strcspn(name, "."), name);
        fclose(file);
    }
}

/* Skips the running test for lack of the data. */
#define skip_without_data()                                                                        \
    do {                                                                                           \
        note_left_out(__BASE_FILE__);                                                              \
        skip();                                                                                    \
    } while (0)

/* Skips the running test where a file or folder of the data is absent. */
#define need_data(path)                                                                            \
    do {                                                                                           \
        if (access((path), R_OK) != 0) {                                                           \
            skip_without_data();                                                                   \
        }                                                                                          \
    } while (0)
