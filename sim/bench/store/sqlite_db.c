/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* realpath(), locks of open files */
#include "sim/bench/store/sqlite_db.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/integers.h"
#include "base/memory.h"

static int db_check(spot_db_t *self, int result);

/* ---- Digests ---- */

#define NULL_WORD UINT64_C(0x6e756c6c) /* "null" */

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t num_bytes)
{
    for (size_t j = 0; j < num_bytes; j += sizeof(uint64_t)) {
        const size_t num_left = num_bytes - j;
        uint64_t word = 0;

        memcpy(&word, (const char *) bytes + j, num_left < sizeof(word) ? num_left : sizeof(word));
        digest = spot_digest_word(digest, word);
    }
    return spot_digest_word(digest, num_bytes);
}

uint64_t spot_digest_text(uint64_t digest, const char *text)
{
    return text == NULL ? spot_digest_word(digest, NULL_WORD)
                        : digest_bytes(digest, text, strlen(text));
}

uint64_t spot_digest_number(uint64_t digest, double number)
{
    return spot_digest_word(digest, isnan(number) ? NULL_WORD : spot_double_bits(number));
}

uint64_t spot_digest_integer(uint64_t digest, int64_t integer)
{
    return spot_digest_word(spot_digest_word(digest, SQLITE_INTEGER), (uint64_t) integer);
}

static uint64_t digest_values(int num_values, sqlite3_value **values)
{
    uint64_t digest = 0;

    for (int j = 0; j < num_values; j++) {
        const int type = sqlite3_value_type(values[j]);

        if (type == SQLITE_INTEGER) {
            digest = spot_digest_integer(digest, sqlite3_value_int64(values[j]));
            continue;
        }
        digest = spot_digest_word(digest, (uint64_t) type);
        if (type == SQLITE_FLOAT) {
            digest = spot_digest_number(digest, sqlite3_value_double(values[j]));
        } else if (type != SQLITE_NULL) {
            const void *bytes = sqlite3_value_blob(values[j]);

            digest = digest_bytes(digest, bytes, (size_t) sqlite3_value_bytes(values[j]));
        }
    }
    return digest;
}

static void digest_row(sqlite3_context *context, int num_values, sqlite3_value **values)
{
    sqlite3_result_int64(context, (sqlite3_int64) digest_values(num_values, values));
}

static void add_row(sqlite3_context *context, int num_values, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(context, sizeof(*sum));

    if (sum == NULL) {
        sqlite3_result_error_nomem(context);
    } else {
        *sum += digest_values(num_values, values);
    }
}

static void end_rows(sqlite3_context *context)
{
    const uint64_t *sum = sqlite3_aggregate_context(context, 0);

    sqlite3_result_int64(context, sum == NULL ? 0 : (sqlite3_int64) *sum);
}

/* Makes the functions known to a connection. */
static int digest_register(spot_db_t *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    const int ret = db_check(
        db, sqlite3_create_function(db->handle, "digest", -1, flags, NULL, digest_row, NULL, NULL));

    return ret == 0 ? db_check(db, sqlite3_create_function(db->handle, "digest_rows", -1, flags,
                                       NULL, NULL, add_row, end_rows))
                    : ret;
}

/* ---- Databases ---- */

/* Result codes are extended ones: the lower byte is the kind. */
#define KIND(result) ((result) &0xff)

/* What SQLite never reports: our sentence says all. */
#define CROSSED SQLITE_ABORT
#define OTHERS SQLITE_FORMAT

/* The byte of the file, beyond its end, that those hold who read it without SQLite's locks. */
#define READ_BYTE ((off_t) 1 << 62)

/* Pages of the log after which what is in it moves to the file. */
#define CHECKPOINT_PAGES 2000

