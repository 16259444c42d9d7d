/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of base share: comparing diagnostics and naming temporary files. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"

#define PATH_BYTES 512

/* A name in the folder for temporary files that no other process uses. */
static inline void test_path(const char *name, char path[PATH_BYTES])
{
    const char *folder = getenv("SPOT_TEST_TMP");

    snprintf(path, PATH_BYTES, "%s/spot-%ld-%s", folder == NULL ? "/tmp" : folder, (long) getpid(),
        name);
}

static inline void write_file(const char *path, const char *bytes, size_t num_bytes)
{
    FILE *stream = fopen(path, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, num_bytes, stream), num_bytes);
    assert_int_equal(fclose(stream), 0);
}

/* The report as it would be printed, against what it should be, byte by byte. */
static inline void assert_report(const spot_diag_t *diag, const char *expected)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    assert_non_null(stream);
    spot_diag_print(diag, stream);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}
