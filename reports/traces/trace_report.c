/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/table/document.h"
#include "reports/table/table_terminal.h"
#include "reports/traces/trace_figures.h"
#include "reports/words.h"
#include "traces/describe/hours.h"

/* ---- Texts in which "{NAME:FORM}" is a figure ---- */

/* The figure with the name prefix + name, or one that only the text has; NAN: undefined,
 * as some figures of spells. */
static double figure(
    const spot_describe_t *self, const char *prefix, const char *name, int num_bytes)
{
    char text[64];

    snprintf(text, sizeof(text), "%s%.*s", prefix, num_bytes, name);
    if (strcmp(text, "time_per_event_s") == 0) {
        return spot_describe_spread_s(self->span_h, self->preempt_events);
    }
    if (strcmp(text, "time_per_death_s") == 0) {
        return self->life.deaths_per_s > 0 ? 1 / self->life.deaths_per_s : (double) NAN;
    }
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        if (strcmp(spot_describe_figures[j].name, text) == 0) {
            return spot_describe_figure_value(self, &spot_describe_figures[j]);
        }
    }
    return (double) NAN;
}

/* FORM is a number of decimals, % and a number of decimals of a percentage, g for two
 * digits, n for a count that is 0 where undefined, x for the shortest text, s for
 * seconds (one decimal unless whole, three digits below 1 s), or p for "s" unless the
 * figure is 1. What else is undefined is "-". */
static void write_value(double value, const char *form, FILE *out)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (*form == 'p') {
        fputs(value == 1 ? "" : "s", out);
    } else if (isnan(value)) {
        fputc(*form == 'n' ? '0' : '-', out);
    } else if (*form == 'x') {
        spot_number_text(value, text);
        fputs(text, out);
    } else if (*form == '%') {
        fprintf(out, "%.*f", form[1] - '0', 100 * value);
    } else if (*form == 'g') {
        fprintf(out, "%.2g", value);
    } else if (*form != 's') {
        fprintf(out, "%.*f", *form == 'n' ? 0 : *form - '0', value);
    } else if (fabs(value) > 0 && fabs(value) < 1) {
        fprintf(out, "%.3g", value);
    } else {
        fprintf(out, "%.*f", round(10 * value) == 10 * round(value) ? 0 : 1, value);
    }
}

/* "{obtainable}" is that word where instances are only obtainable. */
static void write_text(const spot_describe_t *self, const char *prefix, const char *text, FILE *out)
{
    static const char obtainable[] = "{obtainable}";

    for (const char *byte = text; *byte != '\0'; byte++) {
        if (strncmp(byte, obtainable, sizeof(obtainable) - 1) == 0) {
            fputs(self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable " : "", out);
            byte += sizeof(obtainable) - 2;
        } else if (*byte == '{') {
            const int num_bytes = (int) strcspn(++byte, ":");

            write_value(figure(self, prefix, byte, num_bytes), byte + num_bytes + 1, out);
            byte += strcspn(byte, "}");
        } else {
            fputc(*byte, out);
        }
    }
}

/* ---- The lines ---- */

/* The labels of kind availability differ, as no instance runs. */
typedef struct {
    const char *labels[2]; /* by whether the instances are only obtainable */
    const char *text;
} line_t;

static void print_lines(
    const spot_describe_t *self, size_t num_lines, const line_t *lines, FILE *out)
{
    const bool is_obtainable = self->kind == SPOT_TRACE_AVAILABILITY;

    for (size_t j = 0; j < num_lines; j++) {
        fprintf(out, "%-13s", lines[j].labels[is_obtainable]);
        write_text(self, "", lines[j].text, out);
        fputc('\n', out);
    }
}

static int print_gaps(const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out)
{
    static const char *const columns[][2] = {{"n", "{_n:n}"}, {"mean", "{_mean_s:s}"},
        {"sd", "{_sd_s:s}"}, {"CV", "{_cv:2}"}, {"median", "{_median_s:s}"}, {"ACF1", "{_acf1:2}"},
        {"LB5 p", "{_ljungbox5_p:2}"}};
    static const struct {
        const char *labels[2], *prefix;
    } rows[] = {{{"  preempt", "  fewer"}, "preempt_gap"}, {{"  add", "  more"}, "add_gap"},
        {{"  any change", "  any change"}, "change_gap"},
        {{"  up spell", "  up spell"}, "up_spell"},
        {{"  down spell", "  down spell"}, "down_spell"}};
    const bool has_spells = !isnan(self->up_spell.n) || !isnan(self->down_spell.n);
    spot_table_t table = {0};
    int ret;

    spot_table_add_column(
        &table, (spot_table_column_t){.name = "gaps (s)", .kind = SPOT_TABLE_TEXT});
    for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = columns[k][0]});
    }
    for (size_t j = 0; j < (has_spells ? 5 : 3); j++) {
        spot_table_add_row(&table);
        spot_table_add_text(&table, rows[j].labels[self->kind == SPOT_TRACE_AVAILABILITY]);
        for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
            FILE *stream = spot_table_begin_text(&table);

            if (stream != NULL) {
                write_text(self, rows[j].prefix, columns[k][1], stream);
            }
            spot_table_end_cell(&table, stream);
        }
    }
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