static int error_of(int result)
{
    switch (KIND(result)) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE:
            return 0;
        case SQLITE_NOMEM:
            return SPOT_ERR_NO_MEMORY;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case OTHERS:
        case SQLITE_ERROR: /* no such table, no such column */
        case SQLITE_SCHEMA:
        case SQLITE_MISMATCH:
        case SQLITE_CONSTRAINT:
        case SQLITE_TOOBIG:
            return SPOT_ERR_BAD_INPUT;
        case SQLITE_INTERRUPT:
            return SPOT_ERR_INTERRUPTED;
        default:
            return SPOT_ERR_IO;
    }
}

/* Returns our error for the result. What SQLite says may quote bytes of a damaged file,
 * which a terminal would obey. */
static int remember(spot_db_t *self, int result, const char *sentence)
{
    if (self->failure == 0) {
        self->failure = result;
        self->cause = self->handle == NULL ? 0 : sqlite3_system_errno(self->handle);
        if (self->cause == 0 && KIND(result) == SQLITE_IOERR) { /* of writing, the file knows */
            (void) sqlite3_file_control(
                self->handle, "main", SQLITE_FCNTL_LAST_ERRNO, &self->cause);
        }
        self->sentence = spot_text_copy(sentence, strlen(sentence));
        for (char *next = self->sentence; next != NULL && *next != '\0'; next++) {
            *next = *next < ' ' || *next > '~' ? '?' : *next;
        }
    }
    return error_of(result);
}

/* 0 for SQLITE_OK, _ROW and _DONE; else remembers result and returns our error for it.
 */
static int db_check(spot_db_t *self, int result)
{
    if (error_of(result) != 0) {
        const int extended = sqlite3_extended_errcode(self->handle);

        remember(self, extended == SQLITE_OK ? result : extended, sqlite3_errmsg(self->handle));
    }
    return error_of(result);
}

/* Remembers a result of ours, with a sentence. */
static int remember_words(spot_db_t *self, int result, const char *format, va_list arguments)
{
    char *sentence = sqlite3_vmprintf(format, arguments);
    const int ret = remember(self, result, sentence == NULL ? "?" : sentence);

    sqlite3_free(sentence);
    return ret;
}

int spot_db_damaged(spot_db_t *self, const char *format, ...)
{
    va_list arguments;
    int ret;

    va_start(arguments, format);
    ret = remember_words(self, SQLITE_CORRUPT, format, arguments);
    va_end(arguments);
    return ret;
}

int spot_db_others(spot_db_t *self, const char *format, ...)
{
    va_list arguments;
    int ret;

    va_start(arguments, format);
    ret = remember_words(self, OTHERS, format, arguments);
    va_end(arguments);
    return ret;
}

int spot_db_check_place(spot_db_t *self)
{
    int has_moved = 0;
    const int result =
        sqlite3_file_control(self->handle, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);

    return result == SQLITE_OK && has_moved != 0
               ? remember(self, CROSSED,
                     "the database was removed, moved or replaced while it was written, "
                     "and what was run is lost with it; run again")
               : db_check(self, result);
}

int spot_db_error(const spot_db_t *self)
{
    return error_of(self->failure);
}

/* SQLite has closed what it opened before it failed: a probe would succeed. */
static bool lacks_descriptors(const spot_db_t *self)
{
    return self->cause == EMFILE || self->cause == ENFILE;
}

int spot_db_opening_error(const spot_db_t *self, int error)
{
    const int kind = KIND(self->failure);
    const bool is_closed = kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY ||
                           kind == SQLITE_PERM || kind == SQLITE_AUTH;

    return is_closed && error == SPOT_ERR_IO && !lacks_descriptors(self) ? SPOT_ERR_BAD_INPUT
                                                                         : error;
}

void spot_db_forget(spot_db_t *self)
{
    free(self->sentence);
    self->sentence = NULL;
    self->failure = 0;
    self->cause = 0;
}

/* A copy of the folder of a path, with its last slash. NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? spot_text_copy("./", 2)
                         : spot_text_copy(path, (size_t) (slash - path) + 1);
}

/* Bytes that SQLite adds to the name of a file, at most: "-journal". */
#define SUFFIX_BYTES 8

