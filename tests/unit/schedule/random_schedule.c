/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_schedule.h"

#include "base/rng.h"

static const char *const policies[] = {
    "fifo", "sjf", "srtf", "tiresias", "qssf", "efs", "gain", "lucid"};
#define NUM_POLICIES (sizeof(policies) / sizeof(policies[0]))

static const int32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
static const double per_s[] = {1, 1.9, 2.7, 3.4, 4.6, 5.5, 6.9, 7.7};

static int64_t below(spot_rng_t *rng, int64_t limit)
{
    return (int64_t) spot_rng_below(rng, (uint64_t) limit);
}

/* ---- Drawing a case ---- */

static void draw_terms(spot_rng_t *rng, spot_job_terms_row_t *terms, int32_t gpus)
{
    *terms = (spot_job_terms_row_t){.scaling_id = -1, .restart_s = -1};
    if (below(rng, 4) > 0) {
        terms->checkpoint_interval_s = below(rng, 4) == 0 ? 0 : 1 + below(rng, 90);
        terms->checkpoint_write_s = below(rng, 120);
        terms->restart_s = below(rng, 3) == 0 ? -1 : below(rng, 70);
        terms->reconfiguration_s = below(rng, 40);
    }
    for (size_t j = 0; j < 8 && below(rng, 3) == 0; j++) {
        if (sizes[j] <= gpus) {
            terms->min_gpus = sizes[j];
            terms->max_gpus = gpus + (int32_t) below(rng, 12);
            terms->scaling_id = 0;
        }
    }
}

static void draw_jobs(spot_rng_t *rng, schedule_case_t *self, int64_t num_vcs, bool is_reversed)
{
    const int64_t num_jobs = 1 + below(rng, 12);
    int64_t submit_s = 0;

    case_add_scaling(self, 8, sizes, per_s);
    for (int64_t j = 0; j < num_jobs; j++) {
        const int32_t gpus = sizes[below(rng, 1 + below(rng, 8))];
        const int64_t vc = below(rng, num_vcs);
        spot_job_terms_row_t terms;

        submit_s += below(rng, 3) == 0 ? 0 : below(rng, 150);
        draw_terms(rng, &terms, gpus);
        case_add_job(self, (int32_t) (is_reversed ? num_vcs - 1 - vc : vc), gpus, submit_s,
            1 + below(rng, below(rng, 2) == 0 ? 60 : 900), &terms);
    }
}

/* The lives of nodes: some at the start, others later; names may come back. */
static void draw_rows(spot_rng_t *rng, char *rows)
{
    bool lives[6];
    int64_t time_ms = 0;
    int num_initial = 0;
    char *end = rows;

    for (int j = 0; j < 6; j++) {
        lives[j] = below(rng, 2) == 0;
        num_initial += lives[j];
    }
    end += sprintf(end, "0,init,%d,", num_initial);
    for (int j = 0, num = 0; j < 6; j++) {
        if (lives[j]) {
            end += sprintf(end, "%sn%d", num++ > 0 ? " " : "", j);
        }
    }
    end += sprintf(end, "\n");
    for (int64_t j = below(rng, 24); j > 0; j--) {
        const int64_t node = below(rng, 6);

        /* never two rows of one time, whose order would matter to the reader */
        time_ms += below(rng, 4) == 0 ? 1 + below(rng, 800) : 1 + below(rng, 120000);
        end += sprintf(end, "%lld.%03lld,%s,1,n%lld\n", (long long) time_ms / 1000,
            (long long) time_ms % 1000,
            !lives[node]         ? "add"
            : below(rng, 5) == 0 ? "stop"
                                 : "preempt",
            (long long) node);
        lives[node] = !lives[node];
    }
    time_ms += 1;
    for (int j = num_initial = 0; j < 6; j++) {
        num_initial += lives[j];
    }
    sprintf(end, "%lld.%03lld,end,%d,\n", (long long) time_ms / 1000, (long long) time_ms % 1000,
        num_initial);
}

/* The VCs in this order, or the other way round. */
void draw_case_with(schedule_case_t *self, uint64_t seed, bool is_reversed, bool is_static)
{
    spot_rng_t rng;
    char rows[4096];
    int32_t num_nodes[3];
    int64_t num_vcs;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    case_start(self, (int32_t) (1 + below(&rng, 8)), policies[below(&rng, NUM_POLICIES)]);
    self->seed = seed;
    self->scenario.placer = (int) below(&rng, SPOT_NUM_PLACERS);
    self->scenario.elastic.hold_s = below(&rng, 400);
    self->scenario.elastic.interval_s = 1 + below(&rng, 90);
    self->scenario.tiresias.interval_s = 1 + below(&rng, 90);
    self->thresholds_gpu_s[0] = (double) below(&rng, 4000);
    self->scenario.horizon_s = below(&rng, 4) == 0 ? 1 + below(&rng, 2000) : 0;
    for (int j = 0; j < SPOT_NUM_QUIRKS && below(&rng, 4) == 0; j++) {
        self->scenario.quirks[j] = true;
    }
    num_vcs = 1 + below(&rng, 3);
    for (int64_t j = 0; j < num_vcs; j++) {
        num_nodes[j] = (int32_t) below(&rng, 5);
    }
    for (int64_t j = 0; j < num_vcs; j++) {
        const int64_t vc = is_reversed ? num_vcs - 1 - j : j;
        const char name[2] = {(char) ('a' + vc), '\0'};

        case_add_vc(self, name, num_nodes[vc]);
    }
    for (int64_t j = 0; !is_static && j < num_vcs; j++) {
        const int64_t vc = is_reversed ? num_vcs - 1 - j : j;
        spot_pool_plan_t *plan;
        spot_rng_t of_vc;

        spot_rng_seek(&of_vc, seed, 0, SPOT_STREAM_OWN, 1 + (uint64_t) vc);
        for (int64_t k = below(&of_vc, 3); k > 0; k--) {
            const int64_t preparation_s = 1 + below(&of_vc, 60);
            const int64_t notice_ms = below(&of_vc, 2) == 0 ? 0 : below(&of_vc, 120000);

            draw_rows(&of_vc, rows);
            plan = case_add_pool(self, (int32_t) j, rows, preparation_s, notice_ms);
            if (plan->capacity > 1 && plan->capacity > plan->trace.recording->initial) {
                plan->capacity -= below(&of_vc, 2); /* some nodes cannot come */
            }
        }
    }
    draw_jobs(&rng, self, num_vcs, is_reversed);
    case_add_workloads(self);
}

void draw_case(schedule_case_t *self, uint64_t seed)
{
    draw_case_with(self, seed, false, false);
}
