/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/chart/random_chart.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/chart/svg.h"

#define LONG_NAME                                                                                  \
    "a name that nobody would ever choose, since it is by far too long for any label "             \
    "of any picture, but people do"

typedef struct {
    uint64_t state;
} dice_t;

/* Below limit: a plain generator, as charts need no better one. */
static unsigned throw(dice_t * dice, unsigned limit)
{
    dice->state = dice->state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned) (dice->state >> 33) % limit;
}

static bool is_one_in(dice_t *dice, unsigned num)
{
    return throw(dice, num) == 0;
}

static const char *words(dice_t *dice)
{
    static const char *const all[] = {"idle", "goodput", "usd per hour",
        "probability of a preemption event per minute", "a", "90 s, 16, 32", "<b a=\"1\">&'",
        "two\nlines", "\xef\xbf\xbe no character", "\xff no text", "größer als 5 °C", LONG_NAME,
        "\xe2\x80\xae turned", "EOD", "'; system('true')", "", "x"};

    return all[throw(dice, sizeof(all) / sizeof(all[0]))];
}

static const char *maybe_words(dice_t *dice)
{
    return is_one_in(dice, 2) ? words(dice) : NULL;
}

static double number(dice_t *dice)
{
    static const double odd[] = {0, -1, 1e-320, 1e300, -1e300, 5e6, 3};
    const double share = throw(dice, 100000) / 99999.0;

    return is_one_in(dice, 60)   ? (double) NAN
           : is_one_in(dice, 60) ? odd[throw(dice, 7)]
                                 : 100 * share;
}

static spot_chart_axis_t axis(dice_t *dice, bool may_have_rows)
{
    spot_chart_axis_t axis = {.kind = (spot_chart_scale_kind_t) throw(dice, 2),
        .unit = (spot_chart_unit_t) throw(dice, 4),
        .name = maybe_words(dice),
        .has_zero = is_one_in(dice, 3),
        .is_hidden = is_one_in(dice, 9),
        .group = (int) throw(dice, 3)};

    if (may_have_rows && is_one_in(dice, 4)) {
        axis.kind = SPOT_CHART_ROWS;
        axis.group = 0;
    }
    if (is_one_in(dice, 4)) {
        axis.low = number(dice);
        axis.high = number(dice);
    }
    return axis;
}

static void declare_series(
    spot_chart_t *chart, dice_t *dice, const spot_chart_axis_t *x, bool has_rows)
{
    static const char *const colours[] = {NULL, "#0072b2", "#f0e442", "no colour", "#000000"};
    const spot_chart_kind_t kind = has_rows
                                       ? (is_one_in(dice, 2) ? SPOT_CHART_BARS : SPOT_CHART_SPANS)
                                       : (spot_chart_kind_t) throw(dice, 8);
    const unsigned num_data = is_one_in(dice, 20) ? 2000 : throw(dice, 30);

    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = kind,
                   .name = maybe_words(dice),
                   .colour = colours[throw(dice, 5)],
                   .side = is_one_in(dice, 6) ? words(dice) : NULL,
                   .name_at = (spot_chart_name_t) throw(dice, 4),
                   .marker = (spot_chart_marker_t) throw(dice, SPOT_CHART_NUM_MARKERS),
                   .is_hollow = is_one_in(dice, 3),
                   .dash = (spot_chart_dash_t) throw(dice, 3),
                   .is_alone = is_one_in(dice, 3),
                   .is_faint = is_one_in(dice, 3)});
    for (unsigned j = 0; j < num_data; j++) {
        const double x_value = x->kind == SPOT_CHART_ROWS ? throw(dice, 5) : j;
        const double y = has_rows ? throw(dice, 6) : number(dice);

        spot_chart_add(chart, &(spot_chart_datum_t){.x = has_rows ? number(dice) : x_value,
                                  .y = y,
                                  .x_low = number(dice),
                                  .x_high = number(dice),
                                  .y_low = y - number(dice) / 10,
                                  .y_high = is_one_in(dice, 2) ? y + number(dice) / 10 : 0,
                                  .label = is_one_in(dice, 5) ? words(dice) : NULL,
                                  .hover = is_one_in(dice, 5) ? words(dice) : NULL,
                                  .colour = is_one_in(dice, 9) ? colours[throw(dice, 5)] : NULL,
                                  .is_hollow = is_one_in(dice, 5)});
    }
}