/* Whether SQLite takes the path, made absolute, or the file system the names beside it; if
 * not, says so. */
static bool is_too_long(const char *path, const char *folder, spot_diag_t *diag)
{
    const size_t max_path = (size_t) sqlite3_vfs_find(NULL)->mxPathname - SUFFIX_BYTES;
    const long max_name = pathconf(folder, _PC_NAME_MAX);
    const char *slash = strrchr(path, '/');
    const size_t num_name = strlen(slash == NULL ? path : slash + 1);
    char *where = path[0] == '/' ? NULL : realpath(".", NULL);
    const size_t num_path = strlen(path) + (where == NULL ? 0 : strlen(where) + 1);

    free(where);
    if (max_name > 0 && num_name + SUFFIX_BYTES > (size_t) max_name) {
        spot_diag_error(diag, path, 0, 0,
            "its name is too long: %zu bytes, %zu at most, as SQLite makes files whose names are "
            "longer by %d",
            num_name, (size_t) max_name - SUFFIX_BYTES, SUFFIX_BYTES);
    } else if (num_path > max_path) {
        spot_diag_error(diag, path, 0, 0,
            "its path is too long: %zu bytes from / on, SQLite takes %zu at most; use a shorter "
            "one",
            num_path, max_path);
    } else {
        return false;
    }
    return true;
}

/* Why a file cannot be opened, which SQLite does not tell. */
static void explain_closed(const char *path, spot_diag_t *diag)
{
    char *folder = folder_of(path);
    struct stat about;

    if (folder == NULL) {
        diag->out_of_memory = true;
    } else if (stat(folder, &about) != 0) {
        spot_diag_error(diag, path, 0, 0, "the folder %s cannot be reached: %s; make it first",
            folder, strerror(errno));
    } else if (!S_ISDIR(about.st_mode)) {
        spot_diag_error(diag, path, 0, 0, "%s is no folder", folder);
    } else if (!is_too_long(path, folder, diag)) {
        const bool is_there = stat(path, &about) == 0;

        spot_diag_error(diag, path, 0, 0, "%s",
            is_there && S_ISDIR(about.st_mode)
                ? "this is a folder; name a file in it, e.g. results.db"
            : !is_there && access(folder, W_OK) == 0 ? "there is no such database"
            : is_there && access(path, R_OK) != 0
                ? "no right to read it"
                : "no right to write into its folder, where SQLite keeps two files next "
                  "to the database; use a folder that may be written");
    }
    free(folder);
}

/* Writing failed for lack of space, a quota, or the size that a file may have. */
static void explain_full(const spot_db_t *self, spot_diag_t *diag)
{
    const char *cause = self->cause == EFBIG    ? "it may not grow further: a file may have no more"
                        : self->cause == EDQUOT ? "no space is left of the quota"
                                                : "no space is left";

    spot_diag_error(diag, self->path, 0, 0,
        self->is_thrown_away ? "%s; nothing was changed: free space and merge again"
                             : "%s; what was committed before is safe: free space and run again, "
                               "only what is missing is run",
        cause);
}

/* Whether the file system of a file gives locks at all: SQLite takes those that are not
 * available for those that others hold. */
static bool gives_locks(const char *path)
{
    bool does = true;
#ifdef F_OFD_SETLK
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = READ_BYTE, .l_len = 1};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    does = descriptor < 0 || fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || errno != ENOLCK;
    if (descriptor >= 0) {
        close(descriptor);
    }
#endif
    return does;
}

