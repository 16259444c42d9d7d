/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* realpath(), locks of open files */

#include "base/outfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/watch.h"

/* Open files that are standard output. */
static atomic_int num_printed;

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

/* Whether path may be written; if not, errno is set. What is not there may be made. */
static bool may_write(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        return errno == ENOENT && path[0] != '\0';
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

/* ---- Links ---- */

/* More links in a row than systems follow. */
#define MAX_LINKS 40

/* Length of the folder in a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t) (slash - path) + 1;
}

/* Where a link leads, one step, allocated. NULL: it cannot be read, or no memory. */
static char *read_link(const char *path)
{
    const size_t folder_bytes = folder_length(path);
    char target[PATH_MAX];
    const ssize_t num_bytes = readlink(path, target, sizeof(target));
    char *next;

    if (num_bytes < 0) {
        return NULL;
    }
    if (num_bytes == 0 || (size_t) num_bytes >= sizeof(target)) {
        errno = num_bytes == 0 ? ENOENT : ENAMETOOLONG;
        return NULL;
    }
    target[num_bytes] = '\0';
    if (target[0] == '/') {
        return spot_text_copy(target, (size_t) num_bytes);
    }
    next = malloc(folder_bytes + (size_t) num_bytes + 1);
    if (next != NULL) {
        memcpy(next, path, folder_bytes);
        memcpy(next + folder_bytes, target, (size_t) num_bytes + 1);
    }
    return next;
}

/* The name that a path leads to, which may be that of no file yet, allocated. realpath()
 * wants one. NULL with errno: too many links, no memory. */
static char *follow_links(const char *path)
{
    char *name = spot_text_copy(path, strlen(path));
    struct stat status;

    for (int j = 0; name != NULL && lstat(name, &status) == 0 && S_ISLNK(status.st_mode); j++) {
        char *next = j < MAX_LINKS ? read_link(name) : NULL;
        const int error = j < MAX_LINKS ? errno : ELOOP;

        free(name);
        name = next;
        errno = error;
    }
    return name;
}

/* The final name of the file, allocated: for a link its target, as the link stays. NULL
 * with errno. */
static char *final_path(const char *path)
{
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && !is_written_directly(path)) {
        char *target = realpath(path, NULL);

        return target != NULL ? target : follow_links(path);
    }
    return spot_text_copy(path, strlen(path));
}

char *spot_outfile_target(const char *path)
{
    return final_path(path);
}

/* ---- Temporary names: .NAME.spotsim-PID, or -PID-N if that one is taken ---- */

#define MARK ".spotsim-"
#define MAX_DIGITS 10
#define MAX_NUMBER 9999 /* N */
#define NUMBER_BYTES (MAX_DIGITS + sizeof("-9999") - 1)

/* Where temporary files of a file are, and what their names begin with. */
typedef struct {
    char *folder; /* "" or with a slash at its end */
    char *stem;   /* ".NAME.spotsim-" */
} place_t;

/* The longest name in a folder. */
static size_t max_name_bytes(const char *folder)
{
    const long most = pathconf(folder[0] == '\0' ? "." : folder, _PC_NAME_MAX);

    return most < 64 ? NAME_MAX : (size_t) most; /* -1: it does not say */
}

/* A NAME that leaves too little room is cut, and followed by ~ and its hash. */
static char *make_stem(const char *folder, const char *name)
{
    const size_t most = max_name_bytes(folder) - 1 - strlen(MARK) - NUMBER_BYTES;
    const size_t name_bytes = strlen(name);
    const size_t stem_bytes = name_bytes + sizeof(MARK) + 32;
    char *stem = malloc(stem_bytes);

    if (stem != NULL && name_bytes <= most) {
        snprintf(stem, stem_bytes, ".%s" MARK, name);
    } else if (stem != NULL) {
        size_t length = most - 17;

        while (length > 0 && ((unsigned char) name[length] & 0xc0) == 0x80) {
            length--; /* into no character of UTF-8 */
        }
        snprintf(stem, stem_bytes, ".%.*s~%016" PRIx64 MARK, (int) length, name,
            spot_hash(SPOT_HASH_START, name, name_bytes));
    }
    return stem;
}

