/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where pictures that are files lie: FOLDER/NAME-WHAT.SUFFIX. */
#pragma once

#include "base/diag.h"
#include "base/error.h"

/* NAME as part of a file name: ASCII letters, digits, . _ + - and what is not ASCII
 * stay, all else is _, and so are characters that control how text is shown; cut at the
 * end of a character; never empty, hidden or an option. */
#define SPOT_PICTURE_NAME_BYTES 128
void spot_picture_file_name(const char *name, char file_name[SPOT_PICTURE_NAME_BYTES]);

/* FOLDER/NAME-WHAT.SUFFIX with NAME as above. NULL: no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_picture_path(
    const char *folder, const char *name, const char *what, const char *suffix);

/* Makes the folder, if it is not there and only the last part of its path is missing. IO
 * with the reason in diag. */
SPOT_MUST_CHECK int spot_picture_make_folder(const char *folder, spot_diag_t *diag);