static void explain_io(const spot_db_t *self, const char *sentence, spot_diag_t *diag)
{
    const int result = self->failure;

    if (result == SQLITE_IOERR_SHMMAP || result == SQLITE_IOERR_SHMOPEN ||
        result == SQLITE_IOERR_SHMLOCK || result == SQLITE_IOERR_LOCK) {
        spot_diag_error(diag, self->path, 0, 0,
            "the file system cannot lock or share memory, as network file systems often "
            "cannot (%s); write to a local disk and copy or merge the database then",
            sentence);
    } else if (self->cause == ENOSPC || self->cause == EDQUOT || self->cause == EFBIG) {
        explain_full(self, diag);
    } else {
        spot_diag_error(diag, self->path, 0, 0,
            "reading or writing failed (%s%s%s); what was committed before is safe, run "
            "again once the disk is well",
            sentence, self->cause == 0 ? "" : ": ", self->cause == 0 ? "" : strerror(self->cause));
    }
}

void spot_db_explain(const spot_db_t *self, spot_diag_t *diag)
{
    const char *sentence = self->sentence == NULL ? "?" : self->sentence, *words;

    switch (KIND(self->failure)) {
        case SQLITE_OK:
        case SQLITE_INTERRUPT:
            return;
        case SQLITE_NOMEM:
            diag->out_of_memory = true;
            return;
        case SQLITE_CANTOPEN:
            if (lacks_descriptors(self)) {
                diag->out_of_descriptors = true;
                spot_diag_error(diag, self->path, 0, 0, "cannot open: %s", strerror(self->cause));
            } else {
                explain_closed(self->path, diag);
            }
            return;
        case SQLITE_IOERR:
            explain_io(self, sentence, diag);
            return;
        case CROSSED:
        case OTHERS:
            words = sentence;
            break;
        case SQLITE_NOTADB:
            words = "this is no SQLite database; use another name";
            break;
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
            words = "no right to write it; use another file, or chmod u+w";
            break;
        case SQLITE_FULL:
            explain_full(self, diag);
            return;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
            words = gives_locks(self->path)
                        ? "another program has locked it for too long; end that program (an "
                          "sqlite3 shell in a transaction?) and run again"
                        : "its file system gives no locks, as network file systems often do not; "
                          "write to a local disk and copy or merge the database then";
            break;
        default:
            spot_diag_error(diag, self->path, 0, 0,
                "the database is damaged (%s); save what can be saved with: sqlite3 %s "
                "\".recover\" | sqlite3 recovered.db",
                sentence, self->path);
            return;
    }
    spot_diag_error(diag, self->path, 0, 0, "%s", words);
}

/* A name that SQLite takes for nothing but a path: not ":memory:", "" or "file:...". Of
 * a link it is that of its target, which the log lies beside. NULL: no memory; else for
 * sqlite3_free(), as the URI below. */
static char *plain_path(const char *path)
{
    char *target = realpath(path, NULL);
    char *plain = sqlite3_mprintf(
        "%s%s", target != NULL || path[0] == '/' ? "" : "./", target != NULL ? target : path);

    free(target);
    return plain;
}

static bool may_write(const char *name)
{
    char *folder = folder_of(name);
    const bool may = folder != NULL && access(name, W_OK) == 0 && access(folder, W_OK) == 0;

    free(folder);
    return may;
}

/* Whether a log lies beside the file: somebody has it open, or was killed. */
static bool has_log(const char *name)
{
    static const char *const ends[] = {"-wal", "-journal"};
    bool is_there = false;

    for (size_t j = 0; !is_there && j < sizeof(ends) / sizeof(ends[0]); j++) {
        char *log = sqlite3_mprintf("%s%s", name, ends[j]);

        is_there = log == NULL || access(log, F_OK) == 0;
        sqlite3_free(log);
    }
    return is_there;
}

/* ---- Reading that leaves nothing behind ----
 * To read a file that keeps a log, SQLite makes the log and an index of it, and who is killed
 * leaves both. A file without a log is therefore read as one that does not change. What
 * changes it are checkpoints, as all else goes to the log: so such readers hold a byte of the
 * file, and checkpoints wait until none does. */

