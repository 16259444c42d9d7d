/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the figures as a table for people. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "traces/describe/describe.h"

/* Names of changes. Those of kind availability differ, as no instance runs. */
typedef struct {
    const char *population;
    const char *preempt_events;
    const char *add_events;
    const char *preempt;
    const char *add;
    const char *rate_unit;
    const char *mean_gap;
} words_t;

static const words_t running_words = {
    .population = "population",
    .preempt_events = "preemptions",
    .add_events = "additions",
    .preempt = "preempt",
    .add = "add",
    .rate_unit = "per instance-hour",
    .mean_gap = "MTBP",
};

static const words_t obtainable_words = {
    .population = "obtainable",
    .preempt_events = "fewer",
    .add_events = "more",
    .preempt = "fewer",
    .add = "more",
    .rate_unit = "per obtainable instance-hour",
    .mean_gap = "mean",
};

/* A number as text, or "-" if it is undefined. */
typedef struct {
    char text[SPOT_NUMBER_TEXT_BYTES];
} cell_t;

static cell_t
cell(double value, int num_decimals)
{
    cell_t cell = {"-"};

    if (!isnan(value)) {
        snprintf(cell.text, sizeof(cell.text), "%.*f", num_decimals, value);
    }
    return cell;
}

/* Seconds with one decimal; below 1 s three digits. */
static cell_t
seconds_cell(double value_s)
{
    cell_t cell_s = cell(value_s, 1);

    if (fabs(value_s) > 0 && fabs(value_s) < 1) {
        snprintf(cell_s.text, sizeof(cell_s.text), "%.3g", value_s);
    }
    return cell_s;
}

/* The same, without ".0" for a whole number. */
static cell_t
short_seconds_cell(double value_s)
{
    cell_t cell_s = seconds_cell(value_s);
    const size_t num_bytes = strlen(cell_s.text);

    if (num_bytes > 2 && strcmp(cell_s.text + num_bytes - 2, ".0") == 0) {
        cell_s.text[num_bytes - 2] = '\0';
    }
    return cell_s;
}

static cell_t
percent_cell(double fraction, int num_decimals)
{
    return cell(100 * fraction, num_decimals);
}

static cell_t
shortest_cell(double value)
{
    cell_t shortest = {.text = ""};

    spot_number_text(value, shortest.text);
    return shortest;
}

static const char *
plural(double num)
{
    return num == 1 ? "" : "s";
}

static void
print_head(const spot_describe_t *self, FILE *out)
{
    spot_utf8_print(out, self->name);
    if (self->is_lifetimes) {
        fprintf(out, "   lifetimes, start %s\n", self->start);
        return;
    }
    fprintf(out, "   %s%s, resolution %s s, start %s, %s h\n", spot_describe_kind(self),
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "",
        shortest_cell(self->resolution_s).text, self->start, cell(self->span_h, 2).text);
}

static void
print_population(const spot_describe_t *self, const words_t *words, FILE *out)
{
    fprintf(out,
        "%-13scapacity %s%s, mean %s, min %s, max %s, full %s %%, empty %s %%\n",
        words->population, self->is_unbounded ? "unbounded, taken as " : "",
        cell(self->capacity, 0).text, cell(self->mean_n, 2).text,
        cell(self->min_n, 0).text, cell(self->max_n, 0).text,
        percent_cell(self->frac_full, 1).text, percent_cell(self->frac_empty, 1).text);
}

/* Does not end the line. */
static void
print_events(const char *label, double num_events, double num_instances,
    const spot_count_figures_t *count, FILE *out)
{
    fprintf(out, "%-13s%s event%s, %s instance%s", label, cell(num_events, 0).text,
        plural(num_events), cell(num_instances, 0).text, plural(num_instances));
    if (num_events > 0) {
        fprintf(out, ", size %s (VMR %s, max %s, ones %s %%)", cell(count->mean, 2).text,
            cell(count->vmr, 2).text, cell(count->max, 0).text,
            percent_cell(count->share_one, 0).text);
    }
}

enum { NUM_GAP_CELLS = 7, MAX_GAP_ROWS = 6 };

/* A table whose columns are as wide as their longest cell. */
typedef struct {
    size_t num_rows;
    struct {
        const char *label;
        cell_t cells[NUM_GAP_CELLS];
    } rows[MAX_GAP_ROWS];
} gap_table_t;

static void
add_row(gap_table_t *self, const char *label, const spot_gap_figures_t *gaps)
{
    const cell_t cells[NUM_GAP_CELLS] = {cell(isnan(gaps->n) ? 0 : gaps->n, 0),
        seconds_cell(gaps->mean_s), seconds_cell(gaps->sd_s), cell(gaps->cv, 2),
        short_seconds_cell(gaps->median_s), cell(gaps->acf1, 2),
        cell(gaps->ljungbox5_p, 2)};

    self->rows[self->num_rows].label = label;
    memcpy(self->rows[self->num_rows++].cells, cells, sizeof(cells));
}

