/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/verb/terminal.h"
#include "cli/command.h"
#include "models/job_forecast.h"
#include "models/measured_table.h"
#include "models/profile.h"
#include "models/serving_profile.h"
#include "models/step_grid.h"
#include "reports/plan_report.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/input/input_verbs.h"
#include "sim/input/place.h"
#include "sim/schedule/log_verbs.h"
#include "sim/train/job/scenario.h"
#include "traces/convert/convert.h"
#include "traces/describe/describe.h"
#include "traces/jobs/forecast.h"
#include "traces/jobs/job_law.h"
#include "traces/prices/price_history.h"
#include "traces/queries/arrivals.h"
#include "traces/records/records.h"
#include "traces/tasks/task_log_read.h"
#include "traces/verbs/trace_verbs.h"

typedef struct {
    spot_option_list_t paths;
    bool is_json;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a file", 0, "FILE", paths, NULL, .min = 1),
    SPOT_OPTION_JSON(is_json, "Print a JSON object for each file"),
    SPOT_OPTION_END,
};

typedef struct {
    const char *path;
    spot_call_t *call;
    spot_json_t json; /* of text: write_line() makes lines of it */
    FILE *out;        /* of json */
} file_t;

#define TEXT(name, value) spot_json_text(&self->json, name, value)
#define DIAG (&self->call->diag)
#define NUMBER(name, value) spot_json_number(&self->json, name, (double) (value))

static void write_line(void *context, const spot_json_item_t *item)
{
    if (item->kind == '{' && item->key != NULL) {
        fprintf(context, "%s:\n", item->key);
    } else if (item->kind == '"') {
        fprintf(context, "  %-28s ", item->key);
        spot_utf8_print(context, item->text);
        putc('\n', context);
    } else if (strchr("{[}]", item->kind) == NULL && !isnan(item->number)) {
        fprintf(context, "  %-28s %.6g\n", item->key, item->number);
    }
}

/* What is taken for granted, above all else. */
static void say_assumed(file_t *self, const spot_assumed_t *assumed)
{
    if (((const arguments_t *) self->call->arguments)->is_json) {
        spot_assumed_json(assumed, &self->json);
    } else if (assumed->num_items > 0) {
        fprintf(self->out, "%s\n", spot_assumed_words(&self->call->texts, assumed));
    }
}

static void say_figures(file_t *self, const spot_describe_t *figures)
{
    NUMBER("preempted_per_h", figures->preempted / figures->span_h);
    NUMBER("added_per_h", figures->added / figures->span_h);
    spot_describe_write_json(figures, &self->json, "figures");
}

/* The rates of 16 traces of a model up to a time; 0: a day. */
static int say_rates(file_t *self, const spot_trace_model_t *model, int64_t end_ms)
{
    const int64_t last_ms = end_ms == 0 ? SPOT_MS_PER_D : end_ms;
    const double hours = (double) last_ms / (double) SPOT_MS_PER_H;
    void *state = spot_calloc(1, spot_trace_model_state_bytes(model));
    double per_h[SPOT_EVENT_STOP + 1] = {0};
    spot_event_t event;

    for (uint64_t j = 0; state != NULL && j < 16; j++) {
        model->generator->start(state, model->model, &(spot_dice_t){1, j, 0});
        while (spot_trace_model_next(model, state, &event) && event.time_ms <= last_ms) {
            per_h[event.kind] += event.count / (hours * 16);
        }
    }
    free(state);
    TEXT("generator", model->generator->name);
    NUMBER("span_h", hours);
    NUMBER("preempted_per_h", per_h[SPOT_EVENT_PREEMPT]);
    NUMBER("added_per_h", per_h[SPOT_EVENT_ADD]);
    return state == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* The values of a document: those that are given, and defaults. */
static int say_keys(file_t *self, const spot_field_t *fields, const spot_node_t *root)
{
    static const char *const names[] = {"given", "default"};
    spot_canonical_t list = {.num_entries = 0};
    const int ret = spot_canonical_make(&list, fields, root, NULL);

    for (int k = 0; ret == 0 && k < 2; k++) {
        spot_json_open(&self->json, names[k], '{');
        for (size_t j = 0; j < list.num_entries; j++) {
            const spot_canonical_entry_t *entry = &list.entries[j];
            const bool is_default =
                entry->is_chosen || spot_node_place(root, entry->path)->kind == SPOT_NODE_MAP;

            if (is_default == (k == 1)) {
                TEXT(entry->path, entry->text);
            }
        }
        spot_json_close(&self->json, '}');
    }
    spot_canonical_free(&list);
    return ret;
}

/* The same of a file, after it is bound to law, unless that is NULL. */
static int say_document(file_t *self, const spot_field_t *fields, spot_job_law_t *law)
{
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, self->path, NULL, DIAG);

    ret = ret != 0 || law == NULL ? ret : spot_job_law_init(law, document.root, DIAG);
    ret = ret != 0 ? ret : say_keys(self, fields, document.root);
    spot_yaml_free(&document);
    return ret;
}