/* Takes or gives back the byte, in the name of an open file and not of a process, whose locks
 * are SQLite's. Returns 0 or errno. */
static int lock_byte(int descriptor, short type)
{
#ifdef F_OFD_SETLK
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = READ_BYTE, .l_len = 1};

    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
#else
    (void) descriptor;
    (void) type;
    return ENOLCK;
#endif
}

/* Whether somebody reads the file as one that does not change; if not, nobody begins to until
 * the byte is given back. */
static bool is_read(const spot_db_t *self)
{
    const int error = self->claim < 0 ? 0 : lock_byte(self->claim, F_WRLCK);

    return error == EAGAIN || error == EACCES;
}

/* Called by SQLite after each commit. */
static int checkpoint(void *context, sqlite3 *handle, const char *name, int num_pages)
{
    const spot_db_t *self = context;

    if (num_pages >= CHECKPOINT_PAGES && !is_read(self)) {
        /* what fails is tried again after the next commit */
        (void) sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        (void) lock_byte(self->claim, F_UNLCK);
    }
    return SQLITE_OK;
}

/* Whether the header of a file says that it keeps a log. */
static bool keeps_log(int descriptor)
{
    char versions[2] = {0, 0}; /* of the format, to write and to read */

    return pread(descriptor, versions, 2, 18) == 2 && versions[1] == 2;
}

/* Holds the byte for as long as self is open, where that makes the file one that does not
 * change. Fails for lack of descriptors only: SQLite says all else. */