static const char *lifetimes_text(const spot_describe_t *self)
{
    return self->kind == SPOT_TRACE_AVAILABILITY ? "- (nothing ran)"
           : isnan(self->life.n)                 ? "- (instances have no names)"
                                                 : "{life_n:0}: {life_preempted:0} preempted, "
                                                   "{life_censored:0} censored; median {life_km_median_s:s} s "
                                                   "(Kaplan-Meier); time/preemptions {time_per_death_s:s} s";
}

static const char *time_of_day_text(const spot_describe_t *self)
{
    return !isnan(self->day_rayleigh_r)
               ? "r {day_rayleigh_r:2}, p {day_rayleigh_p:g} (optimistic under bursts), "
                 "peak {day_peak_h:1} h after the start"
           : strcmp(self->start, "unknown") == 0 ? "- (start unknown)"
           : self->span_h < 48                   ? "- (less than 2 days)"
                                                 : "- (fewer than 10 events in whole days)";
}

int spot_describe_print(const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const line_t before[] = {
        {{"population", "obtainable"}, "capacity {capacity:0}, mean {mean_n:2}, min {min_n:0}, max "
                                       "{max_n:0}, full {frac_full:%1} %, empty {frac_empty:%1} %"},
        {{"preemptions", "fewer"},
            "{preempt_events:0} event{preempt_events:p}, {preempted:0} "
            "instance{preempted:p}, size {preempt_count_mean:2} (VMR "
            "{preempt_count_vmr:2}, max {preempt_count_max:0}, ones "
            "{preempt_count_share_one:%0} %), {preempted_per_instance_h:3} per "
            "{obtainable}instance-hour"},
        {{"additions", "more"},
            "{add_events:0} event{add_events:p}, {added:0} instance{added:p}, size "
            "{add_count_mean:2} (VMR {add_count_vmr:2}, max {add_count_max:0}, ones "
            "{add_count_share_one:%0} %)"}};
    const line_t behind[] = {
        {{"MTBP", "mean gap"}, "{preempt_gap_mean_s:s} s at a resolution of "
                               "{resolution_s:x} s; T/events {time_per_event_s:s} s"},
        {{"lifetimes", "lifetimes"}, lifetimes_text(self)},
        {{"Fano", "Fano"},
            "instances {fano_instances_10min:2} (10 min), {fano_instances_1h:2} (1 h)"},
        {{"time of day", "time of day"}, time_of_day_text(self)}};
    const line_t of_lives[] = {{{"lifetimes"}, lifetimes_text(self)},
        {{"preempted"}, "mean {life_mean_observed_s:s} s, sd {life_sd_observed_s:s} s; "
                        "restricted mean of all {life_restricted_mean_s:s} s"}};
    int ret = 0;

    spot_utf8_print(out, self->name);
    fprintf(out, "   %s%s, ", spot_describe_kind(self),
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "");
    if (self->is_lifetimes) {
        fprintf(out, "start %s\n", self->start);
        print_lines(self, 2, of_lives, out);
        return 0;
    }
    write_text(self, "", "resolution {resolution_s:x} s, start ", out);
    fputs(self->start, out);
    write_text(self, "", ", {span_h:2} h\n", out);
    if (self->is_unbounded) {
        fputs("unbounded: the capacity is taken as the largest number\n", out);
    }
    print_lines(self, sizeof(before) / sizeof(before[0]), before, out);
    ret = print_gaps(self, terminal, out);
    print_lines(self, sizeof(behind) / sizeof(behind[0]), behind, out);
    return ret;
}

