/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that appear whole or not at all. Each test has a folder of its own, so that it
 * sees everything that is left behind. */
#define _GNU_SOURCE /* flock() */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/outfile.h"
#include "base/watch.h"
#include "tests/unit/base/support.h"

typedef struct {
    char folder[PATH_BYTES];
    char path[PATH_BYTES + 16]; /* "result.csv" in it */
    spot_outfile_t file;
    spot_diag_t diag;
} fixture_t;

static int setup(void **state)
{
    fixture_t *self = calloc(1, sizeof(*self));

    *state = self;
    if (self == NULL) {
        return -1;
    }
    test_path("outfile", self->folder);
    snprintf(self->path, sizeof(self->path), "%s/result.csv", self->folder);
    spot_diag_init(&self->diag);
    return mkdir(self->folder, 0700);
}

static int teardown(void **state)
{
    fixture_t *self = *state;

    spot_diag_free(&self->diag);
    unlink(self->path);
    if (rmdir(self->folder) != 0) {
        return -1; /* something else was left behind */
    }
    free(self);
    return 0;
}

static size_t num_files(const char *folder)
{
    DIR *stream = opendir(folder);
    size_t num_found = 0;

    assert_non_null(stream);
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        num_found += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(stream);
    return num_found;
}

static void assert_content(const char *path, const char *expected)
{
    char bytes[64] = "";
    FILE *stream = fopen(path, "rb");

    assert_non_null(stream);
    assert_int_equal(fread(bytes, 1, sizeof(bytes) - 1, stream), strlen(expected));
    fclose(stream);
    assert_string_equal(bytes, expected);
}

static void begin(fixture_t *self, const char *text)
{
    assert_int_equal(spot_outfile_init(&self->file, self->path, &self->diag), 0);
    assert_true(fputs(text, self->file.stream) >= 0);
}

/* It cannot be opened, for this reason. */
static void assert_refused(fixture_t *self, const char *path, const char *reason)
{
    char expected[2 * PATH_BYTES];

    assert_int_equal(spot_outfile_init(&self->file, path, &self->diag), SPOT_ERR_IO);
    spot_outfile_free(&self->file);
    snprintf(expected, sizeof(expected), "%s: cannot write: %s\n", path, reason);
    assert_report(&self->diag, expected);
}

static void test_the_file_appears_with_the_commit(void **state)
{
    fixture_t *self = *state;

    begin(self, "a,b\n1,2\n");
    assert_int_equal(fflush(self->file.stream), 0);
    assert_int_equal(access(self->path, F_OK), -1);
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
    assert_content(self->path, "a,b\n1,2\n");
    spot_outfile_free(&self->file);
    assert_content(self->path, "a,b\n1,2\n");
    assert_int_equal(num_files(self->folder), 1);
    assert_report(&self->diag, "");
}

static void test_what_is_not_committed_leaves_nothing(void **state)
{
    fixture_t *self = *state;

    begin(self, "half");
    assert_int_equal(num_files(self->folder), 1);
    spot_outfile_free(&self->file);
    assert_int_equal(num_files(self->folder), 0);
    spot_outfile_free(&self->file);
}

static void test_overwriting_replaces_at_the_commit(void **state)
{
    fixture_t *self = *state;

    write_file(self->path, "old", 3);
    begin(self, "new");
    assert_content(self->path, "old");
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
    spot_outfile_free(&self->file);
    assert_content(self->path, "new");
    assert_int_equal(num_files(self->folder), 1);
}

static void test_giving_up_keeps_the_old_file(void **state)
{
    fixture_t *self = *state;

    write_file(self->path, "old", 3);
    begin(self, "new");
    spot_outfile_free(&self->file);
    assert_content(self->path, "old");
    assert_int_equal(num_files(self->folder), 1);
}

/* A full disk, played by a limit on the size of files. */
typedef struct {
    struct rlimit before;
    void (*handler)(int);
} full_disk_t;