static int say_bound(file_t *self, const spot_bound_scenario_t *bound)
{
    const spot_outputs_t *outputs = bound->experiment->outputs(bound->scenario);
    int ret;

    say_assumed(self, &bound->assumed);
    ret = say_document(self, bound->experiment->fields, NULL);
    NUMBER("metrics", outputs->num_metrics);
    NUMBER("replications", outputs->is_random ? outputs->num_replications : 1);
    TEXT("unmeasured", outputs->unmeasured);
    if (ret == 0 && strcmp(bound->experiment->name, SPOT_DEFAULT_ENGINE) == 0) {
        const spot_scenario_t *train = bound->scenario;

        /* From job.model and fleet.storage where the keys have their defaults. */
        NUMBER("checkpoint_write_s", (double) train->job.checkpoint.write_ms / 1e3);
        NUMBER("reload_s", (double) train->job.reload_ms / 1e3);
        ret = say_rates(self, &train->trace, train->horizon_ms);
    }
    return ret;
}

static void say_head(file_t *self, const spot_study_head_t *head)
{
    spot_texts_t *texts = &self->call->texts;

    say_assumed(self, &head->assumed);
    TEXT("study", spot_words_study(texts, head));
    TEXT("engine", head->engine);
    TEXT("points", spot_words_plan(texts, head));
    TEXT("runs", spot_words_amount(texts, head, head->min_replications, head->num_replications));
    for (size_t j = 0; j < head->num_axes; j++) {
        NUMBER(head->axes[j].path, head->axes[j].num_values);
    }
    NUMBER("metrics", head->num_listed);
}

static int say_database(file_t *self)
{
    spot_store_t *store = NULL;
    spot_completeness_t rows;
    int ret = spot_verb_open_store(&store, self->path, &self->call->diag);

    ret = ret != 0 ? ret : spot_store_check_sqlite(store, &self->call->diag);
    ret = ret != 0 ? ret : spot_store_find_completeness(store, &rows);
    if (ret == 0) {
        say_head(self, store->head);
        NUMBER("rows", rows.num_rows);
        NUMBER("unfinished_points", rows.num_unfinished);
    }
    return spot_verb_close_store(store, ret, &self->call->diag);
}

