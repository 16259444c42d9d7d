/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "base/outfile.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/stop.h"

atomic_int spot_stop;

/* More files than a command writes at once; a file without a place is not removed by
 * signals. */
#define MAX_TEMPORARIES 8

/* The names of files that are not committed, for signal handlers. A name leaves the list
 * before its memory is freed. */
static _Atomic(const char *) temporaries[MAX_TEMPORARIES];

static void list_temporary(const char *name)
{
    bool is_listed = false;

    for (int j = 0; j < MAX_TEMPORARIES && !is_listed; j++) {
        const char *none = NULL;

        is_listed = atomic_compare_exchange_strong(&temporaries[j], &none, name);
    }
}

static void unlist_temporary(const char *name)
{
    for (int j = 0; j < MAX_TEMPORARIES; j++) {
        const char *listed = name;

        (void) atomic_compare_exchange_strong(&temporaries[j], &listed, NULL);
    }
}

void spot_outfile_remove_all(void)
{
    for (int j = 0; j < MAX_TEMPORARIES; j++) {
        const char *name = atomic_load(&temporaries[j]);

        if (name != NULL) {
            unlink(name);
        }
    }
}

/* Whether path may be written; if not, errno is set. */
static bool may_write(const char *path)
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

/* Whether path is a device, a pipe, or a link such as /dev/stdout to an open
 * descriptor. */
static bool is_written_directly(const char *path)
{
    struct stat status;
    char *target;
    bool is_descriptor;

    if (stat(path, &status) != 0) {
        return false;
    }
    target = realpath(path, NULL);
    is_descriptor = strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
                    (target != NULL && strncmp(target, "/proc/", 6) == 0);
    free(target);
    return is_descriptor || !S_ISREG(status.st_mode);
}

/* The final name of the file, allocated: for a link its target, as the link stays. */
static char *final_path(const char *path)
{
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && !is_written_directly(path)) {
        char *target = realpath(path, NULL);

        if (target != NULL) {
            return target;
        }
    }
    return spot_text_copy(path, strlen(path));
}

/* Gives the file the permissions of the one it replaces, or those of fopen(), as
 * mkstemp() makes it private. */
static void set_permissions(const char *path, int descriptor)
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

/* Signals wait until the new file is listed. */
static int make_temporary(char *name)
{
    sigset_t all, before;
    int descriptor, error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    descriptor = mkstemp(name);
    error = errno;
    if (descriptor >= 0) {
        list_temporary(name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return descriptor;
}

static void forget_temporary(spot_outfile_t *self)
{
    unlist_temporary(self->temporary);
    free(self->temporary);
    self->temporary = NULL;
}

static int open_temporary(spot_outfile_t *self)
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
    descriptor = make_temporary(self->temporary);
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

int spot_outfile_init(spot_outfile_t *self, const char *path, spot_diag_t *diag)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    if (path == NULL || strcmp(path, "-") == 0) {
        self->stream = stdout;
        return 0;
    }
    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
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

static int finish_stream(spot_outfile_t *self)
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

int spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag)
{
    int ret = 0;

    spot_bug_assert(self->stream != NULL);
    if (self->temporary != NULL && atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    errno = 0;
    ret = finish_stream(self);
    if (ret == 0 && self->temporary != NULL) {
        if (rename(self->temporary, self->path) == 0) {
            forget_temporary(self);
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

void spot_outfile_free(spot_outfile_t *self)
{
    if (self->stream != NULL && self->stream != stdout) {
        fclose(self->stream);
    }
    if (self->temporary != NULL) {
        unlink(self->temporary);
        forget_temporary(self);
    }
    free(self->path);
    memset(self, 0, sizeof(*self));
}

int spot_outfile_close(spot_outfile_t *self, int error, spot_diag_t *diag)
{
    int ret = error;

    if (error == 0 || (error == SPOT_ERR_IO && self->stream != NULL)) {
        ret = spot_outfile_commit(self, diag);
    }
    spot_outfile_free(self);
    return ret == 0 ? error : ret;
}

int spot_outfile_check(const char *path, spot_diag_t *diag)
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
