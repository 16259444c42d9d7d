/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/sensitivity_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "reports/figure.h"
#include "reports/named_rows.h"
#include "reports/palette.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/text_cell.h"
#include "reports/value_label.h"
#include "sim/analysis/study_effects.h"

#define NOTE_CHARS 140
#define HEAD_PX                                                                         \
    40.0 /* from the head to the bars: lines of the note, names of columns              \
          */
#define ROW_PX 52.0
#define FOOT_PX 62.0
#define NAME_CHARS 34
#define NAME_GAP_PX 12.0
#define SHARE_PX 138.0 /* a column of shares */
#define BAR_PX 16.0
#define MAX_BARS 30
#define LEVEL_BYTES (2 * SPOT_VALUE_LABEL_BYTES + 8)

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id;
    const spot_metric_t *metric;
    spot_shown_unit_t shown; /* factor 100 for percent */
    const spot_study_effects_t *effects;
    size_t *order; /* [num_keys] */
    size_t num_bars;
    spot_figure_t figure;
    spot_named_rows_t rows; /* the bars */
    spot_panel_t panel;
} sensitivity_plot_t;

static const char *
method_name(const spot_study_effects_t *effects)
{
    static const char *const names[] = {[SPOT_EFFECTS_FULL] = "analysis of variance",
        [SPOT_EFFECTS_PARTIAL] = "correlation ratio of an incomplete grid",
        [SPOT_EFFECTS_SAMPLED] = "correlation ratio of a sampled plan"};

    return effects->has_indices ? "Sobol indices" : names[effects->effects.kind];
}

static const spot_axis_t *
axis_of(const sensitivity_plot_t *self, size_t key_id)
{
    return &self->head->axes[self->effects->axis_ids[key_id]];
}

static const spot_key_effect_t *
key_at(const sensitivity_plot_t *self, size_t place)
{
    return &self->effects->effects.keys[self->order[place]];
}

/* "0.5", or the part of a range "0.31 to 0.5". */
static void
level_text(const sensitivity_plot_t *self, size_t key_id, size_t level_id,
    char text[LEVEL_BYTES])
{
    const size_t place = key_id * self->effects->max_levels + level_id;
    const size_t first = self->effects->first_values[place];
    const size_t last = self->effects->last_values[place];
    const spot_axis_t *axis = axis_of(self, key_id);
    char label[SPOT_VALUE_LABEL_BYTES];

    if (first == last) {
        snprintf(text, LEVEL_BYTES, "%s", spot_value_label(axis, first, label));
    } else {
        char low[SPOT_LABEL_BYTES], high[SPOT_LABEL_BYTES];

        (void) spot_short_number(axis->numbers[first], low);
        (void) spot_short_number(axis->numbers[last], high);
        snprintf(text, LEVEL_BYTES, "%s to %s%s%s", low, high,
            axis->unit[0] == '\0' ? "" : " ", axis->unit);
    }
}

/* "4 % at 0, 90 % at 0.5". */
static void
ends_text(const sensitivity_plot_t *self, size_t place, char *text, size_t num_bytes)
{
    const size_t key_id = self->order[place];
    const spot_key_effect_t *key = key_at(self, place);
    char low[SPOT_WORDS_BYTES], high[SPOT_WORDS_BYTES];
    char low_level[LEVEL_BYTES], high_level[LEVEL_BYTES];

    const bool is_number = isfinite(axis_of(self, key_id)->numbers[0]);
    const char *at = is_number ? "at" : "with";

    spot_metric_pair_words(
        self->metric, key->means[key->low_id], key->means[key->high_id], low, high);
    level_text(self, key_id, key->low_id, low_level);
    level_text(self, key_id, key->high_id, high_level);
    snprintf(
        text, num_bytes, "%s %s %s, %s %s %s", low, at, low_level, high, at, high_level);
}

/* "97 %" in percent; a share that is a little below 0 is none. */
static double
percent_of(double share)
{
    return 100 * fmin(fmax(share, 0), 1);
}

/* "97 % (95 to 98)"; "-" where there is none. */
static void
share_text(const spot_sensitivity_index_t *share, char text[SPOT_WORDS_BYTES])
{
    const double width = share->ci_high - share->ci_low;
    const int num_decimals = width < 0.02 || fabs(share->value) < 0.01 ? 1 : 0;

    if (!isfinite(share->value)) {
        snprintf(text, SPOT_WORDS_BYTES, "-");
    } else if (isfinite(width)) {
        snprintf(text, SPOT_WORDS_BYTES, "%.*f %% (%.*f to %.*f)", num_decimals,
            percent_of(share->value), num_decimals, percent_of(share->ci_low),
            num_decimals, percent_of(share->ci_high));
    } else {
        snprintf(
            text, SPOT_WORDS_BYTES, "%.*f %%", num_decimals, percent_of(share->value));
    }
}

