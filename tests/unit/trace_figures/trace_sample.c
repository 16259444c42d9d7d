/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/verb/output.h"
#include "reports/chart/svg.h"
#include "reports/table/document.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/trace_figures/trace_sample.h"

void trace_sample_read(spot_trace_t *trace, const trace_sample_t *sample)
{
    const size_t max_bytes = strlen(sample->rows) + 1024;
    char *text = malloc(max_bytes);
    spot_diag_t diag;
    int num_bytes;

    assert_non_null(text);
    num_bytes = snprintf(text, max_bytes,
        "# spotsim-trace: 1\n# name: %s\n# start: %s\n# resolution_s: %s\n# kind: %s\n"
        "# capacity: %s\ntime_s,event,count,instances\n%s",
        sample->name, sample->start, sample->resolution_s, sample->kind, sample->capacity,
        sample->rows);
    spot_diag_init(&diag);
    if (spot_trace_read_bytes(trace, "sample", text, (size_t) num_bytes, false, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
    free(text);
}

const char *trace_sample_folder(void)
{
    static char folder[512];
    static int num_folders;
    char name[32];

    snprintf(name, sizeof(name), "pictures-%d", num_folders++);
    snprintf(folder, sizeof(folder), "%s", sample_path(name));
    return folder;
}

static const char *path_of(const char *folder, const char *file)
{
    static char path[1024];

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return path;
}

char *trace_sample_take(const char *folder, const char *file)
{
    char *text = sample_read(path_of(folder, file));

    assert_non_null(text);
    assert_int_equal(unlink(path_of(folder, file)), 0);
    return text;
}

void trace_sample_assert_file(const char *folder, const char *file, const char *text)
{
    char *found = trace_sample_take(folder, file);

    assert_string_equal(found, text);
    free(found);
}

void trace_sample_assert_start(const char *text, const char *start)
{
    char *begin = strndup(text, strlen(start));

    assert_non_null(begin);
    assert_string_equal(begin, start);
    free(begin);
}

void trace_sample_assert_drawn(int ret, spot_diag_t *diag, const char *folder, const char *file)
{
    sample_assert_drawn(ret, diag, path_of(folder, file));
}

void trace_sample_assert_not_drawn(
    int ret, spot_diag_t *diag, const char *folder, const char *file, const char *problem)
{
    char expected[1200];

    snprintf(
        expected, sizeof(expected), "%s: nothing can be drawn: %s", path_of(folder, file), problem);
    assert_int_equal(ret, 0);
    assert_int_equal(diag->num_items, 1);
    assert_false(diag->items[0].is_error);
    assert_non_null(strstr(diag->items[0].text, expected));
    assert_int_not_equal(access(path_of(folder, file), F_OK), 0);
    spot_diag_free(diag);
}

void trace_sample_end(const char *folder)
{
    assert_int_equal(rmdir(folder), 0);
}

/* What the program hands down to verbs: pictures are SVG. */
static int write_svg(spot_chart_t *chart, FILE *out)
{
    return spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out);
}

__attribute__((constructor)) void trace_sample_set_dialects(void)
{
    static const spot_dialects_t dialects = {
        .table = spot_table_write_terminal, .chart = write_svg};

    spot_output_set_dialects(&dialects);
}
