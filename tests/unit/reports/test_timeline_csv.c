/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/timeline_csv.h"
#include "tests/unit/reports/sample.h"

static char *
write_csv(const spot_timeline_t *timeline)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_timeline_csv_write(timeline, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What the level of a category is at the start of a segment, as the rows tell it. */
static double
level_at(const char *csv, const char *name, int64_t time_ms)
{
    double level = -1;

    for (const char *line = strchr(csv, '\n') + 1; *line != '\0';
         line = strchr(line, '\n') + 1) {
        char kind[32], row_name[64];
        double time_s, value;

        if (sscanf(line, "%lf,%31[^,],%63[^,],%lf", &time_s, kind, row_name, &value) ==
                4 &&
            strcmp(kind, "level") == 0 && strcmp(row_name, name) == 0 &&
            (int64_t) (time_s * 1000 + 0.5) <= time_ms) {
            level = value;
        }
    }
    return level;
}

/* All that the timeline has can be read from the rows again. */
static void
test_all_is_there(void **state)
{
    spot_timeline_t timeline;
    char *csv;

    (void) state;
    sample_timeline(&timeline, 3600000, 40);
    csv = write_csv(&timeline);
    assert_memory_equal(csv, "time_s,kind,name,value\n", 23);
    for (size_t j = 0; j < timeline.num_segments; j++) {
        const spot_timeline_segment_t *segment = &timeline.segments[j];

        for (size_t k = 0; k < timeline.num_categories; k++) {
            const double level =
                level_at(csv, timeline.category_names[k], segment->start_ms);

            assert_true(level == segment->heights[k]);
        }
    }
    assert_int_equal(sample_count(csv, ",mark,"), timeline.num_marks);
    assert_int_equal(sample_count(csv, ",progress,"), timeline.num_progress);
    assert_int_equal(sample_count(csv, "3600.000,end,,0\n"), 1);
    free(csv);
    spot_timeline_free(&timeline);
}

/* A level that stays has no row of its own. */
static void
test_only_changes(void **state)
{
    static const char *const names[] = {"standby", "use\"ful"};
    const spot_timeline_segment_t segments[] = {
        {.start_ms = 0, .heights = {1, 2}}, {.start_ms = 1500, .heights = {1, 3.5}}};
    spot_timeline_t timeline;
    char *csv;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.num_categories = 2;
    timeline.category_names = names;
    timeline.end_ms = 2000;
    assert_int_equal(spot_timeline_add_segment(&timeline, &segments[0]), 0);
    assert_int_equal(spot_timeline_add_segment(&timeline, &segments[1]), 0);
    csv = write_csv(&timeline);
    assert_string_equal(csv,
        "time_s,kind,name,value\n0.000,level,standby,1\n"
        "0.000,level,\"use\"\"ful\",2\n1.500,level,\"use\"\"ful\",3.5\n"
        "2.000,end,,0\n");
    free(csv);
    spot_timeline_free(&timeline);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_there),
        cmocka_unit_test(test_only_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
