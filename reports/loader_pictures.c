/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/loader_pictures.h"

#include <math.h>
#include <stdlib.h>

#include "base/texts.h"
#include "reports/draw.h"
#include "reports/picture_files.h"

#define BAR 0.38      /* width of a bar; two of them and a gap are 1 */
#define MAX_ROUNDS 25 /* of a run that are shown */

/* Bars of a kind at the sims that both kinds have, or above them what ours gains. */
static void
declare_bars(spot_chart_t *chart, const spot_measured_runs_t *self, double shift,
    spot_texts_t *labels)
{
    double place = 0;

    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_measured_row_t *row = &self->rows[j];

        if (row->base != NULL) {
            const double ours = row->mean.throughput, base = row->base->mean.throughput;

            spot_chart_add(
                chart, &(spot_chart_datum_t){.x = place + shift,
                           .y = shift < 0   ? base
                                : shift > 0 ? ours
                                            : fmax(ours, base),
                           .label = labels == NULL ? NULL
                                                   : spot_texts_add(labels, "%+.1f %%",
                                                         row->improvement.percent)});
            place++;
        }
    }
}

static int
declare_throughput(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    spot_texts_t texts = {0};
    double place = 0, num_pairs = 0;
    int ret;

    spot_chart_title(chart, "What do merged samples gain?");
    spot_chart_note(chart, "%s, %s: means over runs, and the gain on the baseline",
        self->dataset, self->mode);
    for (size_t j = 0; j < self->num_rows; j++) {
        num_pairs += self->rows[j].base != NULL ? 1 : 0;
    }
    spot_chart_panel(chart,
        &(spot_chart_panel_t){.x = {.name = "training loop without its waits, a batch",
                                  .low = -0.5,
                                  .high = num_pairs - 0.5},
            .y = {.name = "samples/s"},
            .empty = num_pairs > 0 ? NULL : "no sim has runs of both kinds"});
    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].base != NULL) {
            spot_chart_tick(chart, place++,
                spot_texts_add(&texts, "%.6g s", self->rows[j].sim_s), NULL);
        }
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS,
                                 .name = "baseline1",
                                 .colour = SPOT_INK_OTHER,
                                 .thickness = BAR});
    declare_bars(chart, self, -BAR / 2, NULL);
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS,
                                 .name = "ours",
                                 .colour = SPOT_INK_ACCENT,
                                 .thickness = BAR});
    declare_bars(chart, self, BAR / 2, NULL);
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS, .marker_px = 0.1});
    declare_bars(chart, self, 0, &texts);
    ret = spot_error_first(texts.error, spot_chart_error(chart));
    spot_texts_free(&texts);
    return ret;
}

/* Of the first run of each kind. */
static int
declare_waits(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    const size_t most = MAX_ROUNDS * (size_t) self->processes;

    spot_chart_title(chart, "When does the training loop wait?");
    spot_chart_note(chart,
        "%s, %s: a wait for each batch, a tick for each round of %lld "
        "processes; the first wait fills the pipeline",
        self->dataset, self->mode, (long long) self->processes);
    for (size_t j = 0; j < self->num_runs; j++) {
        const spot_measured_run_t *run = &self->runs[j];
        const size_t num = run->num_waits < most ? run->num_waits : most;
        spot_texts_t texts = {0};

        if (j > 0 && run->kind == run[-1].kind) {
            continue;
        }
        spot_chart_panel(
            chart, &(spot_chart_panel_t){
                       .title = spot_texts_add(&texts, "%s, run %d, sim %.6g s",
                           spot_measured_kind_names[run->kind], run->run, run->sim_s),
                       .x = {.name = "batch"},
                       .y = {.name = "wait",
                           .unit = SPOT_CHART_S,
                           .has_zero = true,
                           .group = 1}});
        for (size_t k = 0; k < num; k += (size_t) self->processes) {
            spot_chart_tick(chart, (double) k, spot_texts_add(&texts, "%zu", k), NULL);
        }
        spot_chart_series(chart,
            &(spot_chart_series_t){.kind = SPOT_CHART_BARS, .colour = SPOT_INK_ACCENT});
        for (size_t k = 0; k < num; k++) {
            spot_chart_add_xy(chart, (double) k, run->waits[k]);
        }
        spot_texts_free(&texts);
    }
    return spot_chart_error(chart);
}

/* What searches measured, with a thread that decodes and with several. */
static int
declare_search(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    spot_texts_t texts = {0};
    int ret;

    spot_chart_title(chart, "Which block size did the searches find fast?");
    spot_chart_note(chart, "%s, %s: each point is a setting that was measured",
        self->dataset, self->mode);
    for (size_t j = 0; j < 2 * self->num_rows; j++) {
        const spot_measured_row_t *row = &self->rows[j / 2];
        const bool has_threads = j % 2 != 0;

        if (row->kind != SPOT_KIND_OURS) {
            continue;
        }
        if (!has_threads) {
            spot_chart_panel(chart, &(spot_chart_panel_t){.title = spot_texts_add(&texts,
                                                              "sim %.6g s", row->sim_s),
                                        .x = {.name = "block (samples)", .group = 1},
                                        .y = {.name = "completion of a batch (s)"}});
        }
        spot_chart_series(
            chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                       .name = has_threads ? "several threads" : "a thread",
                       .name_at = SPOT_CHART_NAME_LEGEND,
                       .colour = has_threads ? SPOT_INK_LOSS : SPOT_INK_ACCENT,
                       .marker = has_threads ? SPOT_CHART_DIAMOND : SPOT_CHART_CIRCLE});
        for (size_t k = 0; k < row->num_runs; k++) {
            for (size_t m = 0; m < row->runs[k].num_probes; m++) {
                const spot_measured_probe_t *probe = &row->runs[k].probes[m];

                if ((probe->threads > 1) == has_threads) {
                    spot_chart_add_xy(chart, (double) probe->block, probe->completion_s);
                }
            }
        }
    }
    ret = spot_error_first(texts.error, spot_chart_error(chart));
    spot_texts_free(&texts);
    return ret;
}

int
spot_loader_pictures_draw(
    const spot_measured_runs_t *self, const char *folder, spot_diag_t *diag)
{
    static const struct {
        const char *what;
        spot_declare_t declare;
        bool needs_probes;
    } pictures[] = {{"throughput", declare_throughput, false},
        {"waits", declare_waits, false}, {"search", declare_search, true}};
    spot_texts_t texts = {0};
    const char *name = spot_texts_add(&texts, "%s-%s", self->dataset, self->mode);
    size_t num_probes = 0;
    int ret = spot_picture_make_folder(folder, diag);

    for (size_t j = 0; j < self->num_runs; j++) {
        num_probes += self->runs[j].num_probes;
    }
    for (size_t j = 0; ret == 0 && j < sizeof(pictures) / sizeof(pictures[0]); j++) {
        if (!pictures[j].needs_probes || num_probes > 0) {
            char *path = spot_picture_path(folder, name, pictures[j].what, "svg");

            ret = path == NULL ? SPOT_ERR_NO_MEMORY
                               : spot_draw_file(pictures[j].declare, self,
                                     SPOT_FORMAT_SVG, path, diag);
            free(path);
        }
    }
    ret = spot_error_first(ret, texts.error);
    spot_texts_free(&texts);
    return ret;
}
