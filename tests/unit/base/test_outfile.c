/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that appear whole or not at all. Each test has a folder of its own, so that it
 * sees everything that is left behind. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "base/stop.h"
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
        num_found += entry->d_name[0] != '.';
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
    assert_int_equal(spot_outfile_init(&self->file, NULL, &self->diag), 0);
    assert_int_equal(spot_outfile_close(&self->file, 0, &self->diag), 0);
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
        TEST(test_nothing_is_committed_after_a_signal),
        TEST(test_files_under_way_can_be_removed_at_once),
    };
#undef TEST

    return cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
}
