/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a command reads and writes, before it does.
 *
 * spot_files_check() looks at all of them before long work starts. Files that are named
 * after data, such as a VC, get names from spot_file_names_t: whatever the data say, a
 * file stays in its folder and no two have one name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/keys.h"
#include "base/memory.h"

/* ---- Names ---- */

/* A name as part of a file name: ASCII letters, digits, . _ + - and what is not ASCII
 * stay, all else is _, and so are characters that control how text is shown; cut at the
 * end of a character; never empty, hidden or an option. Two names may give one. */
#define SPOT_FILE_NAME_BYTES 128
void spot_file_name(const char *name, char file_name[SPOT_FILE_NAME_BYTES]);

/* FOLDER/NAME-WHAT.SUFFIX with NAME as by spot_file_name(). NULL: no memory. The caller
 * frees it. */
SPOT_MUST_CHECK char *spot_picture_path(
    const char *folder, const char *name, const char *what, const char *suffix);

/* The names of one folder, without their endings. Zero it to start. */
typedef struct {
    spot_arena_t memory;
    spot_names_t folded; /* without case, as many file systems compare them */
} spot_file_names_t;

/* The same as spot_file_name(), with _ behind it until no earlier name of the folder is
 * the same or differs in case only; from the eighth on _8, _9 ... It stays valid until
 * the free. NULL: no memory. */
SPOT_MUST_CHECK const char *spot_file_names_add(spot_file_names_t *self, const char *name);

void spot_file_names_free(spot_file_names_t *self);

/* ---- Folders ---- */

/* Makes the folder, or the target of a link, if it is not there and only the last part
 * of its path is missing. is_made, which may be NULL: whether it was not there. IO with
 * the reason in diag. */
SPOT_MUST_CHECK int spot_folder_make(const char *folder, bool *is_made, spot_diag_t *diag);

/* ---- Checks ---- */

/* Paths of files, NULLs are passed over; "-" is no file. */
typedef struct {
    size_t num_paths;
    const char *const *paths; /* [num_paths] */
} spot_files_t;

/* Before long work: whether every output can be written, and none is one of the inputs,
 * which would be lost, a database, or another output; only one may be "-", standard
 * output. BAD_INPUT, IO with the reason in diag. */
SPOT_MUST_CHECK int spot_files_check(spot_files_t inputs, spot_files_t outputs, spot_diag_t *diag);

/* Whether an output goes to standard output because it says so: "-". */
bool spot_files_is_dash(const char *path);

/* Whether a file is a database of SQLite, by its first bytes. */
bool spot_files_is_database(const char *path);