static void declare_panel(spot_chart_t *chart, dice_t *dice)
{
    const spot_chart_panel_t panel = {.title = maybe_words(dice),
        .x = axis(dice, true),
        .y = axis(dice, true),
        .second_name = maybe_words(dice),
        .note = maybe_words(dice),
        .empty = is_one_in(dice, 12) ? words(dice) : NULL,
        .is_below = is_one_in(dice, 3),
        .is_square = is_one_in(dice, 9),
        .height_px = is_one_in(dice, 3) ? 20 + throw(dice, 300) : 0,
        .side_names = {maybe_words(dice), maybe_words(dice)}};
    const bool has_rows = panel.y.kind == SPOT_CHART_ROWS;

    spot_chart_panel(chart, &panel);
    for (unsigned j = throw(dice, 7); j-- > 0;) {
        (void) spot_chart_row(chart, &(spot_chart_row_t){.name = words(dice),
                                         .heading = is_one_in(dice, 5) ? words(dice) : NULL,
                                         .note = is_one_in(dice, 5) ? words(dice) : NULL,
                                         .empty = is_one_in(dice, 9) ? words(dice) : NULL,
                                         .sides = {is_one_in(dice, 3) ? words(dice) : NULL,
                                             is_one_in(dice, 3) ? words(dice) : NULL}});
    }
    for (unsigned j = is_one_in(dice, 3) ? throw(dice, 20) : 0; j-- > 0;) {
        spot_chart_tick(chart, number(dice), words(dice), maybe_words(dice));
    }
    for (unsigned j = throw(dice, 6); j-- > 0;) {
        declare_series(chart, dice, &panel.x, has_rows);
    }
    for (unsigned j = throw(dice, 3); j-- > 0;) {
        spot_chart_rule(
            chart, &(spot_chart_rule_t){.direction = (spot_chart_direction_t) throw(dice, 3),
                       .at = number(dice),
                       .name = maybe_words(dice),
                       .dash = (spot_chart_dash_t) throw(dice, 3)});
    }
}

void random_chart_declare(spot_chart_t *chart, unsigned seed)
{
    dice_t dice = {seed * 7919U + 1};

    spot_chart_title(chart, "%s", words(&dice));
    for (unsigned j = throw(&dice, 3); j-- > 0;) {
        spot_chart_note(chart, "%s", words(&dice));
        spot_chart_foot(chart, "%s", words(&dice));
    }
    spot_chart_describe(chart, "%s", words(&dice));
    for (unsigned j = throw(&dice, 5); j-- > 0;) {
        declare_panel(chart, &dice);
    }
    for (unsigned j = is_one_in(&dice, 3) ? throw(&dice, 8) : 0; j-- > 0;) {
        spot_chart_legend(
            chart, &(spot_chart_entry_t){.text = words(&dice),
                       .side = is_one_in(&dice, 3) ? words(&dice) : NULL,
                       .is_heading = is_one_in(&dice, 5),
                       .sign = is_one_in(&dice, 5) ? "7" : NULL,
                       .marker = (spot_chart_marker_t) throw(&dice, SPOT_CHART_NUM_MARKERS)});
    }
}

char *random_chart_svg(unsigned seed, double width_px, bool is_inline)
{
    spot_chart_t *chart = spot_chart_new();
    char *svg = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&svg, &num_bytes);
    int ret = -1;

    if (chart != NULL && out != NULL) {
        random_chart_declare(chart, seed);
        ret = is_inline ? spot_chart_svg_inline(chart, width_px, seed % 2 == 0, out)
                        : spot_chart_svg(chart, width_px, out);
    }
    spot_chart_free(chart);
    if (out != NULL) {
        fclose(out);
    }
    if (ret != 0) {
        free(svg);
        return NULL;
    }
    return svg;
}
