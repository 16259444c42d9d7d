/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/picture_files.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/markup/unseen.h"

/* Whether an ASCII byte may be in a file name without being special to anything. */
static bool is_plain(char byte)
{
    return isalnum((unsigned char) byte) || strchr("._+-", byte) != NULL;
}

void spot_picture_file_name(const char *name, char file_name[SPOT_PICTURE_NAME_BYTES])
{
    size_t used = 0;

    while (*name != '\0') {
        size_t length = spot_utf8_length(name, strnlen(name, 4));
        const bool is_kept =
            (length > 1 && !spot_is_unseen(name, length)) || (length == 1 && is_plain(*name));

        length = length == 0 ? 1 : length;
        if (used + length >= SPOT_PICTURE_NAME_BYTES) {
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
    char file_name[SPOT_PICTURE_NAME_BYTES];
    const size_t num_bytes =
        strlen(folder) + SPOT_PICTURE_NAME_BYTES + strlen(what) + strlen(suffix) + 4;
    char *path = spot_calloc(num_bytes, 1);

    if (path != NULL) {
        spot_picture_file_name(name, file_name);
        snprintf(path, num_bytes, "%s/%s-%s.%s", folder, file_name, what, suffix);
    }
    return path;
}

int spot_picture_make_folder(const char *folder, spot_diag_t *diag)
{
    struct stat status;

    if (mkdir(folder, 0777) == 0) {
        return 0;
    }
    if (errno != EEXIST || stat(folder, &status) != 0) {
        spot_diag_error(diag, folder, 0, 0, "cannot make this folder: %s", strerror(errno));
        return SPOT_ERR_IO;
    }
    if (!S_ISDIR(status.st_mode)) {
        spot_diag_error(diag, folder, 0, 0, "expected a folder for pictures");
        return SPOT_ERR_IO;
    }
    return 0;
}
