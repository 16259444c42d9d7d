/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/memory_limit.h"
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "sim/bench/engine/scenario_file.h"
#include "traces/jobs/job_law.h"

typedef struct {
    const char *law_path;
    const char *log_path;
    const char *vcs_path;
    int64_t load;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.seed = 1, .load = 80};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a file with laws of jobs", 0, "LAW", law_path, NULL, .min = 1),
    SPOT_OPTION_LOG_OUTPUT(log_path),
    SPOT_OPTION(WRITTEN, "vcs-out", 0, "FILE", vcs_path,
        "Write a VC file too: so many nodes that the jobs load their GPUs by --load",
        .endings = ".csv"),
    SPOT_OPTION(COUNT, "load", 0, "PERCENT", load,
        "Load of the GPUs of --vcs-out, in % (default 80)", .min = 1, .max = 1000),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "replication", 0, "R", replication,
        "Which replication of the seed to draw (default 0)"),
    SPOT_OPTION(
        TEXTS, "set", 0, "KEY=VALUE", sets, "Set a key of the laws; may be given several times"),
    SPOT_OPTION_END,
};

/* A key of laws with its default, if that is short. */
static const char *law_key(size_t j, const char **name)
{
    enum { MAX_BYTES = 60 };
    const spot_field_t *field = &spot_job_law_fields[j];
    const char *value = field->initial;
    static char text[512];

    *name = field->name;
    if (field->name == NULL) {
        return NULL;
    }
    if (value == NULL) {
        snprintf(text, sizeof(text), "%s (required)", field->help);
        return text;
    }
    if (value[0] == '\0' || strlen(value) > MAX_BYTES || strcmp(value, "{}") == 0) {
        return field->help;
    }
    snprintf(text, sizeof(text), "%s (default %s)", field->help, value);
    return text;
}

/* Refuses more jobs than memory holds. */
static int check_memory(spot_call_t *call, const spot_job_law_t *law, const spot_node_t *root)
{
    const char *key = law->num_jobs > 0 ? "jobs" : "per_hour";
    const spot_node_t *node = spot_node_place(root, key);
    const double num_jobs = spot_job_law_mean_jobs(law);
    const spot_memory_need_t need = {num_jobs, "jobs", spot_job_law_bytes(num_jobs), false};

    return spot_memory_check(&need, &call->diag, node, key);
}

static int read_law(spot_call_t *call, spot_job_law_t *law)
{
    const arguments_t *arguments = call->arguments;
    const spot_scenario_changes_t changes = {
        .num_sets = arguments->sets.num_texts, .sets = arguments->sets.texts};
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, arguments->law_path, &changes, &call->diag);

    if (document.root != NULL) {
        const int error = spot_job_law_init(law, document.root, &call->diag);

        ret = spot_error_first(ret, error);
    }
    if (ret == 0) {
        ret = check_memory(call, law, document.root);
    }
    spot_yaml_free(&document);
    return ret;
}

static int write_files(
    spot_call_t *call, const spot_job_law_t *law, const spot_schedule_log_t *drawn)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out;
    int ret = spot_schedule_log_write(call, drawn, arguments->log_path);

    if (ret != 0 || arguments->vcs_path == NULL) {
        return ret;
    }
    out = spot_output_bytes(&output, arguments->vcs_path, &call->diag);
    if (out != NULL) {
        ret = spot_job_law_write_vcs(
            law, &drawn->log, &drawn->vcs, (double) arguments->load / 100, out);
    }
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_schedule_log_t drawn = {.rows = NULL};
    spot_job_law_t law = {0};
    int ret = read_law(call, &law);

    if (ret == 0) {
        ret = spot_job_law_place(&law, &drawn.vcs, true, &call->diag);
    }
    call->is_reading = ret != 0;
    if (ret == 0) {
        ret = spot_job_law_draw(
            &law, &drawn.log, (uint64_t) arguments->seed, (uint64_t) arguments->replication);
    }
    ret = ret == 0 ? write_files(call, &law, &drawn) : ret;
    spot_schedule_log_free(&drawn);
    spot_job_law_free(&law);
    return ret;
}

const spot_command_t spot_command_schedule_generate = {
    .name = "schedule generate",
    .arguments = "LAW",
    .summary = "Write a synthetic job log, drawn from laws of jobs",
    .doc = "LAW is a YAML file (spotsim-jobs: 1): how many jobs come an hour, by hour "
           "and weekday, their GPUs, durations, VCs and users. 'spotsim schedule fit' "
           "writes one from a log. Jobs come as a Poisson process, cut to whole seconds; "
           "durations are rounded to whole seconds, and are at least 1 s.\n\n"
           "A scenario takes the same laws, for the VCs of its cluster: jobs: "
           "{generate: LAW}. Keys:",
    .examples = "  spotsim schedule generate jobs.yaml -o jobs.csv --vcs-out vcs.csv\n"
                "  spotsim schedule generate jobs.yaml --set per_hour=60 \\\n"
                "      --replication 3 -o jobs.csv.gz\n",
    .options = options,
    .item = law_key,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
