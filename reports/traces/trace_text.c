/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "reports/table/table_terminal.h"

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
