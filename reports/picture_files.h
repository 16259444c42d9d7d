/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where pictures that are files lie: FOLDER/NAME-WHAT.SUFFIX. */
#pragma once

#include "base/error.h"

/* FOLDER/NAME-WHAT.SUFFIX with NAME as by spot_file_name(). NULL: no memory. The caller
 * frees it. */
SPOT_MUST_CHECK char *spot_picture_path(
    const char *folder, const char *name, const char *what, const char *suffix);
