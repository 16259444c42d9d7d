/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/log_verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/verb/table.h"
#include "base/verb/terminal.h"
#include "base/verb/verb.h"
#include "sim/bench/engine/scenario_file.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_law.h"

/* rows: [num_vcs + 1] of spot_job_coverage(), of which the last is of all. */
typedef struct {
    const spot_job_counts_t *counts;
    const spot_job_coverage_t *rows;
    size_t num_rows;
} coverage_t;
#define OPTION_GPUS_PER_NODE(member)                                                               \
    SPOT_OPTION(COUNT, "gpus-per-node", 0, "N", member,                                            \
        "GPUs of a node (default 8), for the load", .min = 1, .max = 64)
#define OPTION_SHORT(member)                                                                       \
    SPOT_OPTION(CHOICE, "short", 0, "error|clamp|drop", member,                                    \
        "A duration below 1 s is an error (default), is raised to 1 s, or its row is "             \
        "dropped",                                                                                 \
        .choices = spot_short_rule_names)
#define OPTION_STRICT(member)                                                                      \
    SPOT_OPTION(                                                                                   \
        FLAG, "strict", 0, NULL, member, "A VC that is not among those of --vcs is an error")

#define OPTION_LOG_OUTPUT(member)                                                                  \
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", member,                                            \
        "Write the log here, compressed if it ends in .gz (default: standard output)",             \
        .endings = ".csv or .gz")

/* ---- Coverage of a log as text, CSV and JSON ---- */

/* What a job log holds, for people and for programs. */

/* Counts of rows: the key of programs, and what people read behind the number. */
static const struct {
    const char *key, *words;
    size_t offset;
} counts[] = {
#define MEMBER(member) offsetof(spot_job_counts_t, member)
    {"rows_read", NULL, MEMBER(read)},
    {"rows_kept", NULL, MEMBER(kept)},
    {"without_gpus", "without GPUs", MEMBER(without_gpus)},
    {"unknown_vc", "of VCs that the cluster has not", MEMBER(unknown_vc)},
    {"dropped_vc", "of VCs that are dropped", MEMBER(dropped_vc)},
    {"outside", "outside the window", MEMBER(outside)},
    {"too_short", "below 1 s", MEMBER(too_short)},
    {"unsorted", NULL, MEMBER(unsorted)},
#undef MEMBER
};

enum { NUM_COUNTS = sizeof(counts) / sizeof(counts[0]) };

typedef enum { FORM_TEXT, FORM_CSV, FORM_JSON } form_t;

static int64_t count_of(const coverage_t *self, size_t count_id)
{
    const char *members = (const char *) self->counts;

    return *(const int64_t *) (const void *) (members + counts[count_id].offset);
}

/* What is not known is empty. */
static void add_count(spot_table_t *table, int64_t count, bool is_known)
{
    if (is_known) {
        spot_table_add_count(table, count);
    } else {
        spot_table_add_empty(table);
    }
}

static void fill(const coverage_t *self, spot_table_t *table, form_t form)
{
    const bool is_machine = form != FORM_TEXT;
    const bool has_nodes = self->rows[self->num_rows - 1].num_nodes > 0;
    const bool has_users = self->rows[self->num_rows - 1].num_users > 0;
    const spot_table_column_t columns[] = {
        {.name = is_machine ? "vc" : "VC", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "nodes"},
        {.name = is_machine ? "gpus" : "GPUs"},
        {.name = "jobs"},
        {.name = "users"},
        {.name = "load", .is_fixed = true, .num_decimals = 3},
        {.name = is_machine ? "largest_gpus" : "largest", .unit = is_machine ? NULL : "GPUs"},
        {.name = is_machine ? "longest_s" : "longest", .unit = is_machine ? NULL : "s"},
    };

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < NUM_COUNTS && form == FORM_CSV; j++) {
        spot_table_add_column(table, (spot_table_column_t){.name = counts[j].key});
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_job_coverage_t *row = &self->rows[j];

        spot_table_add_row(table);
        spot_table_add_text(table, row->vc);
        add_count(table, row->num_nodes, has_nodes);
        add_count(table, row->num_gpus, has_nodes);
        spot_table_add_count(table, row->num_jobs);
        add_count(table, row->num_users, has_users);
        if (isnan(row->load)) {
            spot_table_add_empty(table);
        } else {
            spot_table_add_number(table, row->load);
        }
        add_count(table, row->most_gpus, row->num_jobs > 0);
        add_count(table, row->longest_s, row->num_jobs > 0);
    }
    for (size_t j = 0; j < NUM_COUNTS && form == FORM_CSV; j++) {
        spot_table_add_count(table, count_of(self, j)); /* of all, the last row */
    }
}

