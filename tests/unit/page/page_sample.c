/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/page/page_case.h"
#include "tests/unit/page/page_sample.h"

static char system_path[] = "recovery.system", every_path[] = "job.checkpoint.every",
            system_label[] = "recovery system", every_label[] = "checkpoint interval",
            s_unit[] = "s", no_unit[] = "", name[] = "made-up", question[] = "Which is best?",
            lost_name[] = "lost_fraction", limit[] = "lost_fraction <= 0.2",
            value_texts[][8] = {"a", "b", "c", "10 s", "20 s", "30 s", "40 s"},
            level_texts[16][3] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11",
                "12", "13", "14", "15"};

void page_sample_init(page_sample_t *self, int64_t num_replications)
{
    static const size_t sizes[] = {3, 4};

    *self = (page_sample_t){
        .metrics = {{.name = "cost_usd",
                        .label = "cost",
                        .unit = "USD",
                        .help = "all instance time at the price of its time"},
            {.name = "lost_fraction",
                .label = "lost",
                .noun = "lost time",
                .kind = SPOT_METRIC_SHARE,
                .unit = "1",
                .help = "fraction of the paid instance time: lost work"}},
        .warning = {"clipped", "a model was used outside of what it was measured for"},
        .constraint = {lost_name, limit, 0.2, true},
    };
    for (size_t j = 0; j < 2; j++) {
        for (size_t k = 0; k < sizes[j]; k++) {
            self->texts[j][k] = value_texts[3 * j + k];
            self->numbers[j][k] = j == 0 ? (double) NAN : 10 * (double) (k + 1);
        }
        self->axes[j] = (spot_axis_t){.path = j == 0 ? system_path : every_path,
            .label = j == 0 ? system_label : every_label,
            .num_values = sizes[j],
            .texts = self->texts[j],
            .numbers = self->numbers[j],
            .unit = j == 0 ? no_unit : s_unit};
    }
    self->head = (spot_study_head_t){.name = name,
        .question = question,
        .seed = 7,
        .batch_replications = 64,
        .num_replications = num_replications,
        .min_replications = num_replications,
        .num_axes = 2,
        .axes = self->axes,
        .num_points = 12,
        .num_listed = PAGE_METRICS,
        .num_metrics = PAGE_METRICS,
        .metrics = self->metrics,
        .num_warnings = 1,
        .warnings = &self->warning};
}

/* Spread evenly over (-1, 1), much of it the same at all points. */
static double noise(size_t point_id, uint64_t replication)
{
    const uint64_t own = (replication + 1) * 7919 + (uint64_t) point_id * 104729;
    const uint64_t common = (replication + 1) * 6101;

    return 0.8 * ((double) (common % 1009) / 504.5 - 1) + 0.2 * ((double) (own % 1013) / 506.5 - 1);
}

static void fill_row(const page_sample_t *self, size_t point_id, int64_t replication, double *row)
{
    const double x = (double) spot_study_value_id(&self->head, point_id, 0);
    const double y = (double) spot_study_value_id(&self->head, point_id, 1);
    const double chance = noise(point_id, (uint64_t) replication);

    if (self->sample_points != NULL) {
        row[0] = 10 + x + 0.25 * y + 0.1 * chance;
        row[1] = 0.01 * x + 0.002 * y + 0.004 * chance;
    } else {
        row[0] = 10 + fabs(x + y - 2) + 0.5 * x + chance;
        row[1] = 0.1 + 0.05 * y + 0.02 * chance;
    }
}

void page_sample_fill(page_sample_t *self, int64_t lack, bool is_flawed)
{
    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
    for (size_t j = 0; j < self->head.num_points; j++) {
        const int64_t num_rows = self->head.num_replications - lack * (int64_t) j;

        for (int64_t k = 0; k < num_rows; k++) {
            const bool is_flaw = is_flawed && (size_t) k < j / 2;
            const uint32_t warned = is_flaw && j > 6;
            double row[PAGE_METRICS];

            fill_row(self, j, k, row);
            row[0] = is_flaw ? (double) NAN : row[0];
            assert_int_equal(
                self->store->put(self->store, &(spot_piece_t){j, k, 1, row, &warned}), 0);
        }
    }
}

void page_sample_free(page_sample_t *self)
{
    if (self->store != NULL) {
        self->store->close(self->store);
    }
    free(self->sample_points);
}

