/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/files.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"

bool spot_files_is_dash(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static bool is_file(const char *path)
{
    return path != NULL && !spot_files_is_dash(path);
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;

    return is_file(path) && is_file(other) && stat(path, &a) == 0 && stat(other, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool spot_files_is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    FILE *stream = is_file(path) ? fopen(path, "rb") : NULL;
    char bytes[sizeof(magic)] = "";
    size_t num_bytes = 0;

    if (stream != NULL) {
        num_bytes = fread(bytes, 1, sizeof(bytes), stream);
        fclose(stream);
    }
    return num_bytes == sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* NULL: nothing. */
static const char *why_not_there(spot_files_t inputs, spot_files_t outputs, size_t id)
{
    const char *path = outputs.paths[id];

    for (size_t j = 0; j < inputs.num_paths; j++) {
        if (is_same_file(path, inputs.paths[j]) ||
            (is_file(path) && is_file(inputs.paths[j]) && strcmp(path, inputs.paths[j]) == 0)) {
            return "is an input, which the output would replace: expected another file";
        }
    }
    if (spot_files_is_database(path)) { /* results may lie in it that took days */
        return "is a database, which the output would replace: expected another file";
    }
    for (size_t j = 0; j < id; j++) {
        if (is_file(path) && outputs.paths[j] != NULL && strcmp(path, outputs.paths[j]) == 0 &&
            strncmp(path, "/dev/", 5) != 0) {
            return "two outputs cannot go to one file";
        }
        if (spot_files_is_dash(path) && spot_files_is_dash(outputs.paths[j])) {
            return "two outputs cannot both go to standard output";
        }
    }
    return NULL;
}

int spot_files_check(spot_files_t inputs, spot_files_t outputs, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; j < outputs.num_paths && ret == 0; j++) {
        const char *reason = why_not_there(inputs, outputs, j);

        if (reason != NULL) {
            spot_diag_error(diag, outputs.paths[j], 0, 0, "%s", reason);
            ret = SPOT_ERR_BAD_INPUT;
        } else if (is_file(outputs.paths[j])) {
            ret = spot_outfile_check(outputs.paths[j], diag);
        }
    }
    return ret;
}