/* ---- Comparison table ---- */

/* Unit of a metric; instances are obtainable in a trace of kind availability. */
static const char *unit_of(const spot_comparison_t *self, int metric_id)
{
    const char *unit = spot_fidelity_metrics[metric_id].unit;

    return self->kind == SPOT_TRACE_AVAILABILITY && strcmp(unit, "instances") == 0 ? "obtainable"
           : strcmp(unit, "1") == 0                                                ? ""
                                                                                   : unit;
}

static const char *number_text(spot_texts_t *texts, double value, int num_digits)
{
    return isnan(value)                         ? "-"
           : fabs(value) >= pow(10, num_digits) ? spot_texts_add(texts, "%.0f", value)
                                                : spot_texts_add(texts, "%.*g", num_digits, value);
}

/* "0.184"; of a model "0.0821 (0.0274)", with a reference "0.0821 (0.0274) z   0.4". */
static const char *cell_text(
    spot_texts_t *texts, const spot_comparison_column_t *column, int metric_id)
{
    const bool is_itself = column->kind == SPOT_COMPARISON_COLUMN_RECORDED ||
                           column->kind == SPOT_COMPARISON_COLUMN_HALF;
    const bool is_known = !is_itself || metric_id < SPOT_FIDELITY_NUM_FIGURES;
    const char *text = number_text(texts, is_known ? column->means[metric_id] : (double) NAN, 4);

    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        text =
            spot_texts_add(texts, "%s (%s)", text, number_text(texts, column->sds[metric_id], 3));
    }
    if (column->has_reference && !isnan(column->zs[metric_id])) {
        text = spot_texts_add(texts, "%s z %5.1f", text, column->zs[metric_id]);
    }
    return text;
}

static void write_head(const spot_comparison_t *self, spot_document_t *document)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    const spot_comparison_column_t *last = &self->columns[self->num_columns - 1];
    char resolution[SPOT_NUMBER_TEXT_BYTES], tick[SPOT_NUMBER_TEXT_BYTES];
    bool has_reference = false;

    spot_number_text(self->resolution_s, resolution);
    spot_number_text((double) frame->tick_ms / (double) SPOT_MS_PER_S, tick);
    spot_document_paragraph(document, "%s   %s%s, resolution %s s, %.2f h, capacity %s%" PRId64,
        spot_words_shown(&document->texts, self->name), spot_trace_kind_names[self->kind],
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "", resolution,
        frame->end_ms / (double) SPOT_MS_PER_H, self->is_unbounded ? "unbounded, taken as " : "",
        frame->capacity);
    spot_document_paragraph(document, "all recorded at a tick of %s s, %s", tick,
        frame->is_net ? "only the net change of a tick" : "both directions of a tick");
    for (size_t j = 0; j < self->num_columns; j++) {
        has_reference = has_reference || self->columns[j].has_reference;
    }
    if (last->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        spot_document_paragraph(document,
            "models: mean (standard deviation%s) of %" PRId64 " replications, seed %" PRIu64,
            has_reference ? "; z: of the mean against the reference" : "", last->num_replications,
            self->seed);
    }
}

