/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/profiler.h"

/* Workloads that messages list. */
#define MAX_LISTED 10

/* ---- Fields ---- */

static const spot_field_t source_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_vc_nodes_t, name)};
static const spot_field_t source_nodes = {.type = SPOT_FIELD_INTEGER,
    .offset = offsetof(spot_vc_nodes_t, num_nodes),
    .min = 1,
    .max = 1000000};

static const spot_field_t scaling_fields[] = {
    {SPOT_VALUE(TEXT, "lender", spot_lucid_setting_t, lender, NULL,
        "the VC that lends a node to the profiler")},
    {SPOT_RANGE(INTEGER, "up_queue", spot_lucid_setting_t, up_queue, 0, 1e9, "10",
         "jobs in the profiler's queue above which it borrows a node"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "down_queue", spot_lucid_setting_t, down_queue, 0, 1e9, "5",
         "jobs in its queue below which it returns the node, if few GPUs are forecast"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t profiler_fields[] = {
    {SPOT_ITEMS(DICT, "from", spot_lucid_setting_t, sources, num_sources, source_nodes, 1, 100000,
         NULL, "a map such as {a: 2, b: 1}", "nodes of VCs that are the profiler's"),
        .key = &source_name},
    {SPOT_RANGE(DURATION, "limit", spot_lucid_setting_t, limit_s, 1000,
         (double) SPOT_MAX_DURATION_MS, "200 s", "profiling limit",
         "a job that takes longer leaves the profiler after this time"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "gpu_limit", spot_lucid_setting_t, max_gpus, 1, SPOT_JOB_MAX_GPUS, "8",
         "profiled GPUs", "jobs with more GPUs are not profiled"),
        SPOT_DECIDES},
    {SPOT_GROUP("scaling", scaling_fields, "",
        "a node that the profiler borrows when many jobs wait; without the key it never "
        "does")},
    {.name = NULL},
};

static const char *const switch_names[] = {"always", "never", "forecast", NULL};
static const char *const pack_names[] = {"prefer", "last_resort", NULL};

static const spot_field_t packing_fields[] = {
    {SPOT_CHOICE("switch", spot_lucid_setting_t, packing, switch_names, "always", "packing",
         "when jobs share GPUs: always, never, or while more jobs than the threshold are "
         "forecast"),
        SPOT_DECIDES},
    {SPOT_VALUE(PATH, "forecast", spot_lucid_setting_t, forecast_path, "",
        "a CSV file with the columns time, pred_gpu_job and pred_gpu_num, a row for "
        "each 10 minutes from the start of the run on")},
    {SPOT_RANGE(NUMBER, "threshold", spot_lucid_setting_t, threshold_jobs, 0, 1e9, "2",
         "packing threshold",
         "jobs in 10 minutes, as the mean of the next five rows of the forecast"),
        SPOT_DECIDES},
    {SPOT_VALUE(PATH, "table", spot_lucid_setting_t, table_path, "",
        "a CSV file of measured pairs, see docs/scheduling.md")},
    {SPOT_RANGE(BYTES, "gpu_memory", spot_lucid_setting_t, gpu_memory_bytes, 1, 0x1p50, "24576 MiB",
         "GPU memory", "memory of a GPU, which two jobs share"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "max_gpus", spot_lucid_setting_t, max_packed_gpus, 0, SPOT_JOB_MAX_GPUS,
         "8", "packed GPUs", "jobs with more GPUs share none"),
        SPOT_DECIDES},
    {SPOT_CHOICE("pack", spot_lucid_setting_t, pack, pack_names, "prefer", "packing order",
         "prefer: a job shares GPUs even where others are free; last_resort: only where "
         "it finds none"),
        SPOT_DECIDES},
    {SPOT_CHOICE("unknown_pair", spot_lucid_setting_t, unknown_pair, spot_unknown_pair_names,
         "refuse", "unmeasured pairs",
         "pairs that the table lacks, and those with NeuMF, ResNet50, BERT or "
         "Transformer: they are not packed (refuse), run at min(1, 100 / "
         "(u1 + u2)) with the utilisations in % (proportional), or at full speed (one). "
         "Without a table refuse is proportional"),
        SPOT_DECIDES},
    {.name = NULL},
};

const spot_field_t spot_lucid_fields[] = {
    {SPOT_GROUP("profiler", profiler_fields, "",
        "where jobs run first; without the key they enter their VC at once")},
    {SPOT_GROUP("packing", packing_fields, "{}", "which jobs share GPUs")},
    {.name = NULL, .fields = spot_estimator_fields},
};

void spot_lucid_setting_free(spot_lucid_setting_t *self)
{
    for (size_t j = 0; j < self->num_sources; j++) {
        free(self->sources[j].name);
    }
    free(self->sources);
    free(self->lender);
    free(self->forecast_path);
    free(self->table_path);
    spot_forecast_free(&self->forecast);
    spot_colocation_free(&self->colocation);
}

/* ---- The profiler ---- */

static void check_profiler(
    const spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_lucid_setting_t *lucid = &scenario->lucid;
    const spot_node_t *from = spot_node_place(root, "lucid.profiler.from");
    const int64_t num_gpus =
        (int64_t) spot_profiler_num_taken(scenario, NULL) * scenario->gpus_per_node;

    for (size_t j = 0; j < lucid->num_sources; j++) {
        const spot_vc_nodes_t *source = &lucid->sources[j];
        const spot_node_t *place = spot_node_get(from, source->name);
        const int32_t vc_id =
            spot_vc_named(&scenario->vcs, bind, place, "lucid.profiler.from", source->name);

        if (vc_id >= 0 && source->num_nodes > scenario->num_reserved[vc_id]) {
            spot_bind_error(bind, place, "lucid.profiler.from",
                "the profiler takes %lld nodes of %s, which has %d reserved",
                (long long) source->num_nodes, source->name, scenario->num_reserved[vc_id]);
        }
    }
    if (lucid->max_gpus > num_gpus) {
        SPOT_KEY_ERROR(bind, root, "lucid.profiler.gpu_limit",
            "%lld GPUs, but the profiler has %lld", (long long) lucid->max_gpus,
            (long long) num_gpus);
    }
    if (lucid->lender != NULL) {
        const spot_node_t *place = spot_node_place(root, "lucid.profiler.scaling.lender");

        (void) spot_vc_named(
            &scenario->vcs, bind, place, "lucid.profiler.scaling.lender", lucid->lender);
        if (lucid->forecast_path == NULL) {
            spot_bind_error(bind, place, "lucid.profiler.scaling",
                "needs lucid.packing.forecast, which says when to return the node");
        }
    }
}

/* ---- Packing ---- */

/* The log with the workloads of all jobs: where laws draw the jobs, that of the laws, in
 * which every drawn log finds the same ids. */
static const spot_job_log_t *workloads_of(const spot_schedule_scenario_t *scenario)
{
    return scenario->log != NULL ? scenario->log : &scenario->jobs.law.workloads;
}

/* Whether a job may share GPUs. */
static bool is_packed(const spot_schedule_scenario_t *scenario, const spot_job_row_t *job)
{
    return job->gpu_num <= scenario->lucid.max_packed_gpus &&
           (job->terms_id < 0 || scenario->log->terms[job->terms_id].trainer == NULL);
}

/* Reports what packing needs and the workload of a job lacks. job_id: "": of all jobs
 * that laws draw. */
static bool report_lack(const spot_workload_t *workload, const char *job_id, spot_bind_t *bind,
    const spot_node_t *place)
{
    static const spot_workload_t none = {.model = "", .dataset = ""};
    const char *lack = workload == NULL                ? "model, gmem and sharescore"
                       : !isfinite(workload->gmem_mib) ? "gmem"
                       : workload->share_score < 0     ? "sharescore"
                                                       : NULL;

    if (lack != NULL) {
        workload = workload == NULL ? &none : workload;
        spot_bind_error(bind, place, "lucid.packing",
            "packing needs %s of job%s%s (model \"%s\", dataset \"%s\", batchsize %d, "
            "amp %d); lucid.packing.switch: never does without",
            lack, job_id[0] == '\0' ? "s" : " ", job_id, workload->model, workload->dataset,
            workload->batch_size, workload->amp);
    }
    return lack != NULL;
}

/* The first job of each workload that cannot be packed for lack of a column. */
static int check_workloads(
    const spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *place)
{
    const spot_job_log_t *log = scenario->log;
    bool *is_reported = spot_calloc(log->num_workloads + 1, sizeof(*is_reported));
    size_t num_reported = 0;

    for (size_t j = 0; is_reported != NULL && j < log->num_jobs && num_reported < MAX_LISTED; j++) {
        const spot_job_row_t *job = &log->jobs[j];
        const int32_t id = job->workload_id;
        bool *known = &is_reported[id + 1];

        if (is_packed(scenario, job) && !*known) {
            *known = report_lack(id < 0 ? NULL : &log->workloads[id], job->id, bind, place);
            num_reported += *known;
        }
    }
    free(is_reported);
    return is_reported == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int read_pairs(spot_schedule_scenario_t *scenario, spot_diag_t *diag)
{
    spot_lucid_setting_t *lucid = &scenario->lucid;
    const spot_job_log_t *log = workloads_of(scenario);
    spot_colocated_t *uses = spot_calloc(log->num_workloads, sizeof(*uses));
    int ret = uses == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < log->num_workloads && ret == 0; j++) {
        const spot_workload_t *workload = &log->workloads[j];

        uses[j] = (spot_colocated_t){workload->model, workload->dataset, workload->batch_size,
            workload->amp, workload->gpu_util, workload->gmem_util, workload->gmem_mib};
    }
    if (ret == 0) {
        ret = spot_colocation_init(&lucid->colocation, lucid->table_path,
            (spot_unknown_pair_t) lucid->unknown_pair, scenario->quirks[SPOT_QUIRK_HEAVY_PAIRS],
            log->num_workloads, uses, diag);
    }
    free(uses);
    return ret;
}

static int open_packing(
    spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_lucid_setting_t *lucid = &scenario->lucid;
    const spot_node_t *place = spot_node_place(root, "lucid.packing");
    int ret = 0;

    if (lucid->packing == SPOT_PACKING_FORECAST && lucid->forecast_path == NULL) {
        spot_bind_error(bind, place, "lucid.packing", "switch: forecast needs forecast");
    }
    if (scenario->log == NULL && scenario->jobs.law.workload_path == NULL) {
        spot_bind_error(bind, place, "lucid.packing",
            "generated jobs have no workloads: set jobs.generate.workload, or "
            "lucid.packing.switch: never");
        return 0;
    }
    if (scenario->log != NULL) {
        ret = check_workloads(scenario, bind, place);
    } else {
        for (size_t j = 0; j < workloads_of(scenario)->num_workloads; j++) {
            (void) report_lack(&workloads_of(scenario)->workloads[j], "", bind, place);
        }
    }
    return ret != 0 ? ret : read_pairs(scenario, bind->diag);
}

/* ---- The forecast ---- */

static int read_forecast(
    spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *root)
{
    spot_lucid_setting_t *lucid = &scenario->lucid;
    const spot_job_log_t *log = scenario->log;
    const spot_node_t *place = spot_node_place(root, "lucid.packing.forecast");
    const int ret = spot_forecast_read(&lucid->forecast, lucid->forecast_path, bind->diag);
    const int64_t last_s =
        scenario->start_s + SPOT_FORECAST_STEP_S * (int64_t) lucid->forecast.num_rows;

    if (ret == 0 && log != NULL && log->num_jobs > 0 &&
        log->jobs[log->num_jobs - 1].submit_s >= last_s) {
        spot_diag_warn(bind->diag, place->file, place->line, place->column,
            "lucid.packing.forecast: %lld s of the log have no forecast",
            (long long) (log->jobs[log->num_jobs - 1].submit_s - last_s + 1));
    }
    return ret;
}

int spot_lucid_setting_open(
    spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *root)
{
    spot_lucid_setting_t *lucid = &scenario->lucid;
    const size_t num_errors = bind->diag->num_errors;
    int ret = 0;

    lucid->limit_s /= SPOT_MS_PER_S;
    if (!spot_lucid_is_policy(scenario)) {
        return 0;
    }
    if (lucid->has_profiler) {
        check_profiler(scenario, bind, root);
    }
    if (lucid->forecast_path != NULL) {
        ret = read_forecast(scenario, bind, root);
    }
    if (lucid->packing != SPOT_PACKING_NEVER) {
        ret = spot_error_first(ret, open_packing(scenario, bind, root));
    }
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