static void full_disk_begin(full_disk_t *self)
{
    struct rlimit small;

    self->handler = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &self->before), 0);
    small = self->before;
    small.rlim_cur = 8;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
}

static void full_disk_end(const full_disk_t *self)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &self->before), 0);
    signal(SIGXFSZ, self->handler);
}

static void assert_old_file_is_kept(fixture_t *self, const char *reason)
{
    char expected[2 * PATH_BYTES];

    spot_outfile_free(&self->file);
    assert_content(self->path, "old");
    assert_int_equal(num_files(self->folder), 1);
    snprintf(expected, sizeof(expected), "%s: cannot write: %s\n", self->path, reason);
    assert_report(&self->diag, expected);
}

static void test_a_failed_write_keeps_the_old_file(void **state)
{
    fixture_t *self = *state;
    full_disk_t disk;
    int ret;

    write_file(self->path, "old", 3);
    begin(self, "new and much longer than what fits");
    full_disk_begin(&disk);
    ret = spot_outfile_commit(&self->file, &self->diag);
    full_disk_end(&disk);
    assert_int_equal(ret, SPOT_ERR_IO);
    assert_old_file_is_kept(self, "File too large");
}

/* Something was lost on the way, although all is well at the end. */
static void test_an_earlier_failure_is_not_forgotten(void **state)
{
    fixture_t *self = *state;
    full_disk_t disk;
    int ret;

    write_file(self->path, "old", 3);
    begin(self, "new and much longer than what fits");
    full_disk_begin(&disk);
    ret = fflush(self->file.stream);
    full_disk_end(&disk);
    assert_int_equal(ret, EOF);
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), SPOT_ERR_IO);
    assert_old_file_is_kept(self, "Input/output error");
}

/* A folder took the name while we wrote. */
static void test_a_failed_rename_leaves_nothing(void **state)
{
    fixture_t *self = *state;
    char expected[2 * PATH_BYTES];

    begin(self, "new");
    assert_int_equal(mkdir(self->path, 0700), 0);
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), SPOT_ERR_IO);
    assert_int_equal(num_files(self->folder), 2);
    spot_outfile_free(&self->file);
    assert_int_equal(num_files(self->folder), 1);
    assert_int_equal(rmdir(self->path), 0);
    snprintf(expected, sizeof(expected), "%s: cannot write: Is a directory\n", self->path);
    assert_report(&self->diag, expected);
}

static void test_a_directory_is_refused_at_once(void **state)
{
    fixture_t *self = *state;

    assert_refused(self, self->folder, "Is a directory");
    assert_int_equal(num_files(self->folder), 0);
}

static void test_a_missing_folder_is_refused_at_once(void **state)
{
    fixture_t *self = *state;
    char path[2 * PATH_BYTES];

    snprintf(path, sizeof(path), "%s/none/result.csv", self->folder);
    assert_refused(self, path, "No such file or directory");
}

static void test_a_file_as_folder_is_refused_at_once(void **state)
{
    fixture_t *self = *state;
    char path[2 * PATH_BYTES];

    write_file(self->path, "old", 3);
    snprintf(path, sizeof(path), "%s/result.csv", self->path);
    assert_refused(self, path, "Not a directory");
}

static void test_no_name_is_refused_at_once(void **state)
{
    assert_refused(*state, "", "No such file or directory");
}

static void skip_if_root(void)
{
    if (geteuid() == 0) {
        print_message("skipped: root may write everywhere\n");
        skip();
    }
}

static void test_a_write_protected_folder_is_refused_at_once(void **state)
{
    fixture_t *self = *state;

    skip_if_root();
    assert_int_equal(chmod(self->folder, 0500), 0);
    assert_refused(self, self->path, "Permission denied");
    assert_int_equal(chmod(self->folder, 0700), 0);
}