static int hold_file(spot_db_t *self, const char *name)
{
    self->claim = open(name, (may_write(name) ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (self->claim < 0) {
        const int cause = errno;

        if (cause == EMFILE || cause == ENFILE) {
            const int ret = remember(self, SQLITE_CANTOPEN, "not held");

            self->cause = cause;
            return ret;
        }
        return 0;
    }
    self->is_still = !has_log(name) && lock_byte(self->claim, F_RDLCK) == 0 && !has_log(name) &&
                     keeps_log(self->claim);
    if (!self->is_still) {
        (void) lock_byte(self->claim, F_UNLCK);
    }
    return 0;
}

/* SQLite wants to write next to a file that it reads, and only who may write the file
 * removes what was written. Where that may not be, the file can be read all the same if
 * all is in it. is_still: it does not change. */
static char *read_uri(const char *name, bool is_still)
{
    sqlite3_str *uri = sqlite3_str_new(NULL);

    sqlite3_str_appendall(uri, "file:");
    for (const char *next = name; *next != '\0'; next++) {
        if (strchr("%?#", *next) != NULL) {
            sqlite3_str_appendf(uri, "%%%02X", *next);
        } else {
            sqlite3_str_append(uri, next, 1);
        }
    }
    sqlite3_str_appendall(
        uri, !is_still && (may_write(name) || has_log(name)) ? "?mode=ro" : "?immutable=1");
    return sqlite3_str_finish(uri);
}

int spot_db_attach(spot_db_t *self, const spot_db_t *read, const char *schema)
{
    char *name = plain_path(read->path);
    char *uri = name == NULL ? NULL : read_uri(name, read->is_still);
    const int ret =
        uri == NULL ? SPOT_ERR_NO_MEMORY : spot_db_run(self, "ATTACH %Q AS \"%w\"", uri, schema);

    sqlite3_free(uri);
    sqlite3_free(name);
    return ret;
}

/* Without locks: one thread at a time uses a connection, and taking a lock for each
 * value that is read costs more than the value. */
static int open_handle(spot_db_t *self, const char *name, spot_db_mode_t mode)
{
    const bool may = mode == SPOT_DB_WRITE || (may_write(name) && !self->is_still);
    const int flags = mode == SPOT_DB_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                      : may                 ? SQLITE_OPEN_READWRITE
                                            : SQLITE_OPEN_READONLY;
    char *uri = may ? sqlite3_mprintf("%s", name) : read_uri(name, self->is_still);
    const int result =
        uri == NULL
            ? SQLITE_NOMEM
            : sqlite3_open_v2(uri, &self->handle,
                  flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, NULL);

    sqlite3_free(uri);
    return self->handle == NULL ? SPOT_ERR_NO_MEMORY : db_check(self, result);
}

int spot_db_open(spot_db_t *self, const char *path, spot_db_mode_t mode, int timeout_ms)
{
    char *name = plain_path(path);
    sqlite3_int64 version;
    int ret;

    *self = (spot_db_t){.claim = -1, .path = spot_text_copy(path, strlen(path))};
    ret = name == NULL || self->path == NULL ? SPOT_ERR_NO_MEMORY
          : mode == SPOT_DB_READ             ? hold_file(self, name)
                                             : 0;
    ret = ret == 0 ? open_handle(self, name, mode) : ret;
    sqlite3_free(name);
    if (ret != 0) {
        return ret;
    }
    sqlite3_busy_timeout(self->handle, timeout_ms);
    /* What a hostile file might bring along is not carried out. */
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    if (mode != SPOT_DB_WRITE) {
        ret = spot_db_run(self, "PRAGMA query_only = ON");
    } else if (sqlite3_db_readonly(self->handle, "main") == 1) {
        /* what may not be written was opened to be read, silently */
        ret = remember(self, SQLITE_READONLY, "read-only");
    }
    ret = ret == 0 ? digest_register(self) : ret;
    return ret == 0 ? spot_db_integer(self, &version, "PRAGMA schema_version")
                    : ret; /* opening alone reads nothing */
}

int spot_db_open_memory(spot_db_t *self)
{
    int result;

    *self = (spot_db_t){.claim = -1, .path = spot_text_copy("", 0)};
    result = sqlite3_open_v2(":memory:", &self->handle,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
        NULL);
    return self->handle == NULL || self->path == NULL ? SPOT_ERR_NO_MEMORY : db_check(self, result);
}

int spot_db_claim(spot_db_t *self, bool *is_taken)
{
    const char *name = sqlite3_db_filename(self->handle, "main");

    *is_taken = false;
    self->claim = open(name, O_RDWR | O_CLOEXEC);
    if (self->claim < 0) {
        const int cause = errno, ret = remember(self, SQLITE_CANTOPEN, "not claimed");

        self->cause = cause;
        return ret;
    }
    *is_taken = flock(self->claim, LOCK_EX | LOCK_NB) != 0;
    return *is_taken && errno != EWOULDBLOCK ? remember(self, SQLITE_IOERR_LOCK, strerror(errno))
                                             : 0;
}

/* Who was the last to close a file, while it was read as one that does not change, has left
 * its log: the reader closes it once more. */
static void sweep(const char *path)
{
    char *name = plain_path(path);
    spot_db_t db;

    if (name != NULL && has_log(name) && may_write(name)) {
        (void) !spot_db_open(&db, path, SPOT_DB_READ, 0);
        spot_db_close(&db);
    }
    sqlite3_free(name);
}

void spot_db_close(spot_db_t *self)
{
    const bool is_open = self->handle != NULL;

    if (is_open && !self->is_still && is_read(self)) {
        sqlite3_db_config(self->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    sqlite3_close_v2(self->handle);
    if (self->path != NULL && self->claim >= 0) {
        close(self->claim);
    }
    if (is_open && self->is_still) {
        sweep(self->path);
    }
    free(self->path);
    free(self->sentence);
    memset(self, 0, sizeof(*self));
}

int spot_db_start_writing(spot_db_t *self)
{
    sqlite3_stmt *mode = NULL;
    int ret = spot_db_run(self, "PRAGMA page_size = 8192"); /* of a new file */

    ret = ret == 0 ? spot_db_prepare(self, &mode, "PRAGMA journal_mode = WAL") : ret;
    if (spot_db_next_row(self, mode, &ret) &&
        strcmp((const char *) sqlite3_column_text(mode, 0), "wal") != 0) {
        ret = remember(self, SQLITE_IOERR_SHMOPEN, "no write-ahead log");
    }
    sqlite3_finalize(mode);
    sqlite3_wal_hook(self->handle, checkpoint, self);
    return ret == 0 ? spot_db_run(self, "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit "
                                        "= 67108864")
                    : ret;
}

char *spot_db_finish(spot_db_t *self, sqlite3_str *text)
{
    if (sqlite3_str_errcode(text) != SQLITE_OK) {
        remember(self, SQLITE_NOMEM, "no memory");
    }
    return sqlite3_str_finish(text);
}

/* NULL: no memory, now or for a part of it. */
static char *write_sql(spot_db_t *self, const char *format, va_list arguments)
{
    char *sql = sqlite3_vmprintf(format, arguments);

    if (sql == NULL) {
        remember(self, SQLITE_NOMEM, "no memory");
    } else if (spot_db_error(self) == SPOT_ERR_NO_MEMORY) {
        sqlite3_free(sql);
        sql = NULL;
    }
    return sql;
}

int spot_db_run(spot_db_t *self, const char *format, ...)
{
    va_list arguments;
    char *sql;
    int ret;

    va_start(arguments, format);
    sql = write_sql(self, format, arguments);
    va_end(arguments);
    ret = sql == NULL ? SPOT_ERR_NO_MEMORY
                      : db_check(self, sqlite3_exec(self->handle, sql, NULL, NULL, NULL));
    sqlite3_free(sql);
    return ret;
}

int spot_db_prepare(spot_db_t *self, sqlite3_stmt **statement, const char *format, ...)
{
    va_list arguments;
    char *sql;
    int ret;

    *statement = NULL;
    va_start(arguments, format);
    sql = write_sql(self, format, arguments);
    va_end(arguments);
    ret = sql == NULL ? SPOT_ERR_NO_MEMORY
                      : db_check(self, sqlite3_prepare_v2(self->handle, sql, -1, statement, NULL));
    sqlite3_free(sql);
    return ret;
}

int spot_db_integer(spot_db_t *self, sqlite3_int64 *value, const char *format, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list arguments;
    char *sql;
    int ret;

    *value = 0;
    va_start(arguments, format);
    sql = write_sql(self, format, arguments);
    va_end(arguments);
    ret = sql == NULL ? SPOT_ERR_NO_MEMORY : spot_db_prepare(self, &statement, "%z", sql);
    if (spot_db_next_row(self, statement, &ret)) {
        *value = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return ret;
}

int spot_db_step_done(spot_db_t *self, sqlite3_stmt *statement)
{
    const int ret = db_check(self, sqlite3_step(statement));

    sqlite3_reset(statement);
    return ret;
}

bool spot_db_next_row(spot_db_t *self, sqlite3_stmt *statement, int *error)
{
    const int result = *error == 0 ? sqlite3_step(statement) : SQLITE_DONE;

    *error = *error == 0 ? db_check(self, result) : *error;
    return result == SQLITE_ROW;
}

char *spot_db_text(sqlite3_stmt *statement, int column, int *error)
{
    const char *text = (const char *) sqlite3_column_text(statement, column);
    char *copy = text == NULL ? NULL : spot_text_copy(text, strlen(text));

    if (copy == NULL && sqlite3_column_type(statement, column) != SQLITE_NULL) {
        *error = SPOT_ERR_NO_MEMORY;
    }
    return copy;
}

int spot_db_end(spot_db_t *self, int error)
{
    error = error == 0 ? spot_db_run(self, "COMMIT") : error;
    if (error != 0 && !sqlite3_get_autocommit(self->handle)) {
        sqlite3_exec(self->handle, "ROLLBACK", NULL, NULL, NULL);
    }
    return error;
}
