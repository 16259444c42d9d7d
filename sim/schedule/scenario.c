/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "models/price.h"
#include "sim/schedule/gpu_nodes.h"
#include "sim/schedule/policy.h"
#include "sim/train/assumed.h"
#include "traces/jobs/job_law.h"

/* ---- Trainers ---- */

#define PREFIX "core:"

static const spot_field_t trainer_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_trainer_t, name)};

static const spot_field_t *training_table(const spot_node_t *root)
{
    return root->kind == SPOT_NODE_MAP ? spot_scenario_fields : NULL;
}

static const spot_field_t trainer_path = {.type = SPOT_FIELD_PATH,
    .offset = offsetof(spot_trainer_t, path),
    .file_table = training_table};

/* Reads the scenarios. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free self even
 * then. */
static int trainers_read(spot_trainers_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < self->num_trainers; j++) {
        spot_trainer_t *trainer = &self->trainers[j];
        int error = SPOT_ERR_NO_MEMORY;

        trainer->training = spot_calloc(1, sizeof(*trainer->training));
        if (trainer->training != NULL) {
            error = spot_scenario_read(trainer->training, trainer->path, NULL, diag);
        }
        ret = spot_error_first(ret, error);
    }
    return ret;
}

static void trainers_free(spot_trainers_t *self)
{
    for (size_t j = 0; j < self->num_trainers; j++) {
        free(self->trainers[j].name);
        free(self->trainers[j].path);
        if (self->trainers[j].training != NULL) {
            spot_scenario_free(self->trainers[j].training);
            free(self->trainers[j].training);
        }
    }
    free(self->trainers);
    *self = (spot_trainers_t){0};
}

const spot_trainer_t *spot_trainers_find(const spot_trainers_t *self, const char *text)
{
    if (text == NULL || strncmp(text, PREFIX, sizeof(PREFIX) - 1) != 0) {
        return NULL;
    }
    for (size_t j = 0; j < self->num_trainers; j++) {
        if (strcmp(self->trainers[j].name, text + sizeof(PREFIX) - 1) == 0) {
            return &self->trainers[j];
        }
    }
    return NULL;
}

/* Of a job in the cluster; its trace, fleet and prices are those of the scheduler, but
 * for what the training engine does itself with the nodes that it is given. */
static bool training_decides(const spot_trainer_t *self, const char *key, bool prepares)
{
    static const char *const others[] = {"horizon", "trace", "fleet"};
    static const char *const own[] = {"fleet.notice", "fleet.preparation", "fleet.capacity"};
    spot_yaml_t document;
    spot_diag_t diag;
    bool decides = true;

    bool is_own = false;

    for (size_t j = 0; j < (prepares ? sizeof(own) / sizeof(own[0]) : 1); j++) {
        is_own |= strcmp(key, own[j]) == 0;
    }
    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        if (!is_own && strncmp(key, others[j], strlen(others[j])) == 0) {
            return false;
        }
    }
    spot_diag_init(&diag);
    if (spot_yaml_read(&document, self->path, &diag) == 0) {
        decides = spot_train_decides(self->training, document.root, key);
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return decides;
}

/* Whether the default of a key that decides (SPOT_DECIDES), such as "llm: job.reload" of
 * the scenario of the trainer llm, has a bearing on its jobs. prepares: nodes of a pool
 * are prepared by the training engine. */
static bool trainers_decide(const spot_trainers_t *self, const char *key, bool prepares)
{
    for (size_t j = 0; j < self->num_trainers; j++) {
        const size_t num_bytes = strlen(self->trainers[j].name);

        if (strncmp(key, self->trainers[j].name, num_bytes) == 0 &&
            strncmp(key + num_bytes, ": ", 2) == 0) {
            return training_decides(&self->trainers[j], key + num_bytes + 2, prepares);
        }
    }
    return true;
}

typedef spot_schedule_scenario_t scenario_t;

/* ---- Estimates of durations ---- */

static const char *const estimator_names[] = {
    "none", "oracle", "table", "noisy", "running-mean", "gam", NULL};
static const char *const history_names[] = {"simulated", "nominal", NULL};

