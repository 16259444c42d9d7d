/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/plan.h"

#include "base/outfile.h"
#include "base/stop.h"
#include "cli/report_terminal.h"
#include "reports/plan_report.h"
#include "sim/study/study.h"

#define BUDGET_S 0.3

typedef struct {
    const spot_study_head_t *head;
    const spot_plan_cost_t *cost;
} plan_t;

static int
write_plan(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const plan_t *self = context;

    return spot_plan_report_text(self->head, self->cost, terminal, out);
}

int
spot_plan_show(
    const spot_study_t *study, const spot_plan_request_t *request, spot_diag_t *diag)
{
    const spot_terminal_t terminal = spot_terminal_of_output(false);
    const spot_watch_t watch = {.stop = &spot_stop};
    spot_outfile_t file;
    spot_study_left_t left;
    spot_pilot_t pilot = {.num_runs = 0};
    int ret = spot_study_find_left(study, request->store, &request->run, &left);

    if (ret == 0 && left.most_runs > 0) {
        ret = spot_study_measure(study, BUDGET_S, &watch, &pilot);
    }
    if (ret != 0) {
        return ret;
    }
    ret = spot_outfile_init(&file, NULL, diag);
    if (ret == 0) {
        const spot_plan_cost_t cost = {.num_threads = request->run.num_threads,
            .num_measured = pilot.num_runs,
            .open_s = pilot.open_s,
            .run_s = pilot.run_s,
            .store_path = request->store == NULL ? NULL : request->store_path,
            .shard = request->shard,
            .num_there = left.num_there,
            .least_runs = left.least_runs,
            .most_runs = left.most_runs,
            .least_points = left.least_points,
            .most_points = left.most_points};

        if (request->is_json) {
            spot_plan_report_json(&study->head, &cost, file.stream);
        } else {
            ret = spot_terminal_write(
                &terminal, write_plan, &(plan_t){&study->head, &cost}, file.stream);
        }
    }
    return spot_outfile_close(&file, ret, diag);
}