static void write_metrics(const spot_comparison_t *self, spot_document_t *document)
{
    spot_table_t table = {.name = "figures"};

    spot_table_add_column(
        &table, (spot_table_column_t){.name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "unit", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (size_t j = 0; j < self->num_columns; j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (j == SPOT_FIDELITY_NUM_FIGURES) {
            spot_table_add_heading(&table, "distance to the recorded trace, 0 = the same");
        }
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_fidelity_metrics[j].name);
        spot_table_add_text(&table, unit_of(self, j));
        for (size_t k = 0; k < self->num_columns; k++) {
            spot_table_add_text(&table, cell_text(&document->texts, &self->columns[k], j));
        }
    }
    spot_document_gap(document);
    spot_document_table(document, "figures", &table);
}

/* ---- Against the seed model ---- */

/* The ratio of each error of the seed model to that of each other model. */
static void write_gains(
    const spot_comparison_t *self, const spot_comparison_column_t *seed, spot_document_t *document)
{
    static const char marks[] = {'+', '=', '-', ' '};
    spot_table_t table = {.name = "errors"};

    spot_document_gap(document);
    spot_document_paragraph(document,
        "error of %s / error of the model: above 1 the model is better",
        spot_words_shown(&document->texts, seed->label));
    spot_document_paragraph(document, "(+ better, - worse, = within two standard errors)");
    spot_document_gap(document);
    spot_table_add_column(&table, (spot_table_column_t){.name = "error", .kind = SPOT_TABLE_TEXT});
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
        }
    }
    for (int k = 0; k < SPOT_NUM_ERRORS; k++) {
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_error_name(k));
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            double ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, k, &ratio);

            if (&self->columns[j] != seed) {
                spot_table_add_format(
                    &table, "%s %c", number_text(&document->texts, ratio, 3), marks[relation]);
            }
        }
    }
    spot_document_table(document, "errors", &table);
    spot_document_gap(document);
}

/* "block beats seed-corrected in 11 of 13 errors, is worse in 1; most in acf_n: 3.2
 * times smaller". */
static void write_gain_sentence(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *seed,
    spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    int num[SPOT_UNDEFINED + 1] = {0}, best_id = -1;
    double best = 0, ratio;

    for (int j = 0; j < SPOT_NUM_ERRORS; j++) {
        const spot_relation_t relation = spot_comparison_relate(self, column, seed, j, &ratio);

        num[relation]++;
        if (relation == SPOT_BETTER && ratio > best) {
            best = ratio;
            best_id = j;
        }
    }
    spot_document_paragraph(document, "%s beats %s in %d of %d errors, is worse in %d%s",
        spot_words_shown(texts, column->label), spot_words_shown(texts, seed->label),
        num[SPOT_BETTER], SPOT_NUM_ERRORS - num[SPOT_UNDEFINED], num[SPOT_WORSE],
        best_id < 0 ? ""
                    : spot_texts_add(texts, "; most in %s: %.3g times smaller",
                          spot_error_name(best_id), best));
}

int spot_comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    write_head(self, &document);
    write_metrics(self, &document);
    if (seed != NULL && self->num_columns >= SPOT_COMPARISON_FIRST + 2) {
        write_gains(self, seed, &document);
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            if (&self->columns[j] != seed) {
                write_gain_sentence(self, &self->columns[j], seed, &document);
            }
        }
    }
    spot_document_gap(&document);
    spot_document_note(&document,
        "half2-vs-half1 is the floor: the trace differs so much from itself, and no "
        "model should be tuned below it. On held-out halves all models come close "
        "together.");
    return spot_document_end(&document);
}

/* ---- Trace pictures ---- */

