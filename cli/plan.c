/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/plan.h"

#include "base/outfile.h"
#include "cli/interrupt.h"
#include "reports/plan_report.h"
#include "sim/study/study_pilot.h"

#define BUDGET_S 0.3

int
spot_plan_show(
    const spot_study_t *study, int num_threads, bool is_json, spot_diag_t *diag)
{
    const spot_watch_t watch = {.stop = &spot_interrupt_stop};
    spot_outfile_t file;
    spot_pilot_t pilot;
    int ret = spot_study_measure(study, BUDGET_S, &watch, &pilot);

    if (ret != 0) {
        return ret;
    }
    ret = spot_outfile_init(&file, NULL, diag);
    if (ret == 0) {
        const spot_plan_cost_t cost = {
            num_threads, pilot.num_runs, pilot.open_s, pilot.run_s};

        (is_json ? spot_plan_report_json : spot_plan_report_text)(
            &study->head, &cost, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}