/* Writes how many rows were read, and why others than those that are kept were dropped:
 * the short ones only if they are needed for the sum. */
static void write_caption(const coverage_t *self, FILE *out)
{
    int64_t num_left = self->counts->read - self->counts->kept;
    const char *before = ":";

    fprintf(out, "%lld rows read, %lld kept", (long long) self->counts->read,
        (long long) self->counts->kept);
    for (size_t j = 0; j < NUM_COUNTS; j++) {
        const int64_t count = count_of(self, j);

        if (counts[j].words != NULL && count > 0 && num_left > 0) {
            fprintf(out, "%s %lld %s", before, (long long) count, counts[j].words);
            num_left -= count;
            before = ",";
        }
    }
}

/* A sentence on the rows that were read, and a line for each VC. NO_MEMORY, IO. */
static int coverage_write_text(const coverage_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    FILE *caption = spot_table_begin_text(&table);
    int ret;

    if (caption != NULL) {
        write_caption(self, caption);
    }
    spot_table_end_caption(&table, caption);
    fill(self, &table, FORM_TEXT);
    if (isnan(self->rows[self->num_rows - 1].load)) {
        spot_table_add_note(&table, "",
            "The load, GPU time asked for per GPU and second, needs the nodes of the "
            "VCs: --vcs.");
    }
    ret = spot_output_put_table(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

/* A line for each VC; counts of rows are in the line of all. NO_MEMORY, IO. */
static int coverage_write_csv(const coverage_t *self, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    int ret;

    fill(self, &table, FORM_CSV);
    ret = spot_table_write_csv(&table, out);
    spot_table_free(&table);
    return ret;
}

/* An object with the counts of rows and the VCs. NO_MEMORY, IO. */
static int coverage_write_json(const coverage_t *self, FILE *out)
{
    spot_table_t table = {.name = "coverage"};
    spot_json_t json;
    int ret;

    fill(self, &table, FORM_JSON);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_open(&json, "rows", '{');
    for (size_t j = 0; j < NUM_COUNTS; j++) {
        spot_json_integer(&json, counts[j].key, count_of(self, j));
    }
    spot_json_close(&json, '}');
    spot_json_open(&json, "vcs", '[');
    ret = spot_table_write_json(&table, &json);
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fputc('\n', out);
    spot_table_free(&table);
    return ret;
}

/* ---- A log and its VCs ---- */

int spot_schedule_log_read(spot_schedule_log_t *self, const char *vcs_path,
    spot_job_log_request_t *request, spot_diag_t *diag)
{
    int ret = 0;

    request->vcs = &self->vcs;
    request->adds_vcs = vcs_path == NULL;
    if (vcs_path != NULL) {
        ret = spot_vc_list_read(&self->vcs, vcs_path, true, diag);
    }
    return ret != 0 ? ret : spot_job_log_read(&self->log, request, diag);
}

/* Finds the coverage. Valid until self is freed. NO_MEMORY. */
static int schedule_log_cover(
    spot_schedule_log_t *self, int64_t gpus_per_node, coverage_t *coverage)
{
    const size_t num_rows = self->vcs.num_vcs + 1;

    self->rows = spot_calloc(num_rows, sizeof(*self->rows));
    *coverage = (coverage_t){&self->log.counts, self->rows, num_rows};
    return self->rows == NULL
               ? SPOT_ERR_NO_MEMORY
               : spot_job_coverage(&self->log, &self->vcs, (int32_t) gpus_per_node, self->rows);
}

/* Writes the log, and the coverage, as CSV. IO, NO_MEMORY. */
static int schedule_log_write(spot_call_t *call, const spot_schedule_log_t *self, const char *path)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);

    if (out != NULL) {
        spot_job_log_write(&self->log, &self->vcs, out);
    }
    return spot_output_end(&output, 0);
}

static int schedule_coverage_write(spot_call_t *call, const coverage_t *coverage, const char *path)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);

    return spot_output_end(&output, out == NULL ? 0 : coverage_write_csv(coverage, out));
}

void spot_schedule_log_free(spot_schedule_log_t *self)
{
    free(self->rows);
    spot_job_log_free(&self->log);
    spot_vc_list_free(&self->vcs);
    memset(self, 0, sizeof(*self));
}

