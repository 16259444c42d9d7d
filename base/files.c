/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/utf8.h"

/* ---- One name ---- */

/* Whether an ASCII byte may be in a file name without being special to anything. */
static bool is_plain(char byte)
{
    return isalnum((unsigned char) byte) || strchr("._+-", byte) != NULL;
}

void spot_file_name(const char *name, char file_name[SPOT_FILE_NAME_BYTES])
{
    size_t used = 0;

    while (*name != '\0') {
        size_t length = spot_utf8_length(name, strnlen(name, 4));
        const bool is_kept =
            (length > 1 && !spot_is_unseen(name, length)) || (length == 1 && is_plain(*name));

        length = length == 0 ? 1 : length;
        if (used + length >= SPOT_FILE_NAME_BYTES) {
            break;
        }
        if (is_kept) {
            memcpy(file_name + used, name, length);
            used += length;
        } else {
            file_name[used++] = '_';
        }
        name += length;
    }
    if (used == 0) {
        file_name[used++] = '_';
    }
    file_name[used] = '\0';
    /* Neither a hidden file, nor an option of a program that gets it. */
    if (file_name[0] == '.' || file_name[0] == '-') {
        file_name[0] = '_';
    }
}

char *spot_picture_path(const char *folder, const char *name, const char *what, const char *suffix)
{
    char file_name[SPOT_FILE_NAME_BYTES];
    const size_t num_bytes =
        strlen(folder) + SPOT_FILE_NAME_BYTES + strlen(what) + strlen(suffix) + 4;
    char *path = spot_calloc(num_bytes, 1);

    if (path != NULL) {
        spot_file_name(name, file_name);
        snprintf(path, num_bytes, "%s/%s-%s.%s", folder, file_name, what, suffix);
    }
    return path;
}

/* ---- Names of one folder ---- */

/* Capitals of the scripts that have them; of the Unicode Standard's case folding what
 * maps one character to one of the same number of bytes. */
typedef struct {
    unsigned first, last;
    unsigned distance; /* to the small letter */
    bool is_paired;    /* every other one is a capital, beginning with the first */
} capitals_t;

static const capitals_t capitals[] = {{'A', 'Z', 32, false}, {0xc0, 0xd6, 32, false},
    {0xd8, 0xde, 32, false}, {0x100, 0x12e, 1, true}, {0x132, 0x136, 1, true},
    {0x139, 0x147, 1, true}, {0x14a, 0x176, 1, true}, {0x179, 0x17d, 1, true},
    {0x386, 0x386, 38, false}, {0x388, 0x38a, 37, false}, {0x38c, 0x38c, 64, false},
    {0x38e, 0x38f, 63, false}, {0x391, 0x3a1, 32, false}, {0x3a3, 0x3ab, 32, false},
    {0x400, 0x40f, 80, false}, {0x410, 0x42f, 32, false}, {0x460, 0x480, 1, true},
    {0x48a, 0x4be, 1, true}, {0x4c1, 0x4cd, 1, true}, {0x4d0, 0x52e, 1, true},
    {0x531, 0x556, 48, false}, {0x1e00, 0x1e94, 1, true}, {0x1ea0, 0x1efe, 1, true},
    {0xff21, 0xff3a, 32, false}};

static unsigned small_letter(unsigned point)
{
    for (size_t j = 0; j < sizeof(capitals) / sizeof(capitals[0]); j++) {
        const capitals_t *row = &capitals[j];

        if (point >= row->first && point <= row->last) {
            return row->is_paired && (point - row->first) % 2 == 1 ? point : point + row->distance;
        }
    }
    return point == 0x178 ? 0xff : point == 0x3c2 ? 0x3c3 : point; /* of Ÿ and a last sigma */
}

/* Small letters of a well-formed text, in place. */
static void fold(char *text)
{
    while (*text != '\0') {
        const size_t length = spot_utf8_length(text, strlen(text));
        const unsigned point = length == 0 ? 0 : spot_utf8_code_point(text, length);
        const unsigned small = small_letter(point);

        text += length == 0 ? 1 : spot_utf8_encode(small, text); /* of the same length */
    }
}

/* A name with the suffix of the num-th that would have it, cut so that both fit. */
static void add_suffix(const char *name, size_t num, char file_name[SPOT_FILE_NAME_BYTES])
{
    char suffix[24] = "";
    size_t length = strlen(name);

    if (num < 8) {
        memset(suffix, '_', num);
    } else {
        snprintf(suffix, sizeof(suffix), "_%zu", num);
    }
    if (length + strlen(suffix) >= SPOT_FILE_NAME_BYTES) {
        length = SPOT_FILE_NAME_BYTES - 1 - strlen(suffix);
        while (((unsigned char) name[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    snprintf(file_name, SPOT_FILE_NAME_BYTES, "%.*s%s", (int) length, name, suffix);
}

const char *spot_file_names_add(spot_file_names_t *self, const char *name)
{
    char plain[SPOT_FILE_NAME_BYTES], file_name[SPOT_FILE_NAME_BYTES];
    char folded[SPOT_FILE_NAME_BYTES];
    int32_t text_id;
    size_t num = 0;

    spot_file_name(name, plain);
    do {
        add_suffix(plain, num++, file_name);
        strcpy(folded, file_name);
        fold(folded);
    } while (spot_names_find(&self->folded, folded, strlen(folded)) >= 0);
    return spot_names_add(&self->folded, folded, strlen(folded), &text_id) == 0
               ? spot_arena_text(&self->memory, file_name)
               : NULL;
}

void spot_file_names_free(spot_file_names_t *self)
{
    spot_names_free(&self->folded);
    spot_arena_free(&self->memory);
}

/* ---- Folders ---- */

int spot_folder_make(const char *folder, bool *is_made, spot_diag_t *diag)
{
    char *target = spot_outfile_target(folder);
    const bool is_new = target != NULL && mkdir(target, 0777) == 0;
    const int error = errno;
    struct stat status;

    free(target);
    if (is_made != NULL) {
        *is_made = is_new;
    }
    if (is_new) {
        return 0;
    }
    if (stat(folder, &status) != 0) {
        spot_diag_error(diag, folder, 0, 0, "cannot make this folder: %s", strerror(error));
        return SPOT_ERR_IO;
    }
    if (!S_ISDIR(status.st_mode)) {
        spot_diag_error(diag, folder, 0, 0, "expected a folder, but this is none");
        return SPOT_ERR_IO;
    }
    return 0;
}

/* ---- Checks ---- */

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
