/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/draw.h"
#include "tests/unit/chart/random_chart.h"

#define NUM_CHARTS 40

/* The script of a declaration; the caller frees. */
static char *write_script(spot_declare_t declare, const void *context)
{
    char *script = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&script, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_draw_script(declare, context, "picture.svg", out), 0);
    assert_int_equal(fclose(out), 0);
    return script;
}

static int declare_texts(spot_chart_t *chart, const void *context)
{
    (void) context;
    spot_chart_title(chart, "%s", "it's\nsystem('touch hacked')");
    spot_chart_panel(chart, &(spot_chart_panel_t){.title = "a\nEOD\nsystem('touch hacked')",
                                .y = {.kind = SPOT_CHART_ROWS}});
    (void) spot_chart_row(chart, &(spot_chart_row_t){.name = "EOD\r\nexit"});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS,
                                 .name = "`touch hacked`\n!touch hacked",
                                 .colour = "'; system('touch hacked')"});
    spot_chart_add_xy(chart, 1, 0);
    return spot_chart_error(chart);
}

/* A line end in a name would end the command or the data, and what follows would be run.
 */
static void texts_stay_texts(void **state)
{
    char *script = write_script(declare_texts, NULL);

    (void) state;
    assert_non_null(strstr(script, "'it’s system(’touch hacked’)'"));
    assert_non_null(strstr(script, "'EOD  exit'"));
    for (const char *line = script; line != NULL && *line != '\0';) {
        assert_true(strncmp(line, "system", 6) != 0 && strncmp(line, "exit", 4) != 0);
        assert_true(*line != '!');
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    assert_null(strstr(script, "rgb ''"));
    free(script);
}

static int declare_random(spot_chart_t *chart, const void *context)
{
    const unsigned *seed = context;

    random_chart_declare(chart, *seed);
    return spot_chart_error(chart);
}

/* Any declaration is a script that gnuplot runs, where gnuplot is. */
static void gnuplot_runs_them(void **state)
{
    (void) state;
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        skip();
    }
    (void) signal(SIGPIPE, SIG_IGN); /* gnuplot may end early: a failure, not an end */
    for (unsigned seed = 0; seed < NUM_CHARTS; seed++) {
        char *script = write_script(declare_random, &seed);
        FILE *gnuplot = popen("gnuplot -d - >/dev/null 2>&1", "w");
        assert_non_null(gnuplot);
        /* The picture goes nowhere. */
        for (const char *line = script; *line != '\0';) {
            const size_t length = strcspn(line, "\n") + 1;

            if (strncmp(line, "set output", 10) != 0) {
                fwrite(line, 1, length, gnuplot);
            }
            line += length;
        }
        if (pclose(gnuplot) != 0) {
            fail_msg("gnuplot does not run the script of chart %u", seed);
        }
        free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_texts),
        cmocka_unit_test(gnuplot_runs_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
