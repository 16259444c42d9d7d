/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files that are made from data, such as the name of a VC, and the folders that
 * they lie in. Whatever the data say, a file stays in its folder and no two have one
 * name. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/key_table.h"
#include "base/memory.h"

/* A name as part of a file name: ASCII letters, digits, . _ + - and what is not ASCII
 * stay, all else is _, and so are characters that control how text is shown; cut at the
 * end of a character; never empty, hidden or an option. Two names may give one. */
#define SPOT_FILE_NAME_BYTES 128
void spot_file_name(const char *name, char file_name[SPOT_FILE_NAME_BYTES]);

/* The names of one folder, without their endings. Zero it to start. */
typedef struct {
    spot_arena_t memory;
    spot_text_set_t folded; /* without case, as many file systems compare them */
} spot_file_names_t;

/* The same as spot_file_name(), with _ behind it until no earlier name of the folder is
 * the same or differs in case only; from the eighth on _8, _9 ... It stays valid until
 * the free. NULL: no memory. */
SPOT_MUST_CHECK const char *spot_file_names_add(spot_file_names_t *self, const char *name);

void spot_file_names_free(spot_file_names_t *self);

/* Makes the folder, or the target of a link, if it is not there and only the last part
 * of its path is missing. is_made, which may be NULL: whether it was not there. IO with
 * the reason in diag. */
SPOT_MUST_CHECK int spot_folder_make(const char *folder, bool *is_made, spot_diag_t *diag);