/* shown: as the user wrote it, behind option. */
static int check_folder(
    const char *folder, const char *option, const char *shown, spot_diag_t *diag)
{
    struct stat status;
    int reason = 0;

    if (stat(folder, &status) != 0) {
        reason = errno;
    } else if (!S_ISDIR(status.st_mode)) {
        reason = ENOTDIR;
    } else if (access(folder, W_OK | X_OK) != 0) {
        reason = errno;
    }
    if (reason != 0) {
        spot_diag_error(diag, shown, 0, 0, "%s: expected a folder to write pictures to: %s", option,
            strerror(reason));
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

int spot_pictures_check(const char *option, const char *folder, spot_diag_t *diag)
{
    struct stat status;
    const char *slash;
    size_t num_bytes;
    char *parent;
    int ret;

    if (folder == NULL || stat(folder, &status) == 0) {
        return folder == NULL ? 0 : check_folder(folder, option, folder, diag);
    }
    if (folder[0] == '\0') {
        spot_diag_error(diag, option, 0, 0, "expected the name of a folder");
        return SPOT_ERR_BAD_INPUT;
    }
    num_bytes = strlen(folder);
    while (num_bytes > 1 && folder[num_bytes - 1] == '/') {
        num_bytes--;
    }
    parent = spot_text_copy(folder, num_bytes);
    if (parent == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    slash = strrchr(parent, '/');
    parent[slash == NULL ? 0 : slash == parent ? 1 : slash - parent] = '\0';
    ret = check_folder(parent[0] == '\0' ? "." : parent, option, folder, diag);
    free(parent);
    return ret;
}

const char *spot_pictures_name(spot_texts_t *texts, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *suffix = strstr(name, ".csv");

    return spot_texts_add(texts, "%.*s",
        (int) (suffix != NULL && suffix > name ? (size_t) (suffix - name) : strlen(name)), name);
}

/* Samples that a trace of this kind can have. */
static bool is_possible(const spot_trace_t *trace, spot_sample_kind_t kind)
{
    switch (kind) {
        case SPOT_SAMPLE_UP_SPELL:
        case SPOT_SAMPLE_DOWN_SPELL:
            return trace->capacity == 1;
        case SPOT_SAMPLE_LIFETIME:
            return trace->kind == SPOT_TRACE_NAMED;
        default:
            return true;
    }
}

static int draw_sample(const spot_trace_t *trace, spot_sample_kind_t kind, const char *folder,
    const char *name, spot_diag_t *diag)
{
    const double resolution_s = spot_duration_s(trace->resolution_ms);
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        const spot_fitted_sample_t fitted = {.kind = kind,
            .is_obtainable = trace->kind == SPOT_TRACE_AVAILABILITY,
            .sample = &sample,
            .tick_s = spot_fit_default_tick(&sample, kind, resolution_s)};

        ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    }
    spot_sample_free(&sample);
    return ret;
}

int spot_pictures_of_trace(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    static const spot_sample_kind_t kinds[] = {SPOT_SAMPLE_PREEMPT_GAP, SPOT_SAMPLE_ADD_GAP,
        SPOT_SAMPLE_UP_SPELL, SPOT_SAMPLE_DOWN_SPELL, SPOT_SAMPLE_LIFETIME};
    int ret = spot_trace_plot_availability(trace, folder, name, diag);
    int error = spot_trace_plot_hours(trace, spot_hours_start_ms(trace), folder, name, diag);

    ret = ret != 0 ? ret : error;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        if (is_possible(trace, kinds[j])) {
            error = draw_sample(trace, kinds[j], folder, name, diag);
            ret = ret != 0 ? ret : error;
        }
    }
    return ret;
}

int spot_pictures_of_lifetimes(
    const spot_lifetimes_t *lifetimes, const char *folder, const char *name, spot_diag_t *diag)
{
    spot_sample_t sample;
    int ret = spot_sample_init_lifetimes(&sample, lifetimes);

    if (ret == 0) {
        ret = spot_trace_plot_survival(
            &(spot_fitted_sample_t){.kind = SPOT_SAMPLE_LIFETIME, .sample = &sample}, folder, name,
            diag);
    }
    spot_sample_free(&sample);
    return ret;
}

int spot_pictures_of_fit(const spot_fit_ranking_t *ranking, const spot_sample_t *sample,
    spot_sample_kind_t kind, spot_trace_kind_t trace_kind, double tick_s, const char *folder,
    const char *name, spot_diag_t *diag)
{
    spot_labelled_law_t laws[SPOT_FIT_MAX_FAMILIES];
    spot_fitted_sample_t fitted = {.kind = kind,
        .is_obtainable = trace_kind == SPOT_TRACE_AVAILABILITY,
        .sample = sample,
        .tick_s = tick_s,
        .laws = laws};
    int ret, error;

    for (size_t j = 0; j < ranking->num_fits; j++) {
        if (ranking->fits[j].is_fitted) {
            laws[fitted.num_laws++] =
                (spot_labelled_law_t){ranking->fits[j].family->name, ranking->fits[j].law};
        }
    }
    ret = spot_trace_plot_survival(&fitted, folder, name, diag);
    error = spot_trace_plot_quantiles(&fitted, folder, name, diag);
    return ret != 0 ? ret : error;
}

/* ---- Comparison pictures ---- */

/* As many points of a band of instances as a picture can show. */
#define MAX_BAND_POINTS 1600

/* Durations that a band of gaps is known at: every tick, then 3 % apart. */
#define MAX_DURATIONS 512
#define DURATION_FACTOR 1.03

/* A, which is held against B, a trace or its first half. */
typedef struct {
    const spot_comparison_t *comparison;
    const char *folder;
    const char *name; /* of the pictures: NAME-LABEL */
    spot_overlay_t overlay;
    const spot_fidelity_t *a; /* NULL: A is a model */
    const spot_fidelity_t *b;
    spot_diag_t *diag;
    int error; /* the first one; what follows is drawn all the same */
} pair_t;

static void draw_instances(pair_t *self)
{
    self->error = spot_error_first(
        self->error, spot_trace_plot_overlay(&self->overlay, self->folder, self->name, self->diag));
}

/* Of one direction; band: NULL for two traces. */
static void draw_gaps(pair_t *self, int direction, const spot_model_band_t *band)
{
    static const double none = 0; /* no gaps, but no band either */
    const spot_fidelity_sample_t *b = &self->b->gaps_s[direction];
    spot_gap_overlay_t gaps = {
        .kind = direction == SPOT_FIDELITY_PREEMPT ? SPOT_SAMPLE_PREEMPT_GAP : SPOT_SAMPLE_ADD_GAP,
        .is_obtainable = self->comparison->kind == SPOT_TRACE_AVAILABILITY,
        .tick_s = spot_duration_s(self->comparison->recorded.frame.tick_ms),
        .num_b = b->num_values,
        .b_s = b->values,
        .a_label = self->overlay.a_label,
        .b_label = self->overlay.b_label};

    if (band != NULL) {
        gaps.band = *band;
    } else {
        gaps.num_a = self->a->gaps_s[direction].num_values;
        gaps.a_s = gaps.num_a > 0 ? self->a->gaps_s[direction].values : &none;
    }
    self->error = spot_error_first(
        self->error, spot_trace_plot_gap_overlay(&gaps, self->folder, self->name, self->diag));
}

static void draw_pair(pair_t *self)
{
    draw_instances(self);
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        draw_gaps(self, j, NULL);
    }
}