/* ---- spotsim schedule import ---- */

typedef struct {
    const char *log_path;
    const spot_job_preset_t *preset; /* NULL: none */
    const char *origin, *begin, *end;
    int clock;
    size_t num_rules;
    size_t max_rules;
    spot_vc_rule_t *rules; /* [num_rules] those of --vc before those of the preset */
    spot_job_window_t window;
    const char *vcs_path;
    const char *output_path;
    const char *coverage_path;
    int64_t gpus_per_node;
    int short_rule; /* spot_short_rule_t */
    bool is_strict;
} import_arguments_t;

static const import_arguments_t import_initial = {.gpus_per_node = 8};

static const char *const clocks[] = {"first", "origin", NULL};

static const char *preset_name(size_t j)
{
    return spot_job_presets[j].name;
}

static const char *preset_doc(size_t j, const char **name)
{
    *name = spot_job_presets[j].name;
    return spot_job_presets[j].doc;
}

static void take_preset(spot_call_t *call, const spot_option_t *option, const char *text)
{
    import_arguments_t *arguments = call->arguments;

    (void) option;
    for (size_t j = 0; spot_job_presets[j].name != NULL; j++) {
        if (strcmp(spot_job_presets[j].name, text) == 0) {
            arguments->preset = &spot_job_presets[j];
        }
    }
}

static void add_rule(import_arguments_t *arguments, const spot_vc_rule_t *rule)
{
    spot_option_reserve(&arguments->rules, &arguments->max_rules, arguments->num_rules + 1,
        sizeof(*arguments->rules));
    arguments->rules[arguments->num_rules++] = *rule;
}

static void take_rule(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const char *equals = strchr(text, '=');
    spot_vc_rule_t rule;

    if (equals == NULL || equals == text) {
        spot_usage_error(
            call, "--%s: expected FROM=TO, or FROM= to drop, got \"%s\"", option->name, text);
    } else {
        rule.from = spot_texts_add(&call->texts, "%.*s", (int) (equals - text), text);
        rule.to = equals + 1;
        add_rule(call->arguments, &rule);
    }
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF import_arguments_t

static const spot_option_t import_options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(OWN, "preset", 0, "NAME", preset,
        "Origin, window and names of VCs of a published log", .what = "preset",
        .words = preset_name, .settle = take_preset),
    SPOT_OPTION(TEXT, "origin", 0, "TIME", origin,
        "Drop what was submitted before, YYYY-MM-DD hh:mm:ss or seconds as in the log",
        .example = "\"2020-04-01 00:00:00\""),
    SPOT_OPTION(
        TEXT, "begin", 0, "TIME", begin, "Keep what was submitted from then on, on the clock"),
    SPOT_OPTION(TEXT, "end", 0, "TIME", end, "Keep what was submitted up to then"),
    SPOT_OPTION(CHOICE, "clock", 0, "first|origin", clock,
        "Second 0 of the clock: the first submit that is left before the window is cut "
        "(default), or the origin",
        .choices = clocks),
    SPOT_OPTION(OWN, "vc", 0, "FROM=TO", rules,
        "Rename a VC, before the preset does; FROM= drops it, *=TO renames all others. "
        "May be given several times",
        .settle = take_rule),
    SPOT_OPTION_VCS(vcs_path),
    OPTION_GPUS_PER_NODE(gpus_per_node),
    OPTION_SHORT(short_rule),
    OPTION_STRICT(is_strict),
    OPTION_LOG_OUTPUT(output_path),
    SPOT_OPTION(WRITTEN, "coverage", 0, "FILE", coverage_path,
        "Write the coverage here (default: import.csv in the folder of the log)",
        .endings = ".csv"),
    SPOT_OPTION_END,
};

/* What was not given is that of the preset. */
static void take_window(import_arguments_t *arguments, spot_call_t *call)
{
    static const spot_job_preset_t none = {.name = NULL};
    const spot_job_preset_t *preset = arguments->preset == NULL ? &none : arguments->preset;
    const char *origin = arguments->origin == NULL ? preset->origin : arguments->origin;
    const char *begin = arguments->begin == NULL ? preset->begin : arguments->begin;
    const char *end = arguments->end == NULL ? preset->end : arguments->end;
    const char *problem = spot_job_window_set(&arguments->window, origin, begin, end);

    if (problem != NULL) {
        spot_usage_error(call, "--origin, --begin, --end: %s", problem);
    }
    spot_usage_refuse(call, arguments->clock == 1 && origin == NULL,
        "--clock origin needs an origin: --origin TIME");
    arguments->window.is_origin_zero = arguments->clock == 1;
    for (size_t j = 0; j < preset->num_vc_rules; j++) {
        add_rule(arguments, &preset->vc_rules[j]);
    }
}

