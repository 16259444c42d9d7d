/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/picture_files.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"

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
