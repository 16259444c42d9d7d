/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each test has a folder of its own; what is in it is removed by name, so that it sees
 * everything that is left behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "reports/report_text.h"
#include "tests/unit/reports/sample.h"

typedef struct {
    char folder[480];
    spot_diag_t diag;
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
} fixture_t;

static int setup(void **state)
{
    fixture_t *self = calloc(1, sizeof(*self));

    *state = self;
    if (self == NULL) {
        return -1;
    }
    snprintf(self->folder, sizeof(self->folder), "%s", sample_path("papers"));
    spot_diag_init(&self->diag);
    sample_idle_head(&self->head, 10);
    self->store = sample_idle_store(&self->head);
    self->report = sample_report(self->store);
    return 0;
}

static int teardown(void **state)
{
    fixture_t *self = *state;

    spot_report_free(&self->report);
    self->store->close(self->store);
    spot_study_head_free(&self->head);
    spot_diag_free(&self->diag);
    rmdir(self->folder); /* fails, and the next line sees it, if something is left */
    if (access(self->folder, F_OK) == 0) {
        return -1;
    }
    free(self);
    return 0;
}

/* FOLDER/NAME; valid until the next call. */
static const char *path_of(const fixture_t *self, const char *name)
{
    static char path[1024];

    snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    return path;
}

/* The text of a file of the folder, which is removed. */
static char *take(const fixture_t *self, const char *name)
{
    char *text = sample_read(path_of(self, name));

    if (text == NULL) {
        fail_msg("%s is not there", path_of(self, name));
    }
    assert_int_equal(unlink(path_of(self, name)), 0);
    return text;
}

static void drop(const fixture_t *self, const char *name)
{
    free(take(self, name));
}

static void drop_sources(const fixture_t *self, const char *file_name)
{
    static const char *const endings[] = {"curves.csv", "ledger.csv"};

    for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
        char name[256];

        snprintf(name, sizeof(name), "%s-%s", file_name, endings[j]);
        drop(self, name);
    }
}

/* Whatever else the study can be drawn as, besides curves and ledger. */
static void drop_others(const fixture_t *self, const char *file_name)
{
    char command[2048];

    snprintf(command, sizeof(command),
        "for f in '%s/%s'-*; do case $f in *-curves.*|*-ledger.*) ;; *) rm -f \"$f\";; "
        "esac; done",
        self->folder, file_name);
    assert_int_equal(system(command), 0);
}

static int write_papers(fixture_t *self, bool is_svg, bool is_png, bool is_pdf)
{
    const spot_paper_folders_t folders = {{
        [SPOT_FORMAT_SVG] = is_svg ? self->folder : NULL,
        [SPOT_FORMAT_PNG] = is_png ? self->folder : NULL,
        [SPOT_FORMAT_PDF] = is_pdf ? self->folder : NULL,
    }};

    return spot_paper_pictures_write(&self->report, &folders, &self->diag);
}

/* A whole SVG is there; it is removed. */
static void assert_picture(const fixture_t *self, const char *name)
{
    char *text = take(self, name);

    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
}

static void assert_format(const fixture_t *self, const char *name, spot_picture_format_t format)
{
    FILE *file = fopen(path_of(self, name), "rb");

    assert_non_null(file);
    assert_true(spot_format_is_whole(format, file));
    fclose(file);
    assert_int_equal(unlink(path_of(self, name)), 0);
}

static void assert_all_formats(fixture_t *self)
{
    assert_int_equal(write_papers(self, false, true, true), 0);
    drop_others(self, "idle-vs-preemption");
    assert_format(self, "idle-vs-preemption-curves.png", SPOT_FORMAT_PNG);
    assert_format(self, "idle-vs-preemption-curves.pdf", SPOT_FORMAT_PDF);
    assert_format(self, "idle-vs-preemption-ledger.png", SPOT_FORMAT_PNG);
    assert_format(self, "idle-vs-preemption-ledger.pdf", SPOT_FORMAT_PDF);
    drop_sources(self, "idle-vs-preemption");
}

static void test_other_formats(void **state)
{
    if (system("rsvg-convert --version >/dev/null 2>&1") != 0) {
        print_message("rsvg-convert is not installed\n");
        skip();
    }
    assert_all_formats(*state);
}

/* SVG needs nothing; of the others data are there, and one message. */
static void test_without_a_converter(void **state)
{
    fixture_t *self = *state;
    char *path = getenv("PATH");
    int ret;

    assert_non_null(path);
    path = spot_text_copy(path, strlen(path));
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(write_papers(self, true, false, false), 0);
    assert_int_equal(self->diag.num_errors, 0);
    ret = write_papers(self, false, true, true);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    assert_int_equal(ret, SPOT_ERR_CHILD);
    assert_int_equal(self->diag.num_errors, 1);
    drop_others(self, "idle-vs-preemption");
    assert_picture(self, "idle-vs-preemption-curves.svg");
    assert_picture(self, "idle-vs-preemption-ledger.svg");
    drop_sources(self, "idle-vs-preemption");
}

static void test_golden(void **state)
{
    fixture_t *self = *state;
    char *text;

    assert_int_equal(write_papers(self, true, false, false), 0);
    drop_others(self, "idle-vs-preemption");
    drop(self, "idle-vs-preemption-curves.svg");
    drop(self, "idle-vs-preemption-ledger.svg");
    text = take(self, "idle-vs-preemption-curves.csv");
    sample_assert_golden("paper-curves.csv", text);
    free(text);
    drop(self, "idle-vs-preemption-ledger.csv");
}

/* A hostile name of a study stays in the folder. */
static void test_a_hostile_name(void **state)
{
    fixture_t *self = *state;

    free(self->head.name);
    self->head.name = spot_text_copy("../a'b\" $(x)`\n!漢", 19);
    assert_int_equal(write_papers(self, true, false, false), 0);
    drop_others(self, "_._a_b____x____漢");
    drop(self, "_._a_b____x____漢-curves.svg");
    drop(self, "_._a_b____x____漢-ledger.svg");
    drop_sources(self, "_._a_b____x____漢");
}

/* A picture that cannot be drawn of this study is said in one line, and no error. */
static void test_what_cannot_be_drawn(void **state)
{
    fixture_t *self = *state;

    self->head.plot.num_stack = 0;
    free(self->head.plot.x);
    self->head.plot.x = NULL;
    for (size_t j = 0; j < self->head.num_axes; j++) {
        for (size_t k = 0; k < self->head.axes[j].num_values; k++) {
            self->head.axes[j].numbers[k] = (double) NAN;
        }
    }
    assert_int_equal(write_papers(self, true, false, false), 0);
    self->head.plot.num_stack = 4;
    drop_others(self, "idle-vs-preemption");
    assert_int_equal(self->diag.num_errors, 0);
    assert_true(self->diag.num_warnings >= 2);
    assert_non_null(strstr(self->diag.items[0].text, "curves: nothing can be drawn: "));
}

static void test_a_folder_that_cannot_be(void **state)
{
    fixture_t *self = *state;
    FILE *file = fopen(self->folder, "w");

    assert_non_null(file);
    fclose(file);
    assert_int_equal(write_papers(self, true, false, false), SPOT_ERR_IO);
    assert_non_null(strstr(self->diag.items[0].text, "expected a folder, but this is none"));
    assert_int_equal(unlink(self->folder), 0);
    strcat(self->folder, "/no/such");
    assert_int_equal(write_papers(self, true, false, false), SPOT_ERR_IO);
    assert_non_null(strstr(self->diag.items[1].text, "cannot make this folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_other_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_a_converter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_hostile_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_folder_that_cannot_be, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