/* ---- A model ---- */

static spot_model_band_t model_band(const spot_band_t *band, const spot_replicate_t *replicate)
{
    return (spot_model_band_t){.num_replications = (size_t) replicate->num_replications,
        .num_times = band->num_points,
        .time_s = band->time_s,
        .low = band->low,
        .median = band->median,
        .high = band->high};
}

/* Multiples of the tick from 0 to the end: gaps of a recorder are such. */
static size_t choose_durations(const spot_observation_frame_t *frame, double time_s[MAX_DURATIONS])
{
    const double max_ticks = floor(frame->end_ms / (double) frame->tick_ms);
    size_t num_times = 0;

    for (double ticks = 0; ticks <= max_ticks && num_times < MAX_DURATIONS;
         ticks = fmax(ticks + 1, ceil(ticks * DURATION_FACTOR))) {
        time_s[num_times++] = ticks * spot_duration_s(frame->tick_ms);
    }
    return num_times;
}

/* Where its replications lie: instances for direction -1, else gaps. */
static void draw_band(pair_t *self, const spot_replicate_t *replicate, int direction)
{
    double time_s[MAX_DURATIONS];
    spot_band_t band;
    const int ret = direction < 0 ? spot_band_init(&band, replicate, MAX_BAND_POINTS)
                                  : spot_band_init_gaps(&band, replicate, direction,
                                        choose_durations(&replicate->frame, time_s), time_s);
    const spot_model_band_t shown = model_band(&band, replicate);

    self->error = spot_error_first(self->error, ret);
    if (ret == 0 && direction < 0) {
        self->overlay.band = shown;
        draw_instances(self);
    } else if (ret == 0) {
        draw_gaps(self, direction, &shown);
    }
    spot_band_free(&band);
}

/* ---- Another trace ---- */

