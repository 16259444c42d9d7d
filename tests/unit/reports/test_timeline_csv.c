/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/run_series.h"
#include "tests/unit/reports/sample.h"

static char *write_csv(const spot_run_series_t *run)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_timeline_csv_write(run, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What a level is at an instant, as the rows say. */
static double level_at(const char *csv, const char *name, double time_ms)
{
    double level = -1;

    for (const char *line = strchr(csv, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        char kind[32], row_name[64];
        double time_s, value;

        if (sscanf(line, "%lf,%31[^,],%63[^,],%lf", &time_s, kind, row_name, &value) == 4 &&
            strcmp(kind, "level") == 0 && strcmp(row_name, name) == 0 &&
            floor(time_s * 1000 + 0.5) <= time_ms) {
            level = value;
        }
    }
    return level;
}

/* All that the series have can be read from the rows again. */
static void test_all_is_there(void **state)
{
    sample_run_t sample;
    const spot_run_series_t *run = &sample.run;
    char *csv;

    (void) state;
    sample_run(&sample, 3600000, 40);
    csv = write_csv(run);
    assert_memory_equal(csv, "time_s,kind,name,value\n", 23);
    for (size_t j = 0; j < run->levels->num_rows; j++) {
        for (size_t k = 0; k < run->num_levels; k++) {
            const double level =
                level_at(csv, run->lanes[k].name, spot_run_time_ms(run->levels, j));

            assert_true(level == spot_run_value(run->levels, j, k + 1));
        }
    }
    assert_int_equal(sample_count(csv, ",mark,"), run->events->num_rows);
    assert_int_equal(sample_count(csv, ",progress,"), run->curve->num_rows);
    assert_int_equal(sample_count(csv, "3600.000,end,,0\n"), 1);
    free(csv);
    sample_run_free(&sample);
}

/* A level that stays has no row of its own. */
static void test_only_changes(void **state)
{
    static const char *const names[] = {"standby", "use\"ful"};
    sample_run_t sample;
    char *csv;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.num_levels = 2, .levels = names, .unit = "1"});
    sample_run_level(&sample, 0, (const double[]){1, 2});
    sample_run_level(&sample, 1500, (const double[]){1, 3.5});
    sample_run_end(&sample, 2000, NULL);
    csv = write_csv(&sample.run);
    assert_string_equal(csv, "time_s,kind,name,value\n0.000,level,standby,1\n"
                             "0.000,level,\"use\"\"ful\",2\n1.500,level,\"use\"\"ful\",3.5\n"
                             "2.000,end,,0\n");
    free(csv);
    sample_run_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_there),
        cmocka_unit_test(test_only_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