static void import_check(spot_call_t *call)
{
    import_arguments_t *arguments = call->arguments;
    const char *path = arguments->output_path == NULL ? "" : arguments->output_path;
    const char *slash = strrchr(path, '/');

    take_window(arguments, call);
    spot_usage_refuse(call, arguments->is_strict && arguments->vcs_path == NULL,
        "--strict needs the VCs of the cluster: --vcs FILE");
    if (arguments->coverage_path == NULL) {
        arguments->coverage_path = spot_texts_add(
            &call->texts, "%.*simport.csv", slash == NULL ? 0 : (int) (slash - path) + 1, path);
    }
}

/* The coverage is for people on standard error, whatever its width, and for programs in
 * its file. */
static int write_coverage(spot_call_t *call, spot_schedule_log_t *input)
{
    const import_arguments_t *arguments = call->arguments;
    const spot_terminal_t terminal = spot_terminal_of_output(true);
    coverage_t coverage;
    int ret = schedule_log_cover(input, arguments->gpus_per_node, &coverage);

    if (ret == 0 && !call->is_quiet) {
        ret = coverage_write_text(&coverage, &terminal, stderr);
    }
    return ret != 0 ? ret : schedule_coverage_write(call, &coverage, arguments->coverage_path);
}

static int import_run(spot_call_t *call)
{
    const import_arguments_t *arguments = call->arguments;
    const spot_job_preset_t *preset = arguments->preset;
    spot_job_log_request_t request = {.log = arguments->log_path,
        .is_strict = arguments->is_strict,
        .short_rule = (spot_short_rule_t) arguments->short_rule,
        .num_vc_rules = arguments->num_rules,
        .vc_rules = arguments->rules,
        .num_state_rules = preset == NULL ? 0 : preset->num_state_rules,
        .state_rules = preset == NULL ? NULL : preset->state_rules,
        .window = &arguments->window};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = schedule_log_write(call, &input, arguments->output_path);
    }
    ret = ret == 0 ? write_coverage(call, &input) : ret;
    spot_schedule_log_free(&input);
    free(arguments->rules);
    return ret;
}

const spot_verb_t spot_verb_schedule_import = {
    .name = "schedule import",
    .arguments = "LOG",
    .summary = "Make a job log of a raw log: a window of time, VCs renamed or dropped",
    .doc = "LOG is a CSV file with the columns of job logs, in any order; others are "
           "ignored. In this order: rows without GPUs are dropped; VCs are renamed or "
           "dropped; what was submitted before the origin is dropped; second 0 of the "
           "clock is the first submit that is left; what is outside the window is "
           "dropped, whose bounds count in seconds from the origin. The coverage, what "
           "was dropped and what is left by VC, goes to standard error and to "
           "import.csv.\n\n"
           "Never take the capacity of a cluster from a trace's list of machines: it is "
           "an input of its own, --vcs. Presets:",
    .examples = "  spotsim schedule import cluster_log.csv --preset helios-sept \\\n"
                "      --vcs vcs.csv -o venus.csv.gz\n"
                "  spotsim schedule import raw.csv --vc \"old=new\" --vc \"test=\" \\\n"
                "      --begin \"2024-03-04 00:00:00\" -o week.csv\n",
    .options = import_options,
    .item = preset_doc,
    .arguments_bytes = sizeof(import_arguments_t),
    .initial = &import_initial,
    .check = import_check,
    .run = import_run,
};

/* ---- spotsim schedule check ---- */

typedef struct {
    const char *log_path;
    const char *workload_path;
    const char *vcs_path;
    const char *csv_path;
    int64_t gpus_per_node;
    int short_rule; /* spot_short_rule_t */
    bool is_strict;
    spot_target_t target;
} check_arguments_t;

static const check_arguments_t check_initial = {.gpus_per_node = 8};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF check_arguments_t

static const spot_option_t check_options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "workload", 0, "FILE", workload_path,
        "More columns of the jobs, joined on job_id", .endings = ".csv or .gz or .xz or .zst"),
    SPOT_OPTION_VCS(vcs_path),
    OPTION_GPUS_PER_NODE(gpus_per_node),
    OPTION_SHORT(short_rule),
    OPTION_STRICT(is_strict),
    SPOT_OPTION_JSON(target.is_json, "Print the coverage as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the coverage as CSV too; - is standard output, in place of the table",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void check_checks(spot_call_t *call)
{
    const check_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->is_strict && arguments->vcs_path == NULL,
        "--strict needs the VCs of the cluster: --vcs FILE");
}

