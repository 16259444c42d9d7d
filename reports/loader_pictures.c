/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/loader_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "reports/draw.h"
#include "reports/picture_files.h"

#define BAR 0.38      /* width of a bar; two of them and a gap are 1 */
#define MAX_ROUNDS 25 /* of a run that are shown */
#define TEXT_BYTES 64

/* Bars of the kinds at the sims that both have, and above them what ours gains. */
static void declare_series(spot_chart_t *chart, const spot_measured_runs_t *self, int id)
{
    static const char *const colours[] = {SPOT_INK_OTHER, SPOT_INK_ACCENT, NULL};
    static const double shifts[] = {-BAR / 2, BAR / 2, 0};
    const bool is_gain = id == SPOT_NUM_KINDS;
    double place = 0;

    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = is_gain ? SPOT_CHART_POINTS : SPOT_CHART_BARS,
                   .name = is_gain ? NULL : spot_measured_kind_names[id],
                   .colour = colours[id],
                   .thickness = BAR,
                   .marker_px = 0.1});
    for (const spot_measured_row_t *row = self->rows; row < self->rows + self->num_rows; row++) {
        if (row->base != NULL) {
            const double ours = row->mean.throughput, base = row->base->mean.throughput;
            char gain[TEXT_BYTES];

            snprintf(gain, sizeof(gain), "%+.1f %%", row->improvement.percent);
            spot_chart_add(chart, &(spot_chart_datum_t){.x = place++ + shifts[id],
                                      .y = id == SPOT_KIND_BASELINE ? base
                                           : is_gain                ? fmax(ours, base)
                                                                    : ours,
                                      .label = is_gain ? gain : NULL});
        }
    }
}

static int declare_throughput(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    double num_pairs = 0;

    spot_chart_title(chart, "What do merged samples gain?");
    spot_chart_note(
        chart, "%s, %s: means over runs, and the gain on the baseline", self->dataset, self->mode);
    for (size_t j = 0; j < self->num_rows; j++) {
        num_pairs += self->rows[j].base != NULL ? 1 : 0;
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.name = "training loop without its waits, a batch",
                                         .low = -0.5,
                                         .high = num_pairs - 0.5},
                   .y = {.name = "samples/s"},
                   .empty = num_pairs > 0 ? NULL : "no sim has runs of both kinds"});
    num_pairs = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        char sim[TEXT_BYTES];

        snprintf(sim, sizeof(sim), "%.6g s", self->rows[j].sim_s);
        if (self->rows[j].base != NULL) {
            spot_chart_tick(chart, num_pairs++, sim, NULL);
        }
    }
    for (int id = 0; id <= SPOT_NUM_KINDS; id++) {
        declare_series(chart, self, id);
    }
    return spot_chart_error(chart);
}

/* Of the first run of each kind. */
static int declare_waits(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    const size_t round = (size_t) self->processes;

    spot_chart_title(chart, "When does the training loop wait?");
    spot_chart_note(chart,
        "%s, %s: a wait for each batch, a tick for each round of %zu processes; the "
        "first wait fills the pipeline",
        self->dataset, self->mode, round);
    for (size_t j = 0; j < self->num_runs; j++) {
        const spot_measured_run_t *run = &self->runs[j];
        char text[TEXT_BYTES];

        if (j > 0 && run->kind == run[-1].kind) {
            continue;
        }
        snprintf(text, sizeof(text), "%s, run %d, sim %.6g s", spot_measured_kind_names[run->kind],
            run->run, run->sim_s);
        spot_chart_panel(
            chart, &(spot_chart_panel_t){.title = text,
                       .x = {.name = "batch"},
                       .y = {.name = "wait", .unit = SPOT_CHART_S, .has_zero = true, .group = 1}});
        for (size_t k = 0; k < run->num_waits && k < MAX_ROUNDS * round; k += round) {
            snprintf(text, sizeof(text), "%zu", k);
            spot_chart_tick(chart, (double) k, text, NULL);
        }
        spot_chart_series(
            chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS, .colour = SPOT_INK_ACCENT});
        for (size_t k = 0; k < run->num_waits && k < MAX_ROUNDS * round; k++) {
            spot_chart_add_xy(chart, (double) k, run->waits[k]);
        }
    }
    return spot_chart_error(chart);
}

/* What searches measured, with a thread that decodes and with several. */
static int declare_search(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;

    spot_chart_title(chart, "Which block size did the searches find fast?");
    spot_chart_note(
        chart, "%s, %s: each point is a setting that was measured", self->dataset, self->mode);
    for (size_t j = 0; j < 2 * self->num_rows; j++) {
        const spot_measured_row_t *row = &self->rows[j / 2];
        char sim[TEXT_BYTES];

        if (row->kind != SPOT_KIND_OURS) {
            continue;
        }
        snprintf(sim, sizeof(sim), "sim %.6g s", row->sim_s);
        if (j % 2 == 0) {
            spot_chart_panel(chart, &(spot_chart_panel_t){.title = sim,
                                        .x = {.name = "block (samples)", .group = 1},
                                        .y = {.name = "completion of a batch (s)"}});
        }
        spot_chart_series(
            chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                       .name = j % 2 == 0 ? "a thread" : "several threads",
                       .name_at = SPOT_CHART_NAME_LEGEND,
                       .colour = j % 2 == 0 ? SPOT_INK_ACCENT : SPOT_INK_LOSS,
                       .marker = j % 2 == 0 ? SPOT_CHART_CIRCLE : SPOT_CHART_DIAMOND});
        for (size_t k = 0; k < row->num_runs; k++) {
            for (size_t m = 0; m < row->runs[k].num_probes; m++) {
                const spot_measured_probe_t *probe = &row->runs[k].probes[m];

                if ((probe->threads > 1) == (j % 2)) {
                    spot_chart_add_xy(chart, (double) probe->block, probe->completion_s);
                }
            }
        }
    }
    return spot_chart_error(chart);
}

int spot_loader_pictures_draw(
    const spot_measured_runs_t *self, const char *folder, spot_diag_t *diag)
{
    static const struct {
        const char *what;
        spot_declare_t declare;
    } pictures[] = {
        {"throughput", declare_throughput}, {"waits", declare_waits}, {"search", declare_search}};
    size_t num_probes = 0;
    char name[SPOT_FILE_NAME_BYTES];
    int ret = spot_folder_make(folder, NULL, diag);

    snprintf(name, sizeof(name), "%s-%s", self->dataset, self->mode);
    for (size_t j = 0; j < self->num_runs; j++) {
        num_probes += self->runs[j].num_probes;
    }
    for (size_t j = 0; ret == 0 && j < (num_probes > 0 ? 3 : 2); j++) {
        char *path = spot_picture_path(folder, name, pictures[j].what, "svg");

        ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_draw_file(pictures[j].declare, self, SPOT_FORMAT_SVG, path, diag);
        free(path);
    }
    return ret;
}