static bool
has_totals(const sensitivity_plot_t *self)
{
    return isfinite(key_at(self, 0)->total.value);
}

/* ---- Reading ---- */

static int
init(sensitivity_plot_t *self, const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    int ret;

    *self = (sensitivity_plot_t){
        .report = report, .head = head, .metric_id = spot_main_metric(head)};
    self->metric = &head->metrics[self->metric_id];
    ret = spot_report_effects(report, self->metric_id, &self->effects);
    if (ret == 0) {
        self->order = spot_calloc(self->effects->effects.num_keys, sizeof(*self->order));
        ret = self->order == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        spot_study_effects_order(self->effects, self->order);
        self->num_bars = self->effects->effects.num_keys;
        self->num_bars = self->num_bars < MAX_BARS ? self->num_bars : MAX_BARS;
    }
    return ret;
}

static void
release(sensitivity_plot_t *self)
{
    free(self->order);
}

const char *
spot_sensitivity_plot_problem(const spot_report_t *report)
{
    const size_t metric_id = spot_main_metric(report->head);
    const char *problem = spot_study_effects_problem(report->head);

    if (report->head->num_metrics == 0) {
        return "the study kept no metrics";
    }
    if (report->min_rows == 0) {
        return "not all points have replications yet";
    }
    return problem != NULL ? problem : spot_metrics_problem(report, 1, &metric_id);
}

/* ---- The picture ---- */

static void
row_words(const void *context, size_t row_id, char words[SPOT_POINT_BYTES])
{
    const sensitivity_plot_t *self = context;

    spot_key_words(axis_of(self, self->order[row_id]), words);
    spot_figure_cut(words, NAME_CHARS);
}

static void
choose_panel(sensitivity_plot_t *self)
{
    const size_t num_columns = self->effects->outcome == 0 && has_totals(self) ? 2 : 1;
    double high = 0;

    for (size_t j = 0; j < self->num_bars; j++) {
        const spot_sensitivity_index_t *range = &key_at(self, j)->range;

        high = fmax(high, fmax(range->value, range->ci_high)); /* skips NAN */
    }
    self->shown = spot_metric_shown(self->metric, high);
    self->rows = (spot_named_rows_t){self->num_bars, NAME_GAP_PX, row_words, self};
    self->panel = spot_named_rows_panel(&self->rows,
        spot_study_head_px(self->head) + HEAD_PX, ROW_PX, 0,
        high > 0 ? spot_scale_around(0, self->shown.factor * high, 6).high : 1);
    self->panel.width_px = SPOT_STUDY_WIDTH_PX - SPOT_STUDY_MARGIN_PX -
                           self->panel.left_px - 20 - SHARE_PX * (double) num_columns;
}

static void
draw_head(const sensitivity_plot_t *self)
{
    char note[SPOT_NOTE_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];
    const char *outcome = spot_study_effects_outcome(self->effects);

    snprintf(note, sizeof(note),
        "%s · %" PRId64 " replications at each point · seed %" PRIu64 " · %s%s",
        spot_utf8_shown(self->head->name, shown), self->effects->num_replications,
        self->head->seed,
        outcome == NULL ? "shares of the variance between points: " : "no effects: ",
        outcome == NULL ? method_name(self->effects) : outcome);
    spot_study_head_draw_title(&self->figure, self->head);
    spot_figure_paragraph(&self->figure, SPOT_STUDY_MARGIN_PX,
        spot_study_head_px(self->head) - 8, SPOT_TEXT_NOTE, NOTE_CHARS, note);
}

/* The left edge of a column of shares. */
static double
column_px(const sensitivity_plot_t *self, size_t column)
{
    return self->panel.left_px + self->panel.width_px + 20 +
           SHARE_PX * (double) (column + 1);
}

static void
draw_share(const sensitivity_plot_t *self, const spot_sensitivity_index_t *share,
    size_t column, double y_px)
{
    char text[SPOT_WORDS_BYTES];

    share_text(share, text);
    spot_figure_text(&self->figure, column_px(self, column), y_px, SPOT_TEXT_LABEL,
        SPOT_ALIGN_RIGHT, text);
}