static int answer(spot_call_t *call, spot_schedule_log_t *input)
{
    const check_arguments_t *arguments = call->arguments;
    const char *csv_path = arguments->csv_path;
    coverage_t coverage;
    spot_output_t output;
    FILE *out;
    int ret = schedule_log_cover(input, arguments->gpus_per_node, &coverage);

    call->is_reading = false;
    if (ret == 0 && csv_path != NULL) {
        ret = schedule_coverage_write(call, &coverage, csv_path);
    }
    if (ret != 0 || (csv_path != NULL && strcmp(csv_path, "-") == 0)) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL) {
        ret = arguments->target.is_json ? coverage_write_json(&coverage, out)
                                        : coverage_write_text(&coverage, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

static int check_run(spot_call_t *call)
{
    const check_arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {.log = arguments->log_path,
        .workload = arguments->workload_path,
        .is_strict = arguments->is_strict,
        .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    ret = ret == 0 ? answer(call, &input) : ret;
    spot_schedule_log_free(&input);
    return ret;
}

const spot_verb_t spot_verb_schedule_check = {
    .name = "schedule check",
    .arguments = "LOG",
    .summary = "Check a job log, and print what it holds by VC",
    .doc = "LOG is a CSV file, plain or packed, - is standard input. Its columns, in any "
           "order: job_id, vc, gpu_num, submit_time (seconds on the clock, or "
           "YYYY-MM-DD hh:mm:ss, which counts from the first submit), duration "
           "(seconds). Optional: user, jobname, cpu_num, state; model, dataset, "
           "batchsize, amp, speed, gpu_util, gmem_util, gmem, sharescore (to pack "
           "jobs); min_gpus, max_gpus, scaling (4:1.0 8:1.8, or a CSV file with the "
           "columns size,throughput), ckpt_interval_s, ckpt_write_s, restart_s, "
           "reconfig_s, trainer (core:NAME). All errors are listed, with their "
           "lines.\n\n"
           "The load is the GPU time that the jobs ask for, per GPU and second between "
           "the first submit and the last.",
    .examples = "  spotsim schedule check jobs.csv --vcs vcs.csv\n"
                "  spotsim schedule check jobs.csv.gz --short drop --json\n",
    .options = check_options,
    .arguments_bytes = sizeof(check_arguments_t),
    .initial = &check_initial,
    .check = check_checks,
    .run = check_run,
};

/* ---- spotsim schedule assign ---- */

typedef struct {
    const char *log_path;
    const char *workloads_path;
    const char *vcs_path;
    const char *output_path;
    int64_t seed;
    int short_rule; /* spot_short_rule_t */
} assign_arguments_t;

static const assign_arguments_t assign_initial = {.seed = 1};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF assign_arguments_t

static const spot_option_t assign_options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "workloads", 0, "FILE", workloads_path, "The table to draw from, a CSV file",
        .endings = ".csv or .gz or .xz or .zst"),
    SPOT_OPTION_VCS(vcs_path),
    OPTION_SHORT(short_rule),
    SPOT_OPTION_SEED(seed),
    OPTION_LOG_OUTPUT(output_path),
    SPOT_OPTION_END,
};

static void assign_check(spot_call_t *call)
{
    const assign_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->workloads_path == NULL,
        "--workloads FILE is missing: a table of workloads to draw from");
}

static int assign_run(spot_call_t *call)
{
    const assign_arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {
        .log = arguments->log_path, .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0) {
        ret = spot_job_assign(
            &input.log, arguments->workloads_path, (uint64_t) arguments->seed, &call->diag);
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = schedule_log_write(call, &input, arguments->output_path);
    }
    spot_schedule_log_free(&input);
    return ret;
}