static void draw_other(pair_t *self, const spot_trace_t *other)
{
    const spot_observation_frame_t *frame = &self->comparison->recorded.frame;
    spot_observation_t observation = {0};
    spot_fidelity_t fidelity = {0};
    int ret = spot_observation_of_trace(&observation, other, frame->tick_ms, frame->is_net);

    if (ret == 0) {
        ret = spot_fidelity_measure(&fidelity, &observation, &self->comparison->fidelity);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay.a = other;
        pair.a = &fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    spot_fidelity_free(&fidelity);
    spot_observation_free(&observation);
}

/* ---- Halves ---- */

/* A trace of the numbers that an observation saw: enough to draw. Half ms are cut. */
static int to_trace(
    spot_trace_t *self, const spot_observation_t *observation, const spot_comparison_t *comparison)
{
    const spot_observation_frame_t *frame = &observation->frame;
    int64_t population = observation->initial;

    spot_trace_init(self);
    self->kind =
        comparison->kind == SPOT_TRACE_AVAILABILITY ? SPOT_TRACE_AVAILABILITY : SPOT_TRACE_COUNTS;
    self->capacity = comparison->is_unbounded ? SPOT_UNBOUNDED : (int32_t) frame->capacity;
    self->resolution_ms = frame->tick_ms;
    self->initial = (int32_t) population;
    self->end_ms = (int64_t) frame->end_ms;
    if (SPOT_ARRAY_ROOM(self, events, observation->num_events) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];

        self->events[self->num_events++] = (spot_event_t){.time_ms = (int64_t) event->time_ms,
            .kind = event->kind,
            .count = (int32_t) event->count};
        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
    }
    self->final = (int32_t) population;
    return 0;
}

typedef struct {
    spot_observation_t observation;
    spot_fidelity_t fidelity;
    spot_trace_t trace;
} half_t;

/* against: NULL for the first half. */
static int half_init(half_t *self, const spot_comparison_t *comparison, const half_t *against)
{
    int ret = spot_observation_half(&self->observation, &comparison->recorded, against != NULL);

    if (ret == 0) {
        ret = spot_fidelity_measure(
            &self->fidelity, &self->observation, against != NULL ? &against->fidelity : NULL);
    }
    return ret == 0 ? to_trace(&self->trace, &self->observation, comparison) : ret;
}

static void half_free(half_t *self)
{
    spot_observation_free(&self->observation);
    spot_fidelity_free(&self->fidelity);
    spot_trace_free(&self->trace);
}

static void draw_halves(pair_t *self)
{
    half_t first = {0}, second = {0};
    int ret = half_init(&first, self->comparison, NULL);

    if (ret == 0) {
        ret = half_init(&second, self->comparison, &first);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay = (spot_overlay_t){.a = &second.trace,
            .b = &first.trace,
            .a_label = "second half",
            .b_label = "first half"};
        pair.a = &second.fidelity;
        pair.b = &first.fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    half_free(&first);
    half_free(&second);
}

/* ---- All of a comparison ---- */

int spot_pictures_of_comparison(const spot_comparison_t *comparison,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const char *folder, const char *name, const spot_watch_t *watch, spot_diag_t *diag)
{
    const spot_comparison_column_t *columns = comparison->columns + SPOT_COMPARISON_FIRST;
    const size_t num_pairs = inputs->num_models + (request->is_halves || inputs->has_other ? 1 : 0);
    int error = spot_trace_plot_distances(comparison, folder, name, diag);

    error = spot_error_first(error, spot_trace_plot_reference(comparison, folder, name, diag));
    for (size_t j = 0; j < num_pairs && error != SPOT_ERR_INTERRUPTED; j++) {
        const char *label = request->is_halves ? "halves" : columns[j].label;
        spot_texts_t texts = {0};
        pair_t pair = {.comparison = comparison,
            .folder = folder,
            .name = spot_texts_add(&texts, "%s-%s", name, label),
            .overlay = {.b = &inputs->trace, .a_label = label, .b_label = name},
            .b = &comparison->fidelity,
            .diag = diag};

        if (texts.error != 0) {
            return texts.error;
        }
        if (request->is_halves) {
            draw_halves(&pair);
        } else if (inputs->has_other) {
            draw_other(&pair, &inputs->other);
        } else {
            const spot_replicate_t replicate = spot_comparison_replicate(
                comparison, &inputs->models[j].model, request->num_replications, watch);

            for (int k = -1; k < SPOT_FIDELITY_NUM_DIRECTIONS; k++) {
                draw_band(&pair, &replicate, k);
            }
        }
        error = spot_error_first(error, pair.error);
        spot_texts_free(&texts);
    }
    return error;
}
