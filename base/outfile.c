/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "base/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Whether path may be written; errno says why not. */
static bool
may_write(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        return path[0] != '\0';
    }
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, W_OK) == 0;
}

/* Devices, pipes, and what a link such as /dev/stdout makes of an open descriptor. */
static bool
is_written_directly(const char *path)
{
    struct stat status;
    char *target;
    bool is_descriptor;

    if (stat(path, &status) != 0) {
        return false;
    }
    target = realpath(path, NULL);
    is_descriptor = strncmp(path, "/dev/fd/", 8) == 0 ||
                    strncmp(path, "/dev/std", 8) == 0 ||
                    (target != NULL && strncmp(target, "/proc/", 6) == 0);
    free(target);
    return is_descriptor || !S_ISREG(status.st_mode);
}

/* The name under which the result is to appear, allocated: where a link leads, not the
 * link itself, which stays. */
static char *
final_path(const char *path)
{
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) &&
        !is_written_directly(path)) {
        char *target = realpath(path, NULL);

        if (target != NULL) {
            return target;
        }
    }
    return spot_text_copy(path, strlen(path));
}

/* Gives the file the permissions of the one it replaces, or those that fopen() would
 * have given it; mkstemp() is private. */
static void
set_permissions(const char *path, int descriptor)
{
    struct stat status;

    if (stat(path, &status) == 0) {
        (void) fchmod(descriptor, status.st_mode & 0777);
    } else {
        const mode_t mask = umask(0);

        umask(mask);
        (void) fchmod(descriptor, (mode_t) (0666 & ~mask));
    }
}

static int
open_temporary(spot_outfile_t *self)
{
    static const char suffix[] = ".XXXXXX";
    const size_t path_bytes = strlen(self->path);
    int descriptor;

    self->temporary = malloc(path_bytes + sizeof(suffix));
    if (self->temporary == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(self->temporary, self->path, path_bytes);
    memcpy(self->temporary + path_bytes, suffix, sizeof(suffix));
    descriptor = mkstemp(self->temporary);
    if (descriptor < 0) {
        free(self->temporary);
        self->temporary = NULL;
        return SPOT_ERR_IO;
    }
    set_permissions(self->path, descriptor);
    self->stream = fdopen(descriptor, "w");
    if (self->stream == NULL) {
        close(descriptor);
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

int
spot_outfile_init(spot_outfile_t *self, const char *path, spot_diag_t *diag)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    if (path == NULL || strcmp(path, "-") == 0) {
        self->stream = stdout;
        return 0;
    }
    self->path = final_path(path);
    if (self->path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (!may_write(path)) {
        ret = SPOT_ERR_IO;
    } else if (is_written_directly(path)) {
        self->stream = fopen(path, "w");
        ret = self->stream == NULL ? SPOT_ERR_IO : 0;
    } else {
        ret = open_temporary(self);
    }
    if (ret == SPOT_ERR_IO) {
        spot_diag_error(diag, path, 0, 0, "cannot write: %s", strerror(errno));
    }
    return ret;
}

static int
finish_stream(spot_outfile_t *self)
{
    int ret = 0;

    if (fflush(self->stream) != 0 || ferror(self->stream)) {
        ret = SPOT_ERR_IO;
    }
    if (ret == 0 && self->temporary != NULL && fsync(fileno(self->stream)) != 0) {
        ret = SPOT_ERR_IO;
    }
    if (self->stream != stdout && fclose(self->stream) != 0) {
        ret = SPOT_ERR_IO;
    }
    self->stream = NULL;
    return ret;
}

int
spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag)
{
    int ret = 0;

    spot_bug_assert(self->stream != NULL);
    errno = 0;
    ret = finish_stream(self);
    if (ret == 0 && self->temporary != NULL) {
        if (rename(self->temporary, self->path) == 0) {
            free(self->temporary);
            self->temporary = NULL;
        } else {
            ret = SPOT_ERR_IO;
        }
    }
    if (ret != 0) {
        spot_diag_error(diag, self->path == NULL ? "standard output" : self->path, 0, 0,
            "cannot write: %s", strerror(errno == 0 ? EIO : errno));
    }
    return ret;
}

void
spot_outfile_free(spot_outfile_t *self)
{
    if (self->stream != NULL && self->stream != stdout) {
        fclose(self->stream);
    }
    if (self->temporary != NULL) {
        unlink(self->temporary);
    }
    free(self->temporary);
    free(self->path);
    memset(self, 0, sizeof(*self));
}

int
spot_outfile_close(spot_outfile_t *self, int error, spot_diag_t *diag)
{
    int ret = error;

    if (error == 0 || (error == SPOT_ERR_IO && self->stream != NULL)) {
        ret = spot_outfile_commit(self, diag);
    }
    spot_outfile_free(self);
    return ret == 0 ? error : ret;
}

int
spot_outfile_check(const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret;

    if (is_written_directly(path)) {
        return 0;
    }
    ret = spot_outfile_init(&file, path, diag);
    spot_outfile_free(&file);
    return ret;
}