const spot_verb_t spot_verb_schedule_assign = {
    .name = "schedule assign",
    .arguments = "LOG",
    .summary = "Give the jobs of a log workloads, drawn from a table",
    .doc = "Each job gets model, dataset, batchsize, amp, speed, gpu_util, gmem_util, "
           "gmem and sharescore of a row of the table, in place of its own. Rows are "
           "drawn with replacement by their weight (1 if there is none), among those "
           "for the job's GPU class: 1, 2, 3 to 4, 5 to 8, or more GPUs. A row is for "
           "the class of its gpu_num; without one it is for all. The same seed gives "
           "the same file.\n\n"
           "share/jobs/workloads.csv is such a table; its rows are invented.",
    .examples = "  spotsim schedule assign jobs.csv --workloads workloads.csv \\\n"
                "      -o assigned.csv\n",
    .options = assign_options,
    .arguments_bytes = sizeof(assign_arguments_t),
    .initial = &assign_initial,
    .check = assign_check,
    .run = assign_run,
};

/* ---- spotsim schedule fit ---- */

typedef struct {
    const char *log_path;
    const char *vcs_path; /* NULL: the VCs of the log */
    const char *law_path;
    const char *start; /* NULL: unknown, unless the log has dates */
    int64_t clock_zero_s;
    int short_rule;
} fit_arguments_t;

static void settle_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    fit_arguments_t *arguments = call->arguments;
    bool is_date;

    (void) option;
    if (spot_clock_parse(text, &arguments->clock_zero_s, &is_date) != 0 || !is_date) {
        spot_usage_error(call, "--start: expected YYYY-MM-DD hh:mm:ss, got \"%s\"", text);
    }
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF fit_arguments_t

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION_VCS(vcs_path),
    OPTION_SHORT(short_rule),
    SPOT_OPTION(TEXT, "start", 0, "DATE", start,
        "Date of second 0 of a log in seconds (default: 0 h of a Monday)",
        .example = "\"2024-05-06 08:00:00\"", .settle = settle_start),
    SPOT_OPTION_OUTPUT(law_path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int fit(spot_call_t *call, const spot_schedule_log_t *input)
{
    const fit_arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    out = spot_output_bytes(&output, arguments->law_path, &call->diag);
    if (out != NULL) {
        ret = spot_job_law_fit(&input->log, &input->vcs, arguments->log_path, out, &call->diag);
    }
    return spot_output_end(&output, ret);
}

static int fit_run(spot_call_t *call)
{
    const fit_arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {
        .log = arguments->log_path, .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {.rows = NULL};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0 && arguments->start != NULL) {
        if (input.log.clock_zero_s == SPOT_JOB_NO_CLOCK) {
            input.log.clock_zero_s = arguments->clock_zero_s;
        } else {
            ret = spot_diag_error(&call->diag, arguments->log_path, 0, 0,
                "the log has dates: --start is for times in seconds");
        }
    }
    ret = ret == 0 ? fit(call, &input) : ret;
    spot_schedule_log_free(&input);
    return ret;
}

const spot_verb_t spot_verb_schedule_fit = {
    .name = "schedule fit",
    .arguments = "LOG",
    .summary = "Fit laws of jobs to a job log, for 'schedule generate'",
    .doc = "Writes YAML with comments on what it rests on: arrivals by hour (from 2 days "
           "on) and weekday (from 2 weeks on), sizes by VC, and durations by size, each "
           "the best law by AIC among those that keep the mean, on which the load of a "
           "cluster depends. What jobs have in common beyond that is lost: bursts of one "
           "user, jobs that were submitted again, users with their own sizes.",
    .examples = "  spotsim schedule fit jobs.csv -o laws.yaml\n"
                "  spotsim schedule generate laws.yaml --seed 7 -o synthetic.csv\n",
    .options = fit_options,
    .arguments_bytes = sizeof(fit_arguments_t),
    .run = fit_run,
};

/* ---- spotsim schedule generate ---- */

typedef struct {
    const char *law_path;
    const char *log_path;
    const char *vcs_path;
    int64_t load;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} generate_arguments_t;

static const generate_arguments_t generate_initial = {.seed = 1, .load = 80};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF generate_arguments_t

static const spot_option_t generate_options[] = {
    SPOT_OPTION(ARGUMENT, "a file with laws of jobs", 0, "LAW", law_path, NULL, .min = 1),
    OPTION_LOG_OUTPUT(log_path),
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
    const generate_arguments_t *arguments = call->arguments;
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
    const generate_arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out;
    int ret = schedule_log_write(call, drawn, arguments->log_path);

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

static int generate_run(spot_call_t *call)
{
    const generate_arguments_t *arguments = call->arguments;
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

const spot_verb_t spot_verb_schedule_generate = {
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
    .options = generate_options,
    .item = law_key,
    .arguments_bytes = sizeof(generate_arguments_t),
    .initial = &generate_initial,
    .run = generate_run,
};