/* Says the columns of a table, its rows, the first and the last one. */
static int say_table(file_t *self)
{
    char ends[2][SPOT_CSV_SHOWN_BYTES] = {"", ""};
    const char *columns = "";
    size_t num_columns = 0, num_rows = 0; /* that of the columns counts too */
    spot_csv_row_t row;
    spot_csv_t *csv;
    int ret = spot_csv_open(&csv, self->path, DIAG);

    while (ret == 0 && (ret = spot_csv_next(csv, &row)) == 1) {
        ret = num_columns == 0 || row.is_comment
                  ? 0
                  : spot_csv_check_row(&row, num_columns, self->path, DIAG);
        if (ret == 0 && row.num_fields > 0) {
            spot_csv_shown(row.text, ends[num_rows++ > 1]);
            for (; num_columns < row.num_fields; num_columns++) {
                columns = spot_texts_add(&self->call->texts, "%s%s%s", columns,
                    num_columns == 0 ? "" : ", ", row.fields[num_columns]);
            }
        }
    }
    TEXT("columns", columns);
    NUMBER("rows", num_rows - 1);
    TEXT("first", ends[0]);
    TEXT("last", ends[num_rows > 2]);
    spot_csv_close(csv);
    return ret;
}

typedef struct {
    file_t *file;
    size_t num_events;
    double first_s, last_s;
} events_t;

static int take_event(void *context, const spot_json_value_t *record)
{
    events_t *self = context;
    const spot_json_value_t *time = spot_json_member(record, "time_ms");
    const double per_s = time != NULL ? 1e3 : 1e9;

    time = time != NULL ? time : spot_json_member(record, "time_ns");
    if (time == NULL || spot_number_parse(time->text, &self->last_s) != 0 ||
        spot_json_member(record, "event") == NULL) {
        return spot_diag_error(&self->file->call->diag, self->file->path, record->line,
            record->column, "expected an object with time_ms or time_ns, and event");
    }
    self->last_s /= per_s;
    self->first_s = self->num_events++ == 0 ? self->last_s : self->first_s;
    return 0;
}

static int say_events(file_t *self)
{
    events_t events = {.file = self};
    const int ret = spot_json_records(
        &(spot_record_input_t){.path = self->path}, NULL, take_event, &events, &self->call->diag);

    NUMBER("events", events.num_events);
    NUMBER("first_s", events.first_s);
    NUMBER("last_s", events.last_s);
    return ret;
}

/* ---- Kinds of files ---- */