static void
draw_row(const sensitivity_plot_t *self, size_t place)
{
    const spot_panel_t *panel = &self->panel;
    const double y_px = spot_panel_y_px(panel, (double) place + 0.5) - 9;
    char ends[SPOT_POINT_BYTES * 2];

    spot_named_rows_name(&self->rows, &self->figure, panel, place, y_px);
    ends_text(self, place, ends, sizeof(ends));
    spot_figure_cut(ends, (size_t) ((SPOT_STUDY_WIDTH_PX - panel->left_px) / 6));
    spot_figure_text(&self->figure, panel->left_px + 4, y_px + 19, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, ends);
    draw_share(self, &key_at(self, place)->share, 0, y_px);
    if (has_totals(self)) {
        draw_share(self, &key_at(self, place)->total, 1, y_px);
    }
}

static void
draw_names(const sensitivity_plot_t *self)
{
    const spot_panel_t *panel = &self->panel;
    char name[SPOT_WORDS_BYTES * 2 + 64], words[SPOT_WORDS_BYTES];

    if (self->shown.factor == 100) {
        spot_metric_subject(self->metric, words);
    } else {
        spot_metric_words_in(self->metric, self->shown.unit, words);
    }
    snprintf(name, sizeof(name), "how far a key moves %s%s", words,
        self->shown.factor == 100 ? " (percentage points)" : "");
    spot_figure_x_name(&self->figure, panel, 38, name);
    spot_figure_text(&self->figure, column_px(self, 0), panel->top_px - 12,
        SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT,
        has_totals(self) ? "share alone" : "share of variance");
    if (has_totals(self)) {
        spot_figure_text(&self->figure, column_px(self, 1), panel->top_px - 12,
            SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, "with others");
    }
}

static void
draw_bars(const sensitivity_plot_t *self)
{
    const double half = BAR_PX / ROW_PX / 2, lift = 9 / ROW_PX;
    FILE *out = self->figure.out;
    size_t num_intervals = 0;

    fputs("$bars << EOD\n", out);
    for (size_t j = 0; j < self->num_bars; j++) {
        const double value = self->shown.factor * key_at(self, j)->range.value;
        const double y = (double) j + 0.5 - lift;

        fprintf(out, "%.6g %.6g 0 %.6g %.6g %.6g\n", value / 2, y, value, y - half,
            y + half);
    }
    fputs("EOD\n$intervals << EOD\n", out);
    for (size_t j = 0; j < self->num_bars; j++) {
        const spot_sensitivity_index_t *range = &key_at(self, j)->range;

        if (range->ci_high > range->ci_low) {
            fprintf(out, "%.6g %.6g %.6g %.6g\n", self->shown.factor * range->value,
                (double) j + 0.5 - lift, self->shown.factor * fmax(range->ci_low, 0),
                self->shown.factor * range->ci_high);
            num_intervals++;
        }
    }
    fprintf(out,
        "EOD\nset bars 0.5\nplot $bars using 1:2:3:4:5:6 with boxxyerror fillcolor rgb "
        "'%s' fillstyle solid 1 noborder",
        SPOT_INK_ACCENT);
    if (num_intervals > 0) {
        fprintf(out,
            ", \\\n$intervals using 1:2:3:4 with xerrorbars pt -1 lw 1.6 lc rgb '%s'",
            SPOT_INK);
    }
    fputc('\n', out);
}

static void
write_picture(sensitivity_plot_t *self, const char *picture_path, FILE *out)
{
    const bool is_known = self->effects->outcome == 0;

    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
        self->panel.top_px + (is_known ? self->panel.height_px + FOOT_PX : 0),
        picture_path);
    draw_head(self);
    if (is_known) {
        for (size_t j = 0; j < self->num_bars; j++) {
            draw_row(self, j);
        }
        draw_names(self);
        spot_named_rows_grid(&self->figure);
        fprintf(out, "set xtics 0,%.6g format '%%g'\n",
            spot_scale_around(0, self->panel.x_high, 6).step);
        spot_figure_panel(&self->figure, &self->panel, "");
        draw_bars(self);
    } else { /* a plot draws the texts */
        fputs("unset border\nunset tics\nplot [0:1][0:1] NaN\n", out);
    }
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

