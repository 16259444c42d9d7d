/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of this room share: temporary files, and diagnostics as one text.
 * Include after cmocka.h. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

#define SAMPLE_FOLDER SPOT_SOURCE_DIR "/models/sample/seed-64"

/* Where temporary files go, without a slash at the end. */
static inline const char *temporary_folder(void)
{
    const char *folder = getenv("SPOT_TEST_TMP");

    return folder == NULL ? "/tmp" : folder;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* All diagnostics, one a line, without the temporary folder. Empties diag. */
static inline void assert_diagnostics(spot_diag_t *diag, const char *expected)
{
    char text[8192], folder[256], *match;
    FILE *out = fmemopen(text, sizeof(text), "w");

    assert_non_null(out);
    spot_diag_print(diag, out);
    assert_int_equal(fclose(out), 0);
    snprintf(folder, sizeof(folder), "%s/", temporary_folder());
    for (match = strstr(text, folder); match != NULL; match = strstr(match, folder)) {
        memmove(match, match + strlen(folder), strlen(match + strlen(folder)) + 1);
    }
    assert_string_equal(text, expected);
    spot_diag_free(diag);
}