static const spot_field_t estimator_fields[] = {
    {SPOT_CHOICE("estimator", spot_estimator_setting_t, source, estimator_names, "none",
        "estimated durations",
        "where durations come from: oracle: the true ones; table: jobs.estimates; "
        "noisy: "
        "the true ones times a lognormal factor; running-mean: of jobs of the same user "
        "and size that have ended; gam: an additive model, fitted again every week")},
    {SPOT_RANGE(NUMBER, "sigma", spot_estimator_setting_t, sigma, 0, 10, "1", "noise of estimates",
         "standard deviation of the logarithm, of noisy"),
        SPOT_DECIDES},
    {SPOT_CHOICE("history", spot_estimator_setting_t, is_nominal, history_names, "simulated",
         "history of estimates",
         "jobs that have ended, for running-mean and gam: in this simulation, or at "
         "submit + duration (nominal)"),
        SPOT_DECIDES},
    {.name = NULL},
};

/* ---- The setting of Lucid ---- */

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

static const char *const packing_names[] = {"always", "never", "forecast", NULL};
static const char *const pack_names[] = {"prefer", "last_resort", NULL};

static const spot_field_t packing_fields[] = {
    {SPOT_CHOICE("switch", spot_lucid_setting_t, packing, packing_names, "always", "packing",
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

static const spot_field_t lucid_fields[] = {
    {SPOT_GROUP("profiler", profiler_fields, "",
        "where jobs run first; without the key they enter their VC at once")},
    {SPOT_GROUP("packing", packing_fields, "{}", "which jobs share GPUs")},
    {.name = NULL, .fields = estimator_fields},
};

static void lucid_setting_free(spot_lucid_setting_t *self)
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

/* Checks scenario->lucid against the VCs and the log, which have been read, and reads
 * the forecast and the co-location table, if the policy is Lucid. root: the scenario.
 * BAD_INPUT with the reasons in the diag of bind, IO, NO_MEMORY; free scenario->lucid
 * even then. */
static int lucid_setting_open(
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

/* ---- Keys ---- */

static const spot_field_t cluster_fields[] = {
    {SPOT_FIELDS(ONE_OF, "vcs", scenario_t, jobs, spot_vcs_forms, NULL,
         "the virtual clusters and the nodes of each: a CSV file with the columns "
         "vc,nodes (or ,num), or a map. The order is that of every output"),
        .expected = "the path of a CSV file or a map such as {a: 9, b: 4}"},
    {SPOT_RANGE(INTEGER, "gpus_per_node", scenario_t, gpus_per_node, 1, SPOT_NODE_MAX_GPUS, "8",
         "GPUs of a node", "GPUs of every node"),
        SPOT_DECIDES},
    {SPOT_CHOICE("placer", scenario_t, placer, spot_placer_names, "consolidate", "placement",
         "consolidate: on as few nodes as possible, or the job waits; random: on the "
         "first free GPUs; consolidateFirst: consolidated, or else on the freest nodes"),
        SPOT_DECIDES},
    {SPOT_SECONDS("start", scenario_t, start_s, 0, "",
        "second of the clock at which the run starts; default: the first submit, cut "
        "to a minute")},
    {SPOT_RANGE(PRICE, "price", scenario_t, price_usd_per_h, 0, SPOT_MAX_PRICE_USD_PER_H, "0",
         "price of a reserved node", "what a reserved node costs"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "spot_share", scenario_t, spot_share, 0, 1, "0", "share of spot nodes",
         "share of the nodes of each VC, rounded to whole nodes, that are spot: they "
         "come and go as the pool without `vc` says"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const char *const compat_names[] = {"none", "lucid", NULL};
static const char *const stepping_names[] = {"due", "every-second", NULL};
static const char *const switch_names[] = {"off", "on", NULL};

#define QUIRK(name_, id, text)                                                                     \
    {                                                                                              \
        .name = name_, .type = SPOT_FIELD_CHOICE,                                                  \
        .offset = offsetof(scenario_t, quirks) + (id) * sizeof(int), .choices = switch_names,      \
        .initial = "", .help = text                                                                \
    }

static const spot_field_t quirk_fields[] = {
    QUIRK("Q1", SPOT_QUIRK_LATE_END, "SRTF, Tiresias and Lucid run every job a second longer"),
    QUIRK("Q2", SPOT_QUIRK_CLIPPED_ESTIMATES,
        "estimates from 0 to 1 s stay as they are; off: they are at least 1 s. Below 0 "
        "they count as 1000 s in either case"),
    QUIRK(
        "Q3", SPOT_QUIRK_FREE_PROFILING, "profiling takes no time from jobs that do not end in it"),
    QUIRK("Q4", SPOT_QUIRK_BLIND_LOANS,
        "loans of nodes are mirrored without a look whether the node is there"),
    QUIRK("Q5", SPOT_QUIRK_HEAVY_PAIRS,
        "NeuMF, ResNet50, BERT and Transformer share GPUs without interference"),
    QUIRK("Q6", SPOT_QUIRK_SLOW_GUEST, "a guest stays slow when its host ends first"),
    QUIRK("Q11", SPOT_QUIRK_CUT_SAMPLES,
        "samples of all VCs end with those of the first VC that ends"),
    QUIRK("Q12", SPOT_QUIRK_DOUBLE_RATES, "rates are subtracted in double, not in thousandths"),
    {.name = NULL},
};

static const spot_field_t threshold_field = {
    .type = SPOT_FIELD_NUMBER, .offset = 0, .min = 0, .max = 1e15};

static const spot_field_t tiresias_fields[] = {
    {SPOT_SECONDS("interval", scenario_t, tiresias.interval_s, 1000, "60 s", "Tiresias interval",
         "time between two decisions"),
        SPOT_DECIDES},
    {SPOT_ITEMS(LIST, "thresholds", scenario_t, tiresias.thresholds_gpu_s, tiresias.num_thresholds,
         threshold_field, 0, 16, "[18000]", "a list of GPU-seconds such as [18000]",
         "attained service in GPU-seconds above which a job falls into the next class"),
        .label = "Tiresias thresholds", SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t elastic_fields[] = {
    {SPOT_SECONDS("interval", scenario_t, elastic.interval_s, 1000, "60 s",
         "interval of elastic policies", "time between two decisions without a change"),
        SPOT_DECIDES},
    {SPOT_SECONDS("hold", scenario_t, elastic.hold_s, 0, "300 s", "hold time",
         "a job that has started or changed its size does not grow for so long"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t output_fields[] = {
    {SPOT_SECONDS("samples", scenario_t, sample_s, 0, "60 s", "time between samples; 0 s: none")},
    {SPOT_SECONDS("progress", scenario_t, progress_s, 0, "",
        "time between progress lines; 0 s: none. Default: 10000 s with compat: lucid, "
        "else none")},
    {SPOT_RANGE(INTEGER, "large_over", scenario_t, large_over, 0, SPOT_JOB_MAX_GPUS, "8",
        "a job with more GPUs than this is large")},
    {.name = NULL},
};

static void bind_policy(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_texts_t texts = {0};
    const char *list = "";
    spot_suggest_t near;
    int found = -1;

    if (node->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    spot_suggest_init(&near, node->text);
    for (int j = 0; spot_policies[j] != NULL; j++) {
        found = strcmp(spot_policies[j]->name, node->text) == 0 ? j : found;
        spot_suggest_offer(&near, spot_policies[j]->name);
        list = spot_texts_join(&texts, list, ", ", spot_policies[j]->name);
    }
    if (found >= 0) {
        *(int *) target = found;
    } else {
        spot_bind_unknown(bind, node, field->name, "policy", &near,
            spot_texts_add(&texts, ": there are %s", list));
    }
    bind->is_out_of_memory |= texts.error != 0;
    spot_texts_free(&texts);
}

const spot_field_t spot_schedule_fields[] = {
    {SPOT_VALUE(TEXT, "scenario", scenario_t, name, NULL, "name of the scenario")},
    SPOT_ENGINE_FIELD,
    {SPOT_FIELDS(MAP, "jobs", scenario_t, jobs, spot_jobs_fields, NULL, "the jobs")},
    {SPOT_GROUP("cluster", cluster_fields, NULL, "the cluster")},
    {SPOT_POOLS_FIELD(scenario_t, pools)},
    {.name = "trainers",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(scenario_t, trainers.trainers),
        .num_offset = offsetof(scenario_t, trainers.num_trainers),
        .item_size = sizeof(spot_trainer_t),
        .key = &trainer_name,
        .item = &trainer_path,
        .initial = "{}",
        .max = 1000,
        .expected = "a map such as {gpt: gpt.yaml}",
        .help = "scenarios of the training engine, by the name that the column trainer of "
                "the log gives: core:NAME"},
    {SPOT_SECONDS("horizon", scenario_t, horizon_s, 1000, "", "horizon",
        "the run ends then at the latest; default: with the last job")},
    {SPOT_VALUE(TEXT, "policy", scenario_t, policy_id, "fifo", "policy",
         "which jobs run. fifo: the first that came, sjf: the shortest by its true "
         "duration, qssf: the one of the least estimated duration times GPUs, and "
         "nothing "
         "overtakes it; srtf: those of the least remaining time, tiresias: those that "
         "have had the least service, and others are preempted; lucid: as qssf, with "
         "short profiling runs and pairs of jobs that share GPUs; efs, gain: in order "
         "of submission, and elastic jobs grow evenly, or where it gains the most"),
        .bind = bind_policy, .expected = "the name of a policy", SPOT_DECIDES},
    {SPOT_CHOICE("compat", scenario_t, is_compatible, compat_names, "none",
        "compatibility with a published simulator",
        "lucid: behave as the published simulator of Lucid, with all its quirks")},
    {SPOT_GROUP("quirks", quirk_fields, "{}",
        "single quirks of the published simulator, on or off; they win over compat")},
    {SPOT_CHOICE("stepping", scenario_t, is_every_second, stepping_names, "due",
        "every-second visits each second, slowly and with the same results: for tests")},
    {SPOT_GROUP("tiresias", tiresias_fields, "{}", "options of the policy tiresias")},
    {SPOT_FIELDS(
        MAP, "qssf", scenario_t, qssf, estimator_fields, "{}", "options of the policy qssf")},
    {SPOT_FIELDS(
        MAP, "lucid", scenario_t, lucid, lucid_fields, "{}", "options of the policy lucid")},
    {SPOT_GROUP("elastic", elastic_fields, "{}", "options of the policies efs and gain")},
    {SPOT_GROUP("output", output_fields, "{}", "what is written")},
    {.name = NULL},
};

/* Fills in what compat: lucid gives, and lucid.profiler. */
static void settle_keys(scenario_t *self)
{
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        self->quirks[j] = self->quirks[j] < 0 ? self->is_compatible : self->quirks[j];
    }
    if (self->progress_s < 0) {
        self->progress_s = self->is_compatible ? 10000 : 0;
    }
    self->lucid.has_profiler = self->lucid.num_sources > 0;
}

/* ---- Checks ---- */

static void check_thresholds(const scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    for (size_t j = 1; j < self->tiresias.num_thresholds; j++) {
        if (self->tiresias.thresholds_gpu_s[j] <= self->tiresias.thresholds_gpu_s[j - 1]) {
            SPOT_KEY_ERROR(bind, root, "tiresias.thresholds", "expected increasing numbers");
        }
    }
}

static void report_no_nodes(spot_bind_t *bind, const spot_node_t *place, const char *vc)
{
    spot_bind_error(
        bind, place, "cluster.vcs", "VC '%s' has no nodes: 0 needs a pool that adds some", vc);
}

/* Whether each VC of a map has nodes, or may get some; a file is checked when it is
 * read, and each VC when its pools are known. */
static void check_vcs(const scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *map = spot_node_get(spot_node_get(root, "cluster"), "vcs");

    for (size_t j = 0; j < self->jobs.num_vcs; j++) {
        const spot_vc_nodes_t *vc = &self->jobs.vcs[j];

        if (vc->num_nodes == 0 && self->pools.num_settings == 0) {
            report_no_nodes(bind, spot_node_get(map, vc->name), vc->name);
        }
    }
}

/* Whether jobs come from a log or from laws. */
static void check_jobs(const spot_jobs_setting_t *jobs, spot_bind_t *bind, const spot_node_t *root)
{
    if (jobs->log == NULL && !jobs->has_law) {
        SPOT_KEY_ERROR(bind, root, "jobs", "needs log or generate");
    } else if (jobs->log != NULL && jobs->has_law) {
        SPOT_KEY_ERROR(bind, root, "jobs", "log and generate exclude each other");
    } else if (jobs->has_law && jobs->estimates.file != NULL) {
        SPOT_KEY_ERROR(bind, root, "jobs.estimates", "a generated log has no table of estimates");
    }
}

/* Where the durations come from that the policy sees. */
static spot_estimate_source_t source_of(const scenario_t *self)
{
    const spot_policy_t *policy = spot_policies[self->policy_id];

    return policy->estimator == NULL ? SPOT_ESTIMATE_ORACLE
                                     : (spot_estimate_source_t) policy->estimator(self)->source;
}

static void check_estimator(const scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const char *policy = spot_policies[self->policy_id]->name;
    const spot_estimate_source_t source = source_of(self);

    if (source == SPOT_ESTIMATE_UNSET) {
        SPOT_KEY_ERROR(
            bind, root, "policy", "%s needs estimated durations: set %s.estimator", policy, policy);
    } else if (source == SPOT_ESTIMATE_TABLE && self->jobs.estimates.file == NULL) {
        SPOT_KEY_ERROR(bind, root, "policy",
            "%s.estimator is table, but jobs.estimates names no file", policy);
    }
}

/* The most GPUs of each VC. */
static int settle_nodes(
    scenario_t *self, spot_bind_t *bind, const spot_node_t *root, const scenario_t *like)
{
    int ret;

    SPOT_ARENA_ARRAY(&self->memory, self->capacity, self->vcs.num_vcs);
    SPOT_ARENA_ARRAY(&self->memory, self->num_reserved, self->vcs.num_vcs);
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    ret = spot_pool_plans_init(&self->pools, bind, root, &self->vcs, self->spot_share,
        self->horizon_s * SPOT_MS_PER_S, self->num_reserved, like == NULL ? NULL : &like->pools);
    for (size_t j = 0; j < self->vcs.num_vcs; j++) {
        const int64_t num_nodes = self->num_reserved[j] -
                                  spot_profiler_num_taken(self, self->vcs.vcs[j].name) +
                                  spot_pool_plans_most(&self->pools, (int32_t) j);

        self->capacity[j] = num_nodes < 0 ? 0 : (int32_t) (num_nodes * self->gpus_per_node);
        if (ret == 0 && self->vcs.vcs[j].num_nodes == 0 && num_nodes == 0) {
            report_no_nodes(bind, spot_node_place(root, "cluster.vcs"), self->vcs.vcs[j].name);
        }
    }
    return ret;
}

/* Reports jobs that no VC can ever hold. */
static void check_sizes(const scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    spot_texts_t texts = {0};
    const char *list = "";
    size_t num_large = 0;

    for (size_t j = 0; self->log != NULL && j < self->log->num_jobs; j++) {
        const spot_job_row_t *job = &self->log->jobs[j];

        if (job->gpu_num > self->capacity[job->vc_id] && num_large++ < MAX_LISTED) {
            list = spot_texts_join(&texts, list, ", ",
                spot_texts_add(&texts, "%s (%d of %d in %s)", job->id, job->gpu_num,
                    self->capacity[job->vc_id], self->vcs.vcs[job->vc_id].name));
        }
    }
    if (num_large > 0 && !self->jobs.drops_oversize) {
        SPOT_KEY_ERROR(bind, root, "jobs.log",
            "%zu job%s more GPUs than the VC can have: %s%s; jobs.oversize: drop leaves "
            "them out",
            num_large, num_large == 1 ? " asks for" : "s ask for", list,
            num_large > MAX_LISTED ? ", ..." : "");
    }
    spot_texts_free(&texts);
}

static void settle_start(scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const int64_t first_s =
        self->log == NULL || self->log->num_jobs == 0 ? 0 : self->log->jobs[0].submit_s;

    self->start_s = self->start_s < 0 ? first_s / 60 * 60 : self->start_s;
    if (self->start_s > first_s && self->log != NULL) {
        SPOT_KEY_ERROR(bind, root, "cluster.start", "%lld s is after the first submit (%lld s)",
            (long long) self->start_s, (long long) first_s);
    }
}

/* Whether a job of the training engine has a trainer and whole pipelines of nodes. */
static void check_trainer(const scenario_t *self, const spot_job_row_t *job, const char *text,
    bool is_fleet, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_trainer_t *trainer = spot_trainers_find(&self->trainers, text);
    int64_t depth;

    if (trainer == NULL) {
        SPOT_KEY_ERROR(bind, root, "trainers", "job %s: no trainer is called \"%s\"", job->id,
            text + sizeof("core:") - 1);
        return;
    }
    depth = trainer->training->job.pipeline_depth;
    if (!is_fleet && job->gpu_num % (depth * self->gpus_per_node) != 0) {
        SPOT_KEY_ERROR(bind, root, "trainers",
            "job %s: %d GPUs are no whole number of pipelines of \"%s\": %lld nodes of "
            "%lld GPUs",
            job->id, job->gpu_num, trainer->name, (long long) depth,
            (long long) self->gpus_per_node);
    }
}

static void check_trainers(const scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    for (size_t j = 0; self->log != NULL && j < self->log->num_jobs; j++) {
        const spot_job_row_t *job = &self->log->jobs[j];
        const char *text = job->terms_id < 0 ? NULL : self->log->terms[job->terms_id].trainer;
        const bool is_fleet = spot_pool_plans_is_fleet(&self->pools, job->vc_id);

        if (text != NULL) {
            check_trainer(self, job, text, is_fleet, bind, root);
        } else if (is_fleet) {
            SPOT_KEY_ERROR(bind, root, "pools",
                "preparation: core is for jobs with a trainer, but job %s in %s has "
                "none",
                job->id, self->vcs.vcs[job->vc_id].name);
        }
    }
}

/* Reads what the scenario names. */
static int open_data(
    scenario_t *self, spot_bind_t *bind, const spot_node_t *root, const scenario_t *like)
{
    int ret = spot_job_data_open(&self->data, &self->jobs, self->pools.num_settings > 0,
        like == NULL ? NULL : like->data, bind->diag);

    if (ret == 0) {
        self->vcs = self->data->vcs;
        self->estimates_s = self->data->estimates_s;
        if (self->jobs.has_law) {
            ret = spot_job_law_place(&self->jobs.law, &self->vcs, false, bind->diag);
        } else {
            self->log = &self->data->log;
        }
    }
    ret = ret != 0 ? ret : settle_nodes(self, bind, root, like);
    return ret != 0 ? ret : trainers_read(&self->trainers, bind->diag);
}

int spot_schedule_scenario_init(
    scenario_t *self, const spot_node_t *root, const scenario_t *like, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};
    int ret;

    self->start_s = self->progress_s = -1; /* not given */
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        self->quirks[j] = -1;
    }
    ret = spot_bind_document(spot_schedule_fields, root, diag, self);
    self->jobs.has_law = spot_node_get(spot_node_get(root, "jobs"), "generate") != NULL;
    settle_keys(self);
    if (ret == 0) {
        check_thresholds(self, &bind, root);
        check_vcs(self, &bind, root);
        check_jobs(&self->jobs, &bind, root);
        check_estimator(self, &bind, root);
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        ret = open_data(self, &bind, root, like);
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        settle_start(self, &bind, root);
        ret = lucid_setting_open(self, &bind, root);
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        check_sizes(self, &bind, root);
        check_trainers(self, &bind, root);
    }
    if (ret == 0 && bind.is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret == 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

bool spot_schedule_scenario_is_random(const scenario_t *self)
{
    bool is_random =
        self->log == NULL || self->jobs.jitter_s > 0 || source_of(self) == SPOT_ESTIMATE_NOISY;

    for (size_t j = 0; j < self->pools.num_pools; j++) {
        const spot_trace_t *recording = self->pools.pools[j].trace.recording;

        is_random |= recording == NULL || recording->kind != SPOT_TRACE_NAMED;
    }
    return is_random;
}

/* Whether a key lies below a map. */
static bool is_below(const char *key, const char *map)
{
    const size_t num_bytes = strlen(map);

    return strncmp(key, map, num_bytes) == 0 && key[num_bytes] == '.';
}

/* Whether a job that ran may have to start again. */
static bool restarts(const scenario_t *self)
{
    static const char *const others[] = {"fifo", "sjf", "qssf"}; /* which preempt none */
    bool preempts = true;

    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        preempts = preempts && strcmp(spot_policies[self->policy_id]->name, others[j]) != 0;
    }
    return preempts || self->pools.num_settings > 0;
}

/* Whether the policy changes the size of elastic jobs. */
static bool is_elastic(const scenario_t *self)
{
    const char *policy = spot_policies[self->policy_id]->name;

    return strcmp(policy, "efs") == 0 || strcmp(policy, "gain") == 0;
}

/* Whether a pool gives a share of the nodes of every VC. */
static bool has_shared_pool(const scenario_t *self)
{
    for (size_t j = 0; j < self->pools.num_settings; j++) {
        if (self->pools.settings[j].vc == NULL) {
            return true;
        }
    }
    return false;
}

/* Whether durations are learnt from jobs that have ended. */
static bool learns(int source)
{
    return source == SPOT_ESTIMATE_RUNNING_MEAN || source == SPOT_ESTIMATE_GAM;
}

/* Of the laws of jobs, of the cluster and of the options of a policy. */
static bool option_decides(const scenario_t *self, const char *key)
{
    const spot_lucid_setting_t *lucid = &self->lucid;
    const spot_job_law_t *law = &self->jobs.law;
    const struct {
        const char *key;
        bool decides;
    } rules[] = {
        {"cluster.spot_share", has_shared_pool(self)},
        {"qssf.sigma", self->qssf.source == SPOT_ESTIMATE_NOISY},
        {"lucid.sigma", lucid->estimator.source == SPOT_ESTIMATE_NOISY},
        {"qssf.history", learns(self->qssf.source)},
        {"lucid.history", learns(lucid->estimator.source)},
        {"lucid.packing.threshold", lucid->packing == SPOT_PACKING_FORECAST},
        {"lucid.packing.pack", lucid->packing != SPOT_PACKING_NEVER},
        {"lucid.packing.unknown_pair", lucid->packing != SPOT_PACKING_NEVER},
        {"lucid.packing.gpu_memory", lucid->packing != SPOT_PACKING_NEVER},
        {"lucid.packing.max_gpus", lucid->packing != SPOT_PACKING_NEVER},
        {"jobs.generate.restart", restarts(self)},
        {"jobs.generate.checkpoint.every", restarts(self)},
        {"jobs.generate.checkpoint.write", law->terms.checkpoint_every_ms > 0},
        {"jobs.generate.reconfiguration", law->terms.num_speeds > 0},
        {"jobs.generate.horizon", law->num_jobs == 0},
        {"jobs.generate.duration", law->num_classes == 0 || law->classes[0].from_gpus > 1},
    };

    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        if (strcmp(rules[j].key, key) == 0) {
            return rules[j].decides;
        }
    }
    return true;
}

bool spot_schedule_decides(const void *scenario, const spot_node_t *root, const char *key)
{
    static const char *const policies[][2] = {{"tiresias", "tiresias"}, {"qssf", "qssf"},
        {"lucid", "lucid"}, {"elastic", "efs"}, {"elastic", "gain"}};
    const scenario_t *self = scenario;
    const char *policy = spot_policies[self->policy_id]->name;
    static const char trainers[] = "trainers.", laws[] = "jobs.generate: ";
    char law[256];
    bool is_option = false;

    if (strncmp(key, trainers, sizeof(trainers) - 1) == 0) {
        bool prepares = false;

        for (size_t j = 0; j < self->pools.num_pools; j++) {
            prepares |= self->pools.pools[j].is_prepared_by_core;
        }
        return trainers_decide(&self->trainers, key + sizeof(trainers) - 1, prepares);
    }
    if (strncmp(key, laws, sizeof(laws) - 1) == 0) { /* of a file; the rules are the same */
        snprintf(law, sizeof(law), "jobs.generate.%s", key + sizeof(laws) - 1);
        key = law;
    }
    for (size_t j = 0; j < sizeof(policies) / sizeof(policies[0]); j++) {
        is_option |= is_below(key, policies[j][0]);
        if (is_below(key, policies[j][0]) && strcmp(policy, policies[j][1]) == 0) {
            return option_decides(self, key);
        }
    }
    if (strstr(key, "tick_s") != NULL) {
        return false; /* of a trace: nodes come and go by the second */
    }
    if (is_below(key, "pools") || strncmp(key, "pools[", 6) == 0) {
        const spot_node_t *pools = spot_node_get(root, "pools");
        const size_t pool_id = (size_t) strtoul(key + 6, NULL, 10);

        return strstr(key, ".price.spot") == NULL || pool_id >= pools->num_children ||
               !spot_node_has(pools->children[pool_id], "trace.price");
    }
    return !is_option && option_decides(self, key);
}

/* What a log does not say of its jobs; those of the training engine need none of it. */
int spot_schedule_assume(const void *scenario, spot_assumed_t *assumed)
{
    const scenario_t *self = scenario;
    const spot_job_log_t *log = self->log;
    bool lacks_restart = false, lacks_checkpoint = false, has_interval = false, has_sizes = false;
    int ret = 0;

    for (size_t j = 0; log != NULL && j < log->num_jobs; j++) {
        const int32_t terms_id = log->jobs[j].terms_id;
        const spot_job_terms_row_t *terms = terms_id < 0 ? NULL : &log->terms[terms_id];

        if (terms == NULL || terms->trainer == NULL) {
            lacks_restart |= terms == NULL || terms->restart_s < 0;
            lacks_checkpoint |= !log->has_checkpoints;
            has_interval |= terms != NULL && terms->checkpoint_interval_s > 0;
            has_sizes |= terms != NULL && terms->min_gpus > 0;
        }
    }
    const struct {
        bool is_assumed;
        const char *key, *value, *label;
    } items[] = {
        {lacks_restart && restarts(self), "jobs.log: restart_s", SPOT_RESTART_WORDS,
            "restart time of jobs"},
        {lacks_checkpoint && restarts(self), "jobs.log: ckpt_interval_s", "0 s",
            "checkpoint interval of jobs"},
        {has_interval && !log->has_writes, "jobs.log: ckpt_write_s", "0 s", "write time of jobs"},
        {has_sizes && is_elastic(self) && !log->has_reconfigurations, "jobs.log: reconfig_s", "0 s",
            "reconfiguration time of jobs"},
    };

    for (size_t j = 0; ret == 0 && j < sizeof(items) / sizeof(items[0]); j++) {
        if (items[j].is_assumed && !self->is_compatible) { /* as the published simulator has it */
            ret = spot_assumed_add(assumed, items[j].key, items[j].value, items[j].label);
        }
    }
    return ret;
}

void spot_schedule_scenario_free(scenario_t *self)
{
    free(self->name);
    free(self->tiresias.thresholds_gpu_s);
    spot_pool_plans_free(&self->pools);
    trainers_free(&self->trainers);
    lucid_setting_free(&self->lucid);
    spot_jobs_setting_free(&self->jobs);
    spot_job_data_close(self->data);
    spot_arena_free(&self->memory);
}

bool spot_profiler_is_used(const spot_schedule_scenario_t *scenario)
{
    return scenario->lucid.has_profiler && spot_lucid_is_policy(scenario);
}

int32_t spot_profiler_num_taken(const spot_schedule_scenario_t *scenario, const char *vc_name)
{
    const spot_lucid_setting_t *lucid = &scenario->lucid;
    int64_t num_taken = 0;

    for (size_t j = 0; j < lucid->num_sources; j++) {
        if (vc_name == NULL ||
            (spot_profiler_is_used(scenario) && strcmp(lucid->sources[j].name, vc_name) == 0)) {
            num_taken += lucid->sources[j].num_nodes;
        }
    }
    return (int32_t) num_taken;
}