void page_sample_make_sensitivity(page_sample_t *self)
{
    const size_t num_samples = 64;
    uint64_t state = 1;

    for (size_t j = 0; j < 2; j++) {
        for (size_t k = 0; k < 16; k++) {
            self->texts[j][k] = level_texts[k];
            self->numbers[j][k] = (double) k;
        }
        self->axes[j].num_values = 16;
        self->axes[j].unit = no_unit;
    }
    self->sample_points = spot_calloc(num_samples * 4, sizeof(*self->sample_points));
    assert_non_null(self->sample_points);
    for (size_t j = 0; j < num_samples; j++) {
        uint32_t a[2], b[2];

        for (size_t k = 0; k < 2; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            a[k] = (uint32_t) (state >> 33) % 16;
            b[k] = (uint32_t) (state >> 45) % 16;
        }
        self->sample_points[4 * j] = 16 * a[0] + a[1];
        self->sample_points[4 * j + 1] = 16 * b[0] + b[1];
        self->sample_points[4 * j + 2] = 16 * b[0] + a[1];
        self->sample_points[4 * j + 3] = 16 * a[0] + b[1];
    }
    self->head.num_points = 256;
    self->head.plan = (spot_plan_t){.kind = SPOT_PLAN_SENSITIVITY,
        .seed = 3,
        .num_samples = num_samples,
        .sample_points = self->sample_points};
}

/* Origins are for reading: their texts stay as they are. */
static char *text_of(const char *text)
{
    static char room[64][1100];
    static size_t num_texts;
    char *copy = room[num_texts++ % 64];

    strcpy(copy, text);
    return copy;
}

static const char canonical[] = "fleet:\n"
                                "  capacity: 64\n"
                                "  price:\n"
                                "    spot: 0.91\n"
                                "files:\n"
                                "  by-n.csv: 0123abcd\n"
                                "horizon: 355 min\n"
                                "job:\n"
                                "  layers:\n"
                                "    - bytes: 5\n"
                                "      ms: 1.5\n"
                                "    - bytes: 6\n"
                                "      ms: 2.5\n"
                                "  reload: 47 s\n"
                                "  state_bytes: 1e+11\n"
                                "keep: rows\n"
                                "metrics:\n"
                                "  - cost_usd\n"
                                "recovery: checkpoint\n"
                                "replications:\n"
                                "  seed: 7\n"
                                "trace:\n"
                                "  gaps_s:\n"
                                "    - 1\n    - 2\n    - 3\n    - 4\n    - 5\n"
                                "    - 6\n    - 7\n    - 8\n    - 9\n"
                                "  range:\n"
                                "    - 11\n"
                                "    - 31\n";

const spot_origin_t *page_sample_origin(void)
{
    static spot_provenance_t writers[3];
    static spot_origin_t origin;

    writers[0] = (spot_provenance_t){.started = text_of("2026-01-31T12:00:00.123Z"),
        .seen = text_of("2026-01-31T12:10:00.000Z"),
        .ended = text_of("2026-01-31T12:10:00.000Z"),
        .outcome = text_of("complete"),
        .rows_added = 600,
        .canonical_sha256 = text_of("00ff"),
        .version = text_of("0.1.0"),
        .commit = text_of("abc1234"),
        .compiler = text_of("GNU 12.2.0"),
        .libraries = text_of("gsl 2.7.1, sqlite 3.40.1"),
        .machine = text_of("one: 2 x processor, 8.0 GB, Linux"),
        .command_line = text_of("'spotsim study' -o 'it'\\''s.db' study.yaml"),
        .num_threads = 2,
        .shard = text_of("1/2")};
    writers[1] = writers[0];
    writers[1].ended = NULL;
    writers[1].outcome = NULL;
    writers[1].machine = text_of("two: 64 x processor, 256.0 GB, Linux");
    writers[1].commit = text_of("def5678");
    writers[1].shard = text_of("");
    writers[2] = writers[0];
    writers[2].command_line = text_of("study-in-a-notebook");
    origin = (spot_origin_t){.canonical = text_of(canonical),
        .canonical_sha256 = text_of("00ff"),
        .num_writers = 3,
        .writers = writers};
    return &origin;
}

const spot_origin_t *page_sample_hostile_origin(void)
{
    static spot_provenance_t writer;
    static spot_origin_t origin;
    char *hostile = text_of(page_hostile);

    writer = (spot_provenance_t){NULL, hostile, hostile, hostile, hostile, hostile, hostile,
        hostile, 1, hostile, hostile, hostile, hostile, hostile, 1};
    origin = (spot_origin_t){.canonical = text_of("\"<script>alert(1)</script>&\": "
                                                  "\"<img src=x>\"\n"
                                                  "files:\n  \"</td>.csv\": \"<b>\"\n"
                                                  "list:\n  - \"</table>\"\n  - 2\n"),
        .canonical_sha256 = hostile,
        .num_writers = 1,
        .writers = &writer};
    return &origin;
}