int
spot_sensitivity_plot_script(
    const spot_report_t *report, const char *svg_path, FILE *out)
{
    sensitivity_plot_t self;
    int ret = init(&self, report);

    if (ret == 0) {
        choose_panel(&self);
        write_picture(&self, svg_path, out);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    release(&self);
    return ret;
}

/* ---- CSV, text ---- */

static void
write_csv_index(const spot_sensitivity_index_t *index, bool is_known, FILE *out)
{
    spot_csv_field_number(out, is_known ? index->value : (double) NAN);
    spot_csv_field_number(out, is_known ? index->ci_low : (double) NAN);
    spot_csv_field_number(out, is_known ? index->ci_high : (double) NAN);
}

static void
write_csv_key(const sensitivity_plot_t *self, size_t place, FILE *out)
{
    const spot_key_effect_t *key = key_at(self, place);
    const bool is_known = self->effects->outcome == 0;
    char level[LEVEL_BYTES] = "";

    spot_csv_field_text(out, self->metric->name);
    fputc(',', out);
    spot_csv_field_text(out, self->metric->unit);
    fputc(',', out);
    spot_csv_field_text(out, axis_of(self, self->order[place])->path);
    fputc(',', out);
    if (is_known) {
        level_text(self, self->order[place], key->low_id, level);
    }
    spot_csv_field_text(out, level);
    spot_csv_field_number(out, is_known ? key->means[key->low_id] : (double) NAN);
    fputc(',', out);
    if (is_known) {
        level_text(self, self->order[place], key->high_id, level);
    }
    spot_csv_field_text(out, level);
    spot_csv_field_number(out, is_known ? key->means[key->high_id] : (double) NAN);
    write_csv_index(&key->range, is_known, out);
    write_csv_index(&key->share, is_known, out);
    write_csv_index(&key->total, is_known, out);
    fputc(',', out);
    spot_csv_field_text(out, is_known ? method_name(self->effects)
                                      : spot_study_effects_outcome(self->effects));
    fputc('\n', out);
}

int
spot_sensitivity_plot_csv(const spot_report_t *report, FILE *out)
{
    sensitivity_plot_t self;
    int ret = init(&self, report);

    fputs("metric,unit,key,lowest_at,lowest,highest_at,highest,range,range_ci95_low,"
          "range_ci95_high,share,share_ci95_low,share_ci95_high,total,total_ci95_low,"
          "total_ci95_high,method\n",
        out);
    for (size_t j = 0; ret == 0 && j < self.effects->effects.num_keys; j++) {
        write_csv_key(&self, j, out);
    }
    release(&self);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* "per minute   94 %   4 % at 0, 90 % at 0.5". */
static void
write_lines(const sensitivity_plot_t *self, FILE *out)
{
    char words[SPOT_WORDS_BYTES], share[SPOT_WORDS_BYTES], ends[SPOT_POINT_BYTES * 2];
    int width = 0, share_width = 0;

    for (size_t j = 0; j < self->num_bars; j++) {
        spot_key_words(axis_of(self, self->order[j]), words);
        spot_text_widen(&width, words);
        share_text(&key_at(self, j)->share, share);
        spot_text_widen(&share_width, share);
    }
    for (size_t j = 0; j < self->num_bars; j++) {
        spot_key_words(axis_of(self, self->order[j]), words);
        share_text(&key_at(self, j)->share, share);
        ends_text(self, j, ends, sizeof(ends));
        spot_text_cell(out, words, strlen(words), width);
        fputs("  ", out);
        spot_text_cell(out, share, strlen(share), share_width);
        fputs("  ", out);
        spot_text_write(out, ends);
        fputc('\n', out);
    }
}

int
spot_sensitivity_plot_text(const spot_report_t *report, FILE *out)
{
    sensitivity_plot_t self;
    int ret = init(&self, report);

    if (ret == 0 && self.effects->outcome != 0) {
        fprintf(out, "no effects on %s: %s\n", self.metric->name,
            spot_study_effects_outcome(self.effects));
    } else if (ret == 0) {
        fprintf(out,
            "effects on %s, with the share of the variance between points (%s)\n",
            self.metric->name, method_name(self.effects));
        write_lines(&self, out);
    }
    release(&self);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

void
spot_sensitivity_plot_describe(const spot_report_t *report, FILE *out)
{
    sensitivity_plot_t self;
    char words[SPOT_WORDS_BYTES], share[SPOT_WORDS_BYTES];
    const int ret = init(&self, report);

    if (ret == 0 && self.effects->outcome != 0) {
        fprintf(out, "How far each key moves %s is not known: %s.", self.metric->name,
            spot_study_effects_outcome(self.effects));
    } else if (ret == 0) {
        char ends[SPOT_POINT_BYTES * 2];

        share_text(&key_at(&self, 0)->share, share);
        ends_text(&self, 0, ends, sizeof(ends));
        fputs("How far each key moves ", out);
        spot_metric_subject(self.metric, words);
        fprintf(out, "%s, averaged over all others; most does ", words);
        spot_key_words(axis_of(&self, self.order[0]), words);
        spot_text_write(out, words);
        fputs(": ", out);
        spot_text_write(out, ends);
        fprintf(out,
            "; the share of the variance between points that it explains alone is %s.",
            share);
    }
    release(&self);
}