static void place_free(place_t *self)
{
    free(self->folder);
    free(self->stem);
}

static int place_init(place_t *self, const char *path)
{
    const size_t length = folder_length(path);

    self->folder = spot_text_copy(path, length);
    self->stem = self->folder == NULL ? NULL : make_stem(self->folder, path + length);
    return self->stem == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* The path of a file in the folder, allocated, with room for a number. */
static char *path_in(const place_t *place, const char *name)
{
    const size_t num_bytes = strlen(place->folder) + strlen(name) + NUMBER_BYTES + 1;
    char *path = malloc(num_bytes);

    if (path != NULL) {
        snprintf(path, num_bytes, "%s%s", place->folder, name);
    }
    return path;
}

/* Skips a number without leading zeros; NULL: there is none. */
static const char *skip_number(const char *text)
{
    size_t num_digits = 0;

    while (isdigit((unsigned char) text[num_digits])) {
        num_digits++;
    }
    return num_digits == 0 || num_digits > MAX_DIGITS || text[0] == '0' ? NULL : text + num_digits;
}

/* Whether a text is PID or PID-N. */
static bool is_number(const char *text)
{
    const char *end = skip_number(text);

    if (end != NULL && *end == '-') {
        end = skip_number(end + 1);
    }
    return end != NULL && *end == '\0';
}

/* ---- Locks: a temporary file whose lock is free was left by a killed process ---- */

/* A byte that SQLite locks in no file. */
#define LOCKED_BYTE ((off_t) 1 << (sizeof(off_t) > 4 ? 62 : 30))

/* Locks belong to the open file: closing another descriptor of it, as SQLite does, keeps
 * them, and PIDs do not matter. is_all: against whatever another process has locked of
 * it. errno says why not: EAGAIN or EACCES means taken. */
static bool lock(int descriptor, bool is_all)
{
#ifdef F_OFD_SETLK
    struct flock range = {.l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = is_all ? 0 : LOCKED_BYTE,
        .l_len = is_all ? 0 : 1};

    if (fcntl(descriptor, F_OFD_SETLK, &range) == 0) {
        return true;
    }
    if (errno != EINVAL) {
        return false;
    }
#else
    (void) is_all;
#endif
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

/* Whether the path is still that of the open file, a plain one. */
static bool is_path_of(const char *path, int descriptor)
{
    struct stat status, now;

    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && lstat(path, &now) == 0 &&
           status.st_dev == now.st_dev && status.st_ino == now.st_ino;
}

/* Removes a temporary file, if no process has a lock of any kind on it. Where locks
 * cannot be had, it stays. */
static void remove_if_stale(const char *path)
{
    const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (descriptor < 0) {
        return;
    }
    if (is_path_of(path, descriptor) &&
        (flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? flock(descriptor, LOCK_UN) == 0
                                                   : errno != EWOULDBLOCK) &&
        lock(descriptor, true) && is_path_of(path, descriptor)) {
        unlink(path);
    }
    close(descriptor);
}

/* A folder of many files that is written into again and again is not read each time. */
static struct {
    pthread_mutex_t mutex;
    dev_t device;
    ino_t number;
    size_t num_skips; /* files that may follow without a look */
} looked_at = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool may_skip(const struct stat *folder)
{
    const bool is_same = folder->st_dev == looked_at.device && folder->st_ino == looked_at.number;
    const bool may = is_same && looked_at.num_skips > 0;

    looked_at.device = folder->st_dev;
    looked_at.number = folder->st_ino;
    looked_at.num_skips = may ? looked_at.num_skips - 1 : 0;
    return may;
}

/* Removes what killed processes left of this file. */
static void remove_stale(const place_t *place)
{
    const char *folder = place->folder[0] == '\0' ? "." : place->folder;
    const size_t stem_bytes = strlen(place->stem);
    size_t num_entries = 0;
    bool has_temporaries = false;
    struct stat status;
    DIR *stream;

    pthread_mutex_lock(&looked_at.mutex);
    if (stat(folder, &status) == 0 && !may_skip(&status) && (stream = opendir(folder)) != NULL) {
        for (const struct dirent *entry; (entry = readdir(stream)) != NULL; num_entries++) {
            const char *name = entry->d_name;

            has_temporaries = has_temporaries || (name[0] == '.' && strstr(name, MARK) != NULL);
            if (strncmp(name, place->stem, stem_bytes) == 0 && is_number(name + stem_bytes)) {
                char *path = path_in(place, name);

                if (path != NULL) {
                    remove_if_stale(path);
                }
                free(path);
            }
        }
        closedir(stream);
        looked_at.num_skips = has_temporaries ? 0 : num_entries / 64;
    }
    pthread_mutex_unlock(&looked_at.mutex);
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

/* Makes the file under the first name that is free, and locks it: another run may have
 * taken it for a stale one before it was locked. name has room for the number. */
static int create_locked(char *name)
{
    char *number = name + strlen(name);

    for (int j = 1; j <= MAX_NUMBER; j++) {
        int descriptor;

        sprintf(number, j == 1 ? "%" PRIdMAX : "%" PRIdMAX "-%d", (intmax_t) getpid(), j);
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0 && errno != EEXIST) {
            return -1;
        }
        if (descriptor >= 0) {
            const bool is_taken = !lock(descriptor, false) && (errno == EAGAIN || errno == EACCES);

            if (!is_taken && is_path_of(name, descriptor)) {
                return descriptor;
            }
            close(descriptor);
        }
    }
    errno = EEXIST;
    return -1;
}

/* Signals wait until the new file is listed. */
static int make_temporary(char *name)
{
    sigset_t all, before;
    int descriptor, error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    descriptor = create_locked(name);
    error = errno;
    if (descriptor >= 0) {
        list_temporary(name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return descriptor;
}

/* The lock ends with the last descriptor: behind the new name, or the end of the file. */
static void forget_temporary(spot_outfile_t *self)
{
    unlist_temporary(self->temporary);
    free(self->temporary);
    self->temporary = NULL;
    close(self->lock);
}

/* A second descriptor keeps the lock when the stream is closed. */
static int open_streams(spot_outfile_t *self)
{
    const int descriptor = fcntl(self->lock, F_DUPFD_CLOEXEC, 0);

    if (descriptor < 0) {
        return SPOT_ERR_IO;
    }
    self->stream = fdopen(descriptor, "w");
    if (self->stream == NULL) {
        close(descriptor);
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

static int open_temporary(spot_outfile_t *self)
{
    place_t place;
    int ret = place_init(&place, self->path);

    if (ret == 0) {
        remove_stale(&place);
        self->temporary = path_in(&place, place.stem);
        ret = self->temporary == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    place_free(&place);
    if (ret != 0) {
        return ret;
    }
    self->lock = make_temporary(self->temporary);
    if (self->lock < 0) {
        free(self->temporary);
        self->temporary = NULL;
        return SPOT_ERR_IO;
    }
    set_permissions(self->path, self->lock);
    return open_streams(self);
}

/* Says why a file cannot be opened; a folder that takes no new file is no fault of the
 * file in it, and the target of a link is named. */
static void explain(const char *path, const char *target, int error, spot_diag_t *diag)
{
    const bool is_there = access(path, W_OK) == 0 && error != EISDIR;
    const bool is_folder = is_there && (error == EACCES || error == EPERM || error == EROFS);
    const bool is_link = target != NULL && strcmp(path, target) != 0;

    spot_diag_error(diag, path, 0, 0, "cannot write%s%s: %s%s",
        is_link ? " where this link leads, " : "", is_link ? target : "",
        is_folder ? "its folder takes no new file: " : "", strerror(error));
}

int spot_outfile_init(spot_outfile_t *self, const char *path, spot_diag_t *diag)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    if (path == NULL || strcmp(path, "-") == 0) {
        self->stream = stdout;
        self->is_printed = true;
        atomic_fetch_add(&num_printed, 1);
        return 0;
    }
    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    if (!may_write(path)) {
        ret = SPOT_ERR_IO;
    } else if ((self->path = final_path(path)) == NULL) {
        ret = errno == ENOMEM ? SPOT_ERR_NO_MEMORY : SPOT_ERR_IO;
    } else if (is_written_directly(path)) {
        self->stream = fopen(path, "w");
        ret = self->stream == NULL ? SPOT_ERR_IO : 0;
    } else {
        ret = open_temporary(self);
    }
    if (ret == SPOT_ERR_IO) {
        explain(path, self->path, errno, diag);
    }
    return ret;
}

/* A temporary file, which is given up, is asked for more; elsewhere it is seen whether
 * there is room. */
int spot_outfile_cause(const spot_outfile_t *self)
{
    static const char bytes[1 << 16];
    const int descriptor = fileno(self->stream);
    struct stat status;
    struct statvfs system;
    struct rlimit limit;

    if (self->temporary == NULL && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
            (rlim_t) status.st_size >= limit.rlim_cur) {
            return EFBIG;
        }
        return fstatvfs(descriptor, &system) == 0 && system.f_bavail == 0 ? ENOSPC : EIO;
    }
    for (int j = 0; self->temporary != NULL && j < 16; j++) {
        if ((j > 0 || lseek(self->lock, 0, SEEK_END) >= 0) &&
            write(self->lock, bytes, sizeof(bytes)) < 0) {
            return errno;
        }
    }
    return EIO;
}

/* The first cause is the one that errno keeps. */
static int finish_stream(spot_outfile_t *self)
{
    int error = 0;

    errno = 0;
    if (fflush(self->stream) != 0) {
        error = errno;
    } else if (ferror(self->stream)) {
        error = spot_outfile_cause(self);
    } else if (self->temporary != NULL && fsync(fileno(self->stream)) != 0) {
        error = errno;
    }
    if (self->stream != stdout && fclose(self->stream) != 0 && error == 0) {
        error = errno;
    }
    self->stream = NULL;
    errno = error;
    return error == 0 ? 0 : SPOT_ERR_IO;
}

/* The lock goes last: a file without one is taken for stale. */
static int rename_temporary(spot_outfile_t *self, spot_diag_t *diag)
{
    if (rename(self->temporary, self->path) == 0) {
        forget_temporary(self);
        return 0;
    }
    if (errno == ENOENT && access(self->temporary, F_OK) != 0) {
        spot_diag_error(diag, self->path, 0, 0,
            "cannot write: the file under way, %s, is not there any more: something else has "
            "removed it, as another machine may where locks are not shared",
            self->temporary);
        return SPOT_ERR_IO;
    }
    spot_diag_error(diag, self->path, 0, 0, "cannot write: %s", strerror(errno));
    return SPOT_ERR_IO;
}

int spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag)
{
    int ret = 0;

    spot_bug_assert(self->stream != NULL);
    if (self->temporary != NULL && atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    ret = finish_stream(self);
    if (ret != 0) {
        spot_diag_error(diag, self->path == NULL ? "standard output" : self->path, 0, 0,
            "cannot write: %s", strerror(errno == 0 ? EIO : errno));
    } else if (self->temporary != NULL) {
        ret = rename_temporary(self, diag);
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
    if (self->is_printed) {
        atomic_fetch_sub(&num_printed, 1);
    }
    free(self->path);
    memset(self, 0, sizeof(*self));
}

bool spot_outfile_is_printing(void)
{
    return atomic_load(&num_printed) > 0;
}

int spot_outfile_close(spot_outfile_t *self, int error, spot_diag_t *diag)
{
    const bool is_printed = self->is_printed;
    int ret = error;

    if (error == 0 || (error == SPOT_ERR_IO && self->stream != NULL)) {
        ret = spot_outfile_commit(self, diag);
    }
    spot_outfile_free(self);
    ret = ret == 0 ? error : ret;
    return ret == 0 && is_printed && atomic_load(&spot_stop) != 0 ? SPOT_ERR_INTERRUPTED : ret;
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