static void test_a_write_protected_file_is_refused_at_once(void **state)
{
    fixture_t *self = *state;

    skip_if_root();
    write_file(self->path, "old", 3);
    assert_int_equal(chmod(self->path, 0400), 0);
    assert_refused(self, self->path, "Permission denied");
    assert_content(self->path, "old");
    assert_int_equal(num_files(self->folder), 1);
}

static void test_permissions_follow_the_umask(void **state)
{
    static const mode_t masks[] = {022, 077, 002};
    fixture_t *self = *state;

    for (size_t j = 0; j < sizeof(masks) / sizeof(masks[0]); j++) {
        const mode_t before = umask(masks[j]);
        struct stat status;

        begin(self, "x");
        assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
        spot_outfile_free(&self->file);
        assert_int_equal(umask(before), masks[j]);
        assert_int_equal(stat(self->path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0666 & ~masks[j]);
        /* A file that is replaced keeps its own. */
        assert_int_equal(chmod(self->path, 0640), 0);
        begin(self, "y");
        assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
        spot_outfile_free(&self->file);
        assert_int_equal(stat(self->path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0640);
        unlink(self->path);
    }
}

static void test_a_full_device_says_so(void **state)
{
    fixture_t *self = *state;

    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    for (int num_bytes = 1; num_bytes <= 100000; num_bytes += 99999) {
        spot_diag_free(&self->diag);
        assert_int_equal(spot_outfile_init(&self->file, "/dev/full", &self->diag), 0);
        for (int j = 0; j < num_bytes; j++) {
            putc('x', self->file.stream);
        }
        assert_int_equal(spot_outfile_commit(&self->file, &self->diag), SPOT_ERR_IO);
        spot_outfile_free(&self->file);
        assert_report(&self->diag, "/dev/full: cannot write: No space left on device\n");
    }
}

static void test_devices_are_written_and_stay(void **state)
{
    fixture_t *self = *state;
    struct stat status;

    assert_int_equal(spot_outfile_init(&self->file, "/dev/null", &self->diag), 0);
    assert_null(self->file.temporary);
    fputs("away", self->file.stream);
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
    spot_outfile_free(&self->file);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* /dev/stdout is a link, too: it must not be replaced by a file. */
static void test_links_are_written_through(void **state)
{
    fixture_t *self = *state;
    char target[PATH_BYTES];
    struct stat status;

    test_path("outfile-target", target);
    write_file(target, "old", 3);
    assert_int_equal(symlink(target, self->path), 0);
    begin(self, "new");
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
    spot_outfile_free(&self->file);
    assert_int_equal(lstat(self->path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_content(target, "new");
    assert_int_equal(num_files(self->folder), 1);
    unlink(target);
}

static void test_pipes_are_written_directly(void **state)
{
    fixture_t *self = *state;
    char bytes[8] = "";
    int reader;

    assert_int_equal(mkfifo(self->path, 0600), 0);
    reader = open(self->path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    begin(self, "hello");
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
    spot_outfile_free(&self->file);
    assert_int_equal(read(reader, bytes, sizeof(bytes)), 5);
    assert_string_equal(bytes, "hello");
    close(reader);
}

static void test_a_dash_is_standard_output(void **state)
{
    static const char *const names[] = {"-", NULL};
    fixture_t *self = *state;

    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(spot_outfile_init(&self->file, names[j], &self->diag), 0);
        assert_ptr_equal(self->file.stream, stdout);
        assert_int_equal(spot_outfile_commit(&self->file, &self->diag), 0);
        spot_outfile_free(&self->file);
        assert_true(fputs("", stdout) >= 0); /* still open */
    }
}

static void test_full_standard_output_says_so(void **state)
{
    fixture_t *self = *state;
    int full = open("/dev/full", O_WRONLY), before, ret;

    if (full < 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    fflush(stdout);
    before = dup(STDOUT_FILENO);
    assert_int_equal(dup2(full, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(spot_outfile_init(&self->file, "-", &self->diag), 0);
    fputs("lost\n", self->file.stream);
    ret = spot_outfile_commit(&self->file, &self->diag);
    spot_outfile_free(&self->file);
    dup2(before, STDOUT_FILENO);
    clearerr(stdout);
    close(before);
    close(full);
    assert_int_equal(ret, SPOT_ERR_IO);
    assert_report(&self->diag, "standard output: cannot write: No space left on device\n");
}

/* Asked to end: nothing is opened or committed, and the old file stays. */
/* What is on standard output is there, but nothing more is to come. */
static void test_printing_ends_with_a_signal(void **state)
{
    fixture_t *self = *state;

    assert_false(spot_outfile_is_printing());
    assert_int_equal(spot_outfile_init(&self->file, "-", &self->diag), 0);
    assert_true(spot_outfile_is_printing());
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), 0);
    assert_false(spot_outfile_is_printing());
    atomic_store(&spot_stop, SIGTERM);
    assert_int_equal(spot_outfile_init(&self->file, NULL, &self->diag), 0);
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), SPOT_ERR_INTERRUPTED);
    assert_int_equal(spot_outfile_init(&self->file, NULL, &self->diag), 0);
    assert_int_equal(
        spot_outfile_close(&self->file, SPOT_ERR_BAD_INPUT, &self->diag), SPOT_ERR_BAD_INPUT);
    atomic_store(&spot_stop, 0);
    assert_false(spot_outfile_is_printing());
    assert_int_equal(self->diag.num_errors, 0);
}

static void test_nothing_is_committed_after_a_signal(void **state)
{
    fixture_t *self = *state;
    char text[16] = "";
    FILE *old = fopen(self->path, "w");

    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    assert_int_equal(spot_outfile_init(&self->file, self->path, &self->diag), 0);
    fputs("new", self->file.stream);
    atomic_store(&spot_stop, SIGTERM);
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), SPOT_ERR_INTERRUPTED);
    assert_int_equal(num_files(self->folder), 1);
    assert_int_equal(spot_outfile_init(&self->file, self->path, &self->diag), SPOT_ERR_INTERRUPTED);
    spot_outfile_free(&self->file);
    atomic_store(&spot_stop, 0);
    old = fopen(self->path, "r");
    assert_non_null(old);
    assert_non_null(fgets(text, sizeof(text), old));
    fclose(old);
    assert_string_equal(text, "old");
    assert_int_equal(self->diag.num_errors, 0);
}

/* Those that are not committed go, again and again. */
static void test_files_under_way_can_be_removed_at_once(void **state)
{
    enum { NUM_FILES = 5 };
    fixture_t *self = *state;
    spot_outfile_t files[NUM_FILES];
    char paths[NUM_FILES][PATH_BYTES + 16];

    for (int round = 0; round < 3; round++) {
        for (int j = 0; j < NUM_FILES; j++) {
            snprintf(paths[j], sizeof(paths[j]), "%s/%d", self->folder, j);
            assert_int_equal(spot_outfile_init(&files[j], paths[j], &self->diag), 0);
        }
        assert_int_equal(num_files(self->folder), NUM_FILES);
        assert_int_equal(spot_outfile_close(&files[2], 0, &self->diag), 0);
        spot_outfile_remove_all();
        assert_int_equal(num_files(self->folder), 1);
        for (int j = 0; j < NUM_FILES; j++) {
            spot_outfile_free(&files[j]);
        }
        assert_int_equal(unlink(paths[2]), 0);
        spot_outfile_remove_all();
    }
}

/* ---- What killed processes leave ---- */

/* Writes a file beside the result, under a name that begins with a PID. */
static void leave(const fixture_t *self, const char *name)
{
    char path[2 * PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    write_file(path, "half", 4);
}

static bool is_left(const fixture_t *self, const char *name)
{
    char path[2 * PATH_BYTES];
    struct stat status;

    snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    return lstat(path, &status) == 0;
}

static void take_away(const fixture_t *self, const char *name)
{
    char path[2 * PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    assert_int_equal(unlink(path), 0);
}

/* Opens the result and kills itself, or waits for that. */
static pid_t start_writer(fixture_t *self, bool does_wait)
{
    int ready[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        begin(self, "half");
        fflush(self->file.stream);
        assert_int_equal(write(ready[1], "x", 1), 1);
        while (does_wait) {
            pause();
        }
        raise(SIGKILL);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void end_writer(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void commit(fixture_t *self, const char *text)
{
    begin(self, text);
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), 0);
    assert_content(self->path, text);
}

/* Its name is as documented, and the next writer of the same file removes it; one of
 * another file does not. */
static void test_the_next_writer_removes_what_a_killed_one_left(void **state)
{
    fixture_t *self = *state;
    char name[64], other[PATH_BYTES + 32];
    const pid_t child = start_writer(self, false);

    end_writer(child);
    snprintf(name, sizeof(name), ".result.csv.spotsim-%ld", (long) child);
    assert_true(is_left(self, name));
    snprintf(other, sizeof(other), "%s/result.cs", self->folder);
    assert_int_equal(spot_outfile_init(&self->file, other, &self->diag), 0);
    spot_outfile_free(&self->file);
    assert_int_equal(num_files(self->folder), 1);
    commit(self, "new");
    assert_int_equal(num_files(self->folder), 1);
}

/* That of another writer at work stays, and both can end; the last one wins. */
static void test_two_writers_at_once(void **state)
{
    fixture_t *self = *state;
    spot_outfile_t second;
    const pid_t child = start_writer(self, true);
    char name[64];

    commit(self, "first");
    assert_int_equal(num_files(self->folder), 2);
    begin(self, "second");
    assert_int_equal(spot_outfile_init(&second, self->path, &self->diag), 0);
    snprintf(name, sizeof(name), ".result.csv.spotsim-%ld-2", (long) getpid());
    assert_true(is_left(self, name)); /* two of one process */
    fputs("third", second.stream);
    assert_int_equal(spot_outfile_close(&second, 0, &self->diag), 0);
    assert_content(self->path, "third");
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), 0);
    assert_content(self->path, "second");
    assert_int_equal(num_files(self->folder), 2);
    end_writer(child);
    commit(self, "fourth");
    assert_int_equal(num_files(self->folder), 1);
}

/* A PID may be in use again, by this process too. Only a lock says that a file is under
 * way: one of any kind. */
static void test_only_locks_count(void **state)
{
    fixture_t *self = *state;
    char own[64], path[2 * PATH_BYTES];
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int descriptors[2], ready[2];
    char byte;
    pid_t child;

    snprintf(own, sizeof(own), ".result.csv.spotsim-%ld", (long) getpid());
    leave(self, own);
    leave(self, ".result.csv.spotsim-1"); /* that of a process that runs */
    leave(self, ".result.csv.spotsim-4194304-7");
    leave(self, ".result.csv.spotsim-77");
    leave(self, ".result.csv.spotsim-78");
    snprintf(path, sizeof(path), "%s/.result.csv.spotsim-77", self->folder);
    descriptors[0] = open(path, O_RDWR);
    assert_int_equal(flock(descriptors[0], LOCK_SH), 0);
    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* such a lock is of a process */
        path[strlen(path) - 1] = '8';
        descriptors[1] = open(path, O_RDWR);
        assert_int_equal(fcntl(descriptors[1], F_SETLK, &range), 0);
        assert_int_equal(write(ready[1], "x", 1), 1);
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    commit(self, "new");
    assert_int_equal(num_files(self->folder), 3);
    assert_true(is_left(self, ".result.csv.spotsim-77"));
    assert_true(is_left(self, ".result.csv.spotsim-78"));
    close(descriptors[0]);
    end_writer(child);
    commit(self, "newer");
    assert_int_equal(num_files(self->folder), 1);
}

/* What only looks like one. */
static void test_nothing_else_is_removed(void **state)
{
    static const char *const names[] = {".result.csv.spotsim-", ".result.csv.spotsim-0",
        ".result.csv.spotsim-012", ".result.csv.spotsim-1x", ".result.csv.spotsim-1-",
        ".result.csv.spotsim-1-2-3", ".result.csv.spotsim--1", ".result.csv.spotsim-12345678901",
        ".result.csv.spotsim-1~", "result.csv.spotsim-1", ".xresult.csv.spotsim-1",
        ".result.csv.SPOTSIM-1", ".result.csvx.spotsim-1", ".spotsim-1", ".result.csv"};
    enum { NUM_NAMES = sizeof(names) / sizeof(names[0]) };
    fixture_t *self = *state;
    char link[2 * PATH_BYTES], folder[2 * PATH_BYTES], pipe_path[2 * PATH_BYTES];

    for (size_t j = 0; j < NUM_NAMES; j++) {
        leave(self, names[j]);
    }
    snprintf(link, sizeof(link), "%s/.result.csv.spotsim-2", self->folder);
    snprintf(folder, sizeof(folder), "%s/.result.csv.spotsim-3", self->folder);
    snprintf(pipe_path, sizeof(pipe_path), "%s/.result.csv.spotsim-4", self->folder);
    assert_int_equal(symlink(".result.csv", link), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    commit(self, "new");
    assert_int_equal(num_files(self->folder), NUM_NAMES + 4);
    for (size_t j = 0; j < NUM_NAMES; j++) {
        take_away(self, names[j]);
    }
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(unlink(pipe_path), 0);
}

/* Up to the longest name; what was left of two that begin alike is told apart. */
static void test_long_names(void **state)
{
    fixture_t *self = *state;

    for (size_t length = 225; length <= 256; length++) {
        char path[2 * PATH_BYTES], expected[3 * PATH_BYTES];
        const size_t folder_bytes = strlen(self->folder) + 1;
        pid_t child;

        snprintf(path, sizeof(path), "%s/", self->folder);
        memset(path + folder_bytes, 'n', length);
        path[folder_bytes + length] = '\0';
        if (length == 256) {
            snprintf(expected, sizeof(expected), "%s: cannot write: File name too long\n", path);
            assert_int_equal(spot_outfile_init(&self->file, path, &self->diag), SPOT_ERR_IO);
            spot_outfile_free(&self->file);
            assert_report(&self->diag, expected);
            continue;
        }
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            assert_int_equal(spot_outfile_init(&self->file, path, &self->diag), 0);
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(num_files(self->folder), 1);
        path[folder_bytes + length - 1] = 'm';
        assert_int_equal(spot_outfile_init(&self->file, path, &self->diag), 0);
        spot_outfile_free(&self->file);
        assert_int_equal(num_files(self->folder), 1);
        path[folder_bytes + length - 1] = 'n';
        assert_int_equal(spot_outfile_init(&self->file, path, &self->diag), 0);
        assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), 0);
        assert_int_equal(num_files(self->folder), 1);
        assert_int_equal(unlink(path), 0);
    }
}

/* A folder of many files is not read for each of them, but what was left is found. */
static void test_folders_of_many_files(void **state)
{
    enum { NUM_FILES = 300 };
    fixture_t *self = *state;
    char name[32];

    for (int j = 0; j < NUM_FILES; j++) {
        snprintf(name, sizeof(name), "%d", j);
        leave(self, name);
    }
    leave(self, ".result.csv.spotsim-5");
    commit(self, "new");
    assert_int_equal(num_files(self->folder), NUM_FILES + 1);
    for (int j = 0; j < 20; j++) {
        commit(self, "newer");
    }
    for (int j = 0; j < NUM_FILES; j++) {
        snprintf(name, sizeof(name), "%d", j);
        take_away(self, name);
    }
}

/* Something removed the file under way. */
static void test_a_file_that_is_gone_is_reported(void **state)
{
    fixture_t *self = *state;

    begin(self, "new");
    assert_int_equal(unlink(self->file.temporary), 0);
    assert_int_equal(spot_outfile_commit(&self->file, &self->diag), SPOT_ERR_IO);
    spot_outfile_free(&self->file);
    assert_int_equal(num_files(self->folder), 0);
    assert_int_equal(self->diag.num_errors, 1);
    assert_non_null(strstr(self->diag.items[0].text, "is not there any more"));
}

/* ---- Links that lead nowhere yet ---- */

static void test_the_target_of_a_dangling_link_is_made(void **state)
{
    fixture_t *self = *state;
    char target[2 * PATH_BYTES], middle[2 * PATH_BYTES];

    snprintf(target, sizeof(target), "%s/target", self->folder);
    snprintf(middle, sizeof(middle), "%s/middle", self->folder);
    assert_int_equal(symlink(middle, self->path), 0); /* a path from the root */
    assert_int_equal(symlink("target", middle), 0);   /* and one from the folder */
    commit(self, "new");
    assert_content(target, "new");
    assert_int_equal(num_files(self->folder), 3);
    assert_true(is_left(self, "middle"));
    unlink(target);
    unlink(middle);
}

static void test_links_that_lead_nowhere_are_refused(void **state)
{
    fixture_t *self = *state;
    char reason[2 * PATH_BYTES], expected[4 * PATH_BYTES];

    assert_int_equal(symlink("result.csv", self->path), 0);
    assert_refused(self, self->path, "Too many levels of symbolic links");
    assert_int_equal(unlink(self->path), 0);
    spot_diag_free(&self->diag);
    assert_int_equal(symlink("none/result.csv", self->path), 0);
    snprintf(reason, sizeof(reason), "%s/none/result.csv", self->folder);
    assert_int_equal(spot_outfile_init(&self->file, self->path, &self->diag), SPOT_ERR_IO);
    spot_outfile_free(&self->file);
    snprintf(expected, sizeof(expected),
        "%s: cannot write where this link leads, %s: No such file or directory\n", self->path,
        reason);
    assert_report(&self->diag, expected);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_the_file_appears_with_the_commit),
        TEST(test_what_is_not_committed_leaves_nothing),
        TEST(test_overwriting_replaces_at_the_commit),
        TEST(test_giving_up_keeps_the_old_file),
        TEST(test_a_failed_write_keeps_the_old_file),
        TEST(test_an_earlier_failure_is_not_forgotten),
        TEST(test_a_failed_rename_leaves_nothing),
        TEST(test_a_directory_is_refused_at_once),
        TEST(test_a_missing_folder_is_refused_at_once),
        TEST(test_a_file_as_folder_is_refused_at_once),
        TEST(test_no_name_is_refused_at_once),
        TEST(test_a_write_protected_folder_is_refused_at_once),
        TEST(test_a_write_protected_file_is_refused_at_once),
        TEST(test_permissions_follow_the_umask),
        TEST(test_a_full_device_says_so),
        TEST(test_devices_are_written_and_stay),
        TEST(test_links_are_written_through),
        TEST(test_pipes_are_written_directly),
        TEST(test_a_dash_is_standard_output),
        TEST(test_full_standard_output_says_so),
        TEST(test_printing_ends_with_a_signal),
        TEST(test_nothing_is_committed_after_a_signal),
        TEST(test_files_under_way_can_be_removed_at_once),
        TEST(test_the_next_writer_removes_what_a_killed_one_left),
        TEST(test_two_writers_at_once),
        TEST(test_only_locks_count),
        TEST(test_nothing_else_is_removed),
        TEST(test_long_names),
        TEST(test_folders_of_many_files),
        TEST(test_a_file_that_is_gone_is_reported),
        TEST(test_the_target_of_a_dangling_link_is_made),
        TEST(test_links_that_lead_nowhere_are_refused),
    };
#undef TEST

    return cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
}