/* A function that reads a file, runs the statements behind, and frees it. */
#define SAY(name, noun, read, ...)                                                                 \
    static int name(file_t *self)                                                                  \
    {                                                                                              \
        noun##_t file;                                                                             \
        int ret;                                                                                   \
                                                                                                   \
        memset(&file, 0, sizeof(file));                                                            \
        ret = read;                                                                                \
        if (ret == 0) {                                                                            \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        noun##_free(&file);                                                                        \
        return ret;                                                                                \
    }
/* The same of a table, which is then said by its columns. */
#define SAY_TABLE(name, noun, read) SAY(name, noun, read, ret = say_table(self))
#define SAY_PLAIN(name, noun) SAY_TABLE(name, noun, noun##_read(&file, self->path, DIAG))

SAY(say_trace, spot_description,
    spot_describe_file(
        &file, self->path, self->path, &(spot_describe_request_t){.where = NULL}, DIAG),
    say_figures(self, &file.figures))
SAY(say_model, spot_trace_source, spot_trace_source_read(&file, self->path, 0, NULL, DIAG),
    ret = say_keys(self, spot_trace_model_table(file.document.root), file.document.root);
    ret = spot_error_first(
        ret, say_rates(self, file.model, spot_trace_model_common(file.model)->horizon_ms)))
SAY(say_scenario, spot_bound_scenario,
    spot_bound_scenario_read(&file, spot_engines, self->path, NULL, DIAG),
    ret = say_bound(self, &file))
SAY(say_study, spot_study, spot_study_read(&file, spot_engines, self->path, NULL, DIAG),
    say_head(self, &file.head))
SAY(say_jobs, spot_schedule_log,
    spot_schedule_log_read(&file, NULL, &(spot_job_log_request_t){.log = self->path}, DIAG),
    NUMBER("jobs", file.log.num_jobs), NUMBER("vcs", file.vcs.num_vcs),
    NUMBER("users", file.log.users.num_names), ret = say_table(self))
SAY(say_tasks, spot_task_log,
    spot_task_log_read(&file, self->path, &(spot_task_reading_t){.edges_path = NULL}, DIAG),
    NUMBER("events", file.num_events), NUMBER("workers", file.num_workers),
    NUMBER("tasks_with_inputs", file.num_input_records))
SAY(say_log, spot_taken_log, spot_taken_log_read(&file, self->path, NULL, NULL, DIAG),
    TEXT("form", file.report.format), NUMBER("records", file.report.num_records),
    say_figures(self, &file.figures);
    for (size_t j = 0; j < file.report.num_remarks; j++)
        TEXT(file.report.remarks[j].key, file.report.remarks[j].text))
SAY(say_laws, spot_job_law, say_document(self, spot_job_law_fields, &file),
    NUMBER("mean_jobs", spot_job_law_mean_jobs(&file)))
SAY(say_loader, spot_input_scenario,
    spot_input_open(
        &file, self->call, &(spot_input_request_t){.model_path = self->path, .samples = 1}),
    self->call->is_reading = true, ret = say_document(self, spot_input_fields, NULL))
SAY(say_prices, spot_price_steps,
    spot_price_history_read(
        &file, (int64_t[]){0}, &(spot_price_request_t){.form = NULL}, 1, &self->path, DIAG),
    TEXT("currency", file.currency);
    if (file.start[0] != '\0') TEXT("start", file.start);
    NUMBER("steps", file.num_steps), NUMBER("first_price_per_h", file.steps[0].usd_per_h),
    NUMBER("last_change_s", file.steps[file.num_steps - 1].start_ms / 1000),
    NUMBER("last_price_per_h", file.steps[file.num_steps - 1].usd_per_h))
SAY(say_profile, spot_profile, spot_profile_read(&file, self->path, DIAG),
    NUMBER("reconfiguration_s", file.reconfiguration.mean_s),
    NUMBER("checkpoint_write_s", file.checkpoint_write.mean_s),
    NUMBER("reload_s", file.reload.mean_s), NUMBER("step_times", file.num_steps))
SAY(say_steps, spot_step_grid, spot_step_grid_read(&file, self->path, DIAG),
    NUMBER("samples_per_step", file.samples_per_step), NUMBER("feasible_pairs", file.num_pairs),
    NUMBER("infeasible_pairs", file.num_infeasible), ret = say_table(self))
SAY(say_cluster, spot_cluster, spot_cluster_read(&file, self->path, NULL, DIAG),
    NUMBER("nodes", file.num_nodes), NUMBER("datasets", file.num_datasets),
    NUMBER("chunks", file.num_chunks))
SAY(say_placed_jobs, spot_cluster, spot_cluster_read(&file, NULL, self->path, DIAG),
    NUMBER("jobs", file.num_jobs))
SAY(say_deltas, spot_arrivals_setting, spot_query_deltas_read(&file, self->path, 0, DIAG),
    NUMBER("queries", file.num_deltas + 1), NUMBER("first_delta_ms", file.deltas_ms[0]))
SAY_TABLE(say_queries, spot_arrivals_setting, spot_query_trace_read(&file, self->path, 0, DIAG))
SAY_TABLE(say_query_rates, spot_arrivals_setting, spot_query_rates_read(&file, self->path, DIAG))
SAY_TABLE(say_vcs, spot_vc_list, spot_vc_list_read(&file, self->path, true, DIAG))
SAY_TABLE(say_workloads, spot_job_log, spot_job_assign(&file, self->path, 1, DIAG))
SAY_PLAIN(say_sizes, spot_instance_table)
SAY_PLAIN(say_serving, spot_serving_profiles)
SAY_PLAIN(say_hardware, spot_serving_prices)
SAY_PLAIN(say_forecast, spot_forecast)
SAY_PLAIN(say_submitted, spot_throughput)

/* A file is of the first kind whose mark is in its begin, where lines start with \n, or,
 * if the mark starts with a comma, in ",COLUMN,COLUMN," of its first row. "0": the row
 * is a number. NULL: the file is of a log that can be converted. */
static const struct {
    const char *name, *mark;
    int (*say)(file_t *self);
} kinds[] = {
    {"database of a study", "\nSQLite format 3", say_database},
    {"trace", "\n# spotsim-trace:", say_trace},
    {"lifetimes", "\n# spotsim-lifetimes:", say_trace},
    {"model of traces", "\nspotsim-model:", say_model},
    {"profile of a job", "\nspotsim-profile:", say_profile},
    {"laws of jobs", "\nspotsim-jobs:", say_laws},
    {"study", "\nstudy:", say_study},
    {"study", "\nsweep:", say_study},
    {"scenario", "\nscenario:", say_scenario},
    {"scenario", "\nengine:", say_scenario},
    {"scenario", "\nfleet:", say_scenario},
    {"model of a loader", "\ninput:", say_loader},
    {"cluster to place jobs on", "\nnodes:", say_cluster},
    {"jobs to place", "\njobs:", say_placed_jobs},
    {"events of a run", "\n{\"time_", say_events},
    {"results of a study", ",point,", say_table},
    {"figures of traces", ",trace,kind,", say_table},
    {"fidelities of models of traces", ",trace,model,", say_table},
    {"prices over time", "\"SpotPriceHistory\":", say_prices},
    {"prices over time", "\"retailPrice\":", say_prices},
    {"prices over time", ",SpotPrice,", say_prices},
    {"prices over time", "_per_h,", say_prices},
    {"counts of instances", ",timestamp,count,", say_table},
    {"counts of terminations", ",timestamp,number,", say_table},
    {"log of instances", NULL, say_log},
    {"task log", "\"action\":", say_tasks},
    {"task log", ".marker:", say_tasks},
    {"task log", ".tracing:", say_tasks},
    {"task log", "\"ph\":", say_tasks},
    {"step times by (D,P)", ",D,P,", say_steps},
    {"step times by instances", ",step_ms,", say_sizes},
    {"transfer times", ",bytes,us,", say_table},
    {"build times", ",P,build_ms,", say_table},
    {"job log", ",submit_time,", say_jobs},
    {"columns of jobs", ",job_id,", say_table},
    {"placed jobs", ",policy,job,", say_table},
    {"figures of VCs", ",users,load,", say_table},
    {"figures of VCs", ",avg_jct,", say_table},
    {"nodes of VCs", ",nodes,", say_vcs},
    {"nodes of VCs", ",num,", say_vcs},
    {"forecast of jobs", ",pred_gpu_job,", say_forecast},
    {"submitted jobs over time", ",submit_gpu_job,", say_submitted},
    {"additive models", ",target,feature,", say_table},
    {"pairs that share GPUs", ",model1,", say_table},
    {"serving profiles", ",p99_ms,", say_serving},
    {"workloads", ",batchsize,", say_workloads},
    {"prices of hardware", ",on_demand_per_hour,", say_hardware},
    {"rates of queries", ",requests_per_minute,", say_query_rates},
    {"outages of replicas", ",preempted_ns,", say_table},
    {"points of a loader", ",batch_completion_time,", say_table},
    {"points of a loader", ",block,seconds,", say_table},
    {"measured runs of a loader", ",sim_compute_time,", say_table},
    {"measured times of a job", ",elapsed,", say_table},
    {"measured times of a job", ",loop start,", say_table},
    {"times of queries", ",time_s,", say_queries},
    {"series of a run", ",time_ms,", say_table},
    {"series of a run", ",time_ns,", say_table},
    {"times between queries", "0", say_deltas},
};
enum { NUM_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* The kind of a file by its begin; text is the same after a line end. */
static size_t find_kind(file_t *self, const spot_convert_head_t *head, const char *text)
{
    const char *at = text + 1, *columns;
    bool is_found = false;
    size_t kind = 0;
    double number;

    while (*at != '\0' && strchr("#\r\n", *at) != NULL) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at = spot_texts_add(&self->call->texts, "%.*s", (int) strcspn(at, "\r\n"), at);
    columns = spot_texts_add(&self->call->texts, ",%s,", at);
    for (; kind < NUM_KINDS && !is_found; kind += !is_found) {
        const char *mark = kinds[kind].mark;

        for (size_t j = 0; mark == NULL && spot_importers[j] != NULL; j++) {
            is_found |= spot_importers[j]->sniff(head);
        }
        is_found |=
            mark != NULL &&
            (*mark == '0' ? spot_number_parse(at, &number) == 0
                          : strstr(strchr(",_", *mark) != NULL ? columns : text, mark) != NULL);
    }
    return kind;
}

static int say_file(file_t *self)
{
    const spot_record_input_t input = {.path = self->path};
    spot_texts_t *texts = &self->call->texts;
    char line[SPOT_RECORD_LINE_BYTES];
    char *text = spot_texts_room(texts, SPOT_RECORD_HEAD_BYTES + 1);
    const spot_convert_head_t head = {line, text + 1, &(spot_convert_t){.kind = -1}};
    const char *list = "";
    size_t kind = 0; /* a database */
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && !spot_files_is_database(self->path)) {
        ret = spot_record_input_head(&input, text + 1, line, &self->call->diag);
        text[0] = '\n';
        kind = ret == 0 ? find_kind(self, &head, text) : 0;
        ret = ret == 0 ? texts->error : ret; /* then the kind is not known */
    }
    for (size_t j = 0; kind == NUM_KINDS && j < NUM_KINDS; j++) {
        if (j == 0 || strcmp(kinds[j].name, kinds[j - 1].name) != 0) {
            list = spot_texts_join(texts, list, ", ", kinds[j].name);
        }
    }
    if (ret != 0 || kind == NUM_KINDS) {
        return ret != 0 ? ret
                        : spot_diag_error(&self->call->diag, self->path, 1, 1,
                              "expected one of these files: %s", list);
    }
    spot_json_open(&self->json, NULL, '{');
    TEXT("file", self->path);
    TEXT("kind", kinds[kind].name);
    ret = kinds[kind].say(self);
    spot_json_close(&self->json, '}');
    return ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    FILE *out = spot_texts_begin(&call->texts);
    const char *text;
    int error = out == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < arguments->paths.num_texts && out != NULL; j++) {
        file_t file = {.path = arguments->paths.texts[j], .call = call, .out = out};

        spot_json_init(&file.json, out, 2);
        if (!arguments->is_json) {
            spot_json_init_listener(&file.json, write_line, out);
        }
        error = spot_error_first(error, say_file(&file));
        fputs(arguments->is_json ? "\n" : "", out);
    }
    text = spot_texts_end(&call->texts, out);
    spot_interrupt_print_rest();
    if (error == 0 && arguments->is_json) {
        fputs(text, stdout);
    } else if (error == 0) {
        spot_wrap_write(stdout, text, spot_terminal_of_output(true).width, SPOT_WRAP_BELOW);
    }
    return error;
}

const spot_verb_t spot_verb_check = {
    .name = "check",
    .arguments = "FILE...",
    .summary = "Say what files are, and what was understood of them",
    .doc = "A file is recognised by its content, and read as by the command that uses it: "
           "scenarios, studies, their databases and results, models, profiles, traces, "
           "logs "
           "of instances, jobs and tasks, events of runs, tables of step times, prices, "
           "jobs, serving and loaders. Of another file it says what it knows.",
    .examples = "  spotsim check scenario.yaml steps.csv events.json --json\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