static void
print_row(const gap_table_t *self, size_t row, FILE *out)
{
    fprintf(out, "%-12s", self->rows[row].label);
    for (size_t column = 0; column < NUM_GAP_CELLS; column++) {
        size_t width = 0;

        for (size_t j = 0; j < self->num_rows; j++) {
            const size_t num_bytes = strlen(self->rows[j].cells[column].text);

            width = num_bytes > width ? num_bytes : width;
        }
        width += column == 0 ? 1 : 2;
        fprintf(out, "%*s", (int) width, self->rows[row].cells[column].text);
    }
}

static void
print_gaps(const spot_describe_t *self, const words_t *words, FILE *out)
{
    gap_table_t table = {.num_rows = 1,
        .rows = {{"gaps (s)",
            {{"n"}, {"mean"}, {"sd"}, {"CV"}, {"median"}, {"ACF1"}, {"LB5 p"}}}}};
    char labels[2][16];

    snprintf(labels[0], sizeof(labels[0]), "  %s", words->preempt);
    snprintf(labels[1], sizeof(labels[1]), "  %s", words->add);
    add_row(&table, labels[0], &self->preempt_gap);
    add_row(&table, labels[1], &self->add_gap);
    add_row(&table, "  any change", &self->change_gap);
    if (!isnan(self->up_spell.n) || !isnan(self->down_spell.n)) {
        add_row(&table, "  up spell", &self->up_spell);
        add_row(&table, "  down spell", &self->down_spell);
    }
    for (size_t j = 0; j < table.num_rows; j++) {
        print_row(&table, j, out);
        if (j == 1) {
            fprintf(out, "   %s at %s s; T/events %s", words->mean_gap,
                shortest_cell(self->resolution_s).text,
                seconds_cell(spot_describe_spread_s(self->span_h, self->preempt_events))
                    .text);
        }
        fputc('\n', out);
    }
}

static void
print_lives(const spot_describe_t *self, FILE *out)
{
    const spot_life_figures_t *life = &self->life;
    const cell_t median = short_seconds_cell(life->km_median_s);

    if (isnan(life->n)) {
        fprintf(out, "lifetimes    - (%s)\n",
            self->kind == SPOT_TRACE_AVAILABILITY ? "nothing ran"
                                                  : "instances have no names");
        return;
    }
    fprintf(out, "lifetimes    %s: %s preempted, %s censored; median %s%s%s; ",
        cell(life->n, 0).text, cell(life->preempted, 0).text,
        cell(life->censored, 0).text,
        isinf(life->km_median_s) ? "not reached" : median.text,
        isfinite(life->km_median_s) ? " s" : "", " (Kaplan-Meier)");
    if (life->deaths_per_s > 0) {
        fprintf(
            out, "time/preemptions %s s\n", seconds_cell(1 / life->deaths_per_s).text);
    } else {
        fputs("time/preemptions -\n", out);
    }
}

static void
print_time_of_day(const spot_describe_t *self, FILE *out)
{
    fputs("time of day: ", out);
    if (!isnan(self->day_rayleigh_r)) {
        fprintf(out,
            "r %s, p %.2g (optimistic under bursts), peak %s h after the start\n",
            cell(self->day_rayleigh_r, 2).text, self->day_rayleigh_p,
            cell(self->day_peak_h, 1).text);
        return;
    }
    fprintf(out, "- (%s)\n",
        strcmp(self->start, "unknown") == 0 ? "start unknown"
        : self->span_h < 48                 ? "less than 2 days"
                                            : "fewer than 10 events in whole days");
}

/* Prints the figures of lives that only the table of a lifetimes file shows. */
static void
print_more_of_lives(const spot_life_figures_t *life, FILE *out)
{
    fprintf(out,
        "             preempted ones: mean %s s, sd %s s; restricted mean %s s\n",
        seconds_cell(life->mean_observed_s).text, seconds_cell(life->sd_observed_s).text,
        seconds_cell(life->restricted_mean_s).text);
}

void
spot_describe_print(const spot_describe_t *self, FILE *out)
{
    const words_t *words =
        self->kind == SPOT_TRACE_AVAILABILITY ? &obtainable_words : &running_words;

    print_head(self, out);
    if (self->is_lifetimes) {
        print_lives(self, out);
        print_more_of_lives(&self->life, out);
        return;
    }
    print_population(self, words, out);
    print_events(words->preempt_events, self->preempt_events, self->preempted,
        &self->preempt_count, out);
    fprintf(out, ", %s %s\n", cell(self->preempted_per_instance_h, 3).text,
        words->rate_unit);
    print_events(
        words->add_events, self->add_events, self->added, &self->add_count, out);
    fputc('\n', out);
    print_gaps(self, words, out);
    print_lives(self, out);
    fprintf(out, "Fano         instances %s (10 min), %s (1 h); ",
        cell(self->fano_instances_10min, 2).text, cell(self->fano_instances_1h, 2).text);
    print_time_of_day(self, out);
}
