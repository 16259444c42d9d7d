/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "models/instance_table.h"
#include "models/profile.h"
#include "models/serving_profile.h"
#include "models/step_grid.h"
#include "reports/plan_report.h"
#include "reports/table/wrap.h"
#include "sim/analysis/completeness.h"
#include "sim/engines.h"
#include "sim/study/study.h"
#include "sim/train/trace_source.h"
#include "traces/convert/importer.h"
#include "traces/describe/describe_file.h"
#include "traces/tasks/task_log.h"

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
} file_t;

#define TEXT(name, value) spot_json_text(&self->json, name, value)
#define NUMBER(name, value) spot_json_number(&self->json, name, (double) (value))

static void
write_line(void *context, char kind, const char *key, const char *text)
{
    if (kind == '{' && key != NULL) {
        fprintf(context, "%s:\n", key);
    } else if (kind == '"') {
        fprintf(context, "  %-28s ", key);
        spot_utf8_print(context, text);
        putc('\n', context);
    } else if (strchr("{[}]", kind) == NULL && strcmp(text, "null") != 0) {
        fprintf(context, "  %-28s %.6g\n", key, strtod(text, NULL));
    }
}

static void
say_figures(file_t *self, const spot_describe_t *figures)
{
    NUMBER("preempted_per_h", figures->preempted / figures->span_h);
    NUMBER("added_per_h", figures->added / figures->span_h);
    spot_describe_write_json(figures, &self->json, "figures");
}

/* The rates of 16 traces of a model up to a time; 0: a day. */
static int
say_rates(file_t *self, const spot_trace_model_t *model, int64_t end_ms)
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
static int
say_keys(file_t *self, const spot_field_t *fields, const spot_node_t *root)
{
    static const char *const names[] = {"given", "default"};
    spot_canonical_t list = {.num_entries = 0};
    const int ret = spot_canonical_make(&list, fields, root, NULL);

    for (int k = 0; ret == 0 && k < 2; k++) {
        spot_json_open(&self->json, names[k], '{');
        for (size_t j = 0; j < list.num_entries; j++) {
            const spot_canonical_entry_t *entry = &list.entries[j];
            const bool is_default =
                entry->is_chosen ||
                spot_node_place(root, entry->path)->kind == SPOT_NODE_MAP;

            if (is_default == (k == 1)) {
                TEXT(entry->path, entry->text);
            }
        }
        spot_json_close(&self->json, '}');
    }
    spot_canonical_free(&list);
    return ret;
}

static int
say_bound(file_t *self, const spot_bound_scenario_t *bound)
{
    const spot_outputs_t *outputs = bound->experiment->outputs(bound->scenario);
    spot_yaml_t document;
    int ret =
        spot_scenario_read_document(&document, self->path, NULL, &self->call->diag);

    ret = ret != 0 ? ret : say_keys(self, bound->experiment->fields, document.root);
    spot_yaml_free(&document);
    NUMBER("metrics", outputs->num_metrics);
    NUMBER("replications", outputs->is_random ? outputs->num_replications : 1);
    TEXT("assumed", outputs->unmeasured);
    if (ret == 0 && strcmp(bound->experiment->name, SPOT_DEFAULT_ENGINE) == 0) {
        const spot_scenario_t *train = bound->scenario;

        /* From job.model and fleet.storage where the keys have their defaults. */
        NUMBER("checkpoint_write_s", (double) train->job.checkpoint.write_ms / 1e3);
        NUMBER("reload_s", (double) train->job.reload_ms / 1e3);
        ret = say_rates(self, &train->trace, train->horizon_ms);
    }
    return ret;
}

static void
say_head(file_t *self, const spot_study_head_t *head)
{
    spot_texts_t *texts = &self->call->texts;

    TEXT("study", spot_words_study(texts, head));
    TEXT("engine", head->engine);
    TEXT("points", spot_words_plan(texts, head));
    TEXT("runs",
        spot_words_amount(texts, head, head->min_replications, head->num_replications));
    for (size_t j = 0; j < head->num_axes; j++) {
        NUMBER(head->axes[j].path, head->axes[j].num_values);
    }
    NUMBER("metrics", head->num_listed);
}

static int
say_database(file_t *self)
{
    spot_store_t *store = NULL;
    spot_completeness_t rows;
    int ret = spot_command_open_store(&store, self->path, &self->call->diag);

    ret = ret != 0 ? ret : spot_store_find_completeness(store, &rows);
    if (ret == 0) {
        say_head(self, store->head);
        NUMBER("rows", rows.num_rows);
        NUMBER("unfinished_points", rows.num_unfinished);
    }
    return spot_command_close_store(store, ret, &self->call->diag);
}

/* A function that reads a file, runs the statements behind, and frees it. */
#define SAY(name, noun, read, ...)                                                      \
    static int name(file_t *self)                                                       \
    {                                                                                   \
        spot_diag_t *diag = &self->call->diag;                                          \
        noun##_t file;                                                                  \
        int ret;                                                                        \
                                                                                        \
        memset(&file, 0, sizeof(file));                                                 \
        ret = read;                                                                     \
        if (ret == 0) {                                                                 \
            __VA_ARGS__;                                                                \
        }                                                                               \
        noun##_free(&file);                                                             \
        return ret;                                                                     \
    }
#define SAY_TABLE(name, noun, ...)                                                      \
    SAY(name, noun, noun##_read(&file, self->path, diag), __VA_ARGS__)

SAY(say_trace, spot_description,
    spot_describe_file(
        &file, self->path, self->path, &(spot_describe_request_t){.where = NULL}, diag),
    say_figures(self, &file.figures))
SAY(say_model, spot_trace_source,
    spot_trace_source_read(&file, self->path, 0, NULL, diag),
    ret = say_keys(self, spot_trace_model_table(file.document.root), file.document.root);
    ret = spot_error_first(ret,
        say_rates(self, file.model, spot_trace_model_common(file.model)->horizon_ms)))
SAY(say_scenario, spot_bound_scenario,
    spot_bound_scenario_read(&file, spot_engines, self->path, NULL, diag),
    ret = say_bound(self, &file))
SAY(say_study, spot_study,
    spot_study_read(&file, spot_engines, self->path, NULL, 0, diag),
    say_head(self, &file.head))
SAY(say_jobs, spot_schedule_log,
    spot_schedule_log_read(
        &file, NULL, &(spot_job_log_request_t){.log = self->path}, diag),
    NUMBER("jobs", file.log.num_jobs), NUMBER("vcs", file.vcs.num_vcs))
SAY(say_tasks, spot_task_log,
    spot_task_log_read(
        &file, self->path, &(spot_task_reading_t){.edges_path = NULL}, diag),
    NUMBER("events", file.num_events), NUMBER("workers", file.num_workers))
SAY_TABLE(say_serving, spot_serving_profiles, NUMBER("profiles", file.num_profiles))
SAY_TABLE(say_prices, spot_price_steps, NUMBER("steps", file.num_steps),
    NUMBER("first_price_per_h", file.steps[0].usd_per_h))
SAY_TABLE(say_sizes, spot_instance_table, NUMBER("sizes", file.num_rows))
SAY_TABLE(say_profile, spot_profile,
    NUMBER("reconfiguration_s", file.reconfiguration.mean_s),
    NUMBER("checkpoint_write_s", file.checkpoint_write.mean_s),
    NUMBER("reload_s", file.reload.mean_s), NUMBER("step_times", file.num_steps))
SAY_TABLE(say_steps, spot_step_grid, NUMBER("samples_per_step", file.samples_per_step),
    NUMBER("feasible_pairs", file.num_pairs),
    NUMBER("infeasible_pairs", file.num_infeasible))

static int
say_log(file_t *self)
{
    const spot_convert_t task = {.kind = -1, .window_ms = -1};
    spot_describe_t figures = {.name = NULL};
    spot_convert_report_t report;
    spot_trace_t trace;
    int ret;

    spot_trace_init(&trace);
    spot_convert_report_init(&report);
    ret = spot_convert(&task, 1, &(spot_convert_input_t){.path = self->path}, &trace,
        &report, &self->call->diag);
    ret = ret != 0 ? ret : spot_describe_init(&figures, &trace);
    if (ret == 0) {
        TEXT("form", report.format);
        NUMBER("records", report.num_records);
        say_figures(self, &figures);
    }
    for (size_t j = 0; ret == 0 && j < report.num_remarks; j++) {
        TEXT(report.remarks[j].key, report.remarks[j].text);
    }
    spot_describe_free(&figures);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    return ret;
}

/* A file is of the first kind whose mark is in the begin of the file, whose lines start
 * with \n; NULL: of a log that can be converted. */
static const struct {
    const char *name, *mark;
    int (*say)(file_t *self);
} kinds[] = {
    {"database of a study", "\nSQLite format 3", say_database},
    {"trace", "\n# spotsim-trace:", say_trace},
    {"lifetimes", "\n# spotsim-lifetimes:", say_trace},
    {"model of traces", "\nspotsim-model:", say_model},
    {"profile of a job", "\nspotsim-profile:", say_profile},
    {"study", "\nstudy:", say_study},
    {"scenario", "\nscenario:", say_scenario},
    {"log of instances", NULL, say_log},
    {"task log", "\"action\":", say_tasks},
    {"task log", ".marker:", say_tasks},
    {"task log", ".tracing:", say_tasks},
    {"prices over time", "\ntime_s,", say_prices},
    {"step times by (D,P)", "\nD,P,step_ms", say_steps},
    {"step times by instances", "\nn,", say_sizes},
    {"job log", "job_id", say_jobs},
    {"serving profiles", "\nmodel,", say_serving},
};

static int
say_file(file_t *self)
{
    const spot_convert_input_t input = {.path = self->path};
    char line[SPOT_CONVERT_INPUT_LINE_BYTES];
    char *text = spot_texts_room(&self->call->texts, SPOT_CONVERT_HEAD_BYTES + 1);
    const spot_convert_head_t head = {line, text + 1, &(spot_convert_t){.kind = -1}};
    const char *ending = strrchr(self->path, '.');
    bool is_found = ending != NULL && strcmp(ending, ".db") == 0; /* the first kind */
    size_t kind = is_found;
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY
              : is_found
                  ? 0
                  : spot_convert_input_head(&input, text + 1, line, &self->call->diag);

    if (ret != 0) {
        return ret;
    }
    for (text[0] = '\n'; kind < sizeof(kinds) / sizeof(kinds[0]) && !is_found; kind++) {
        is_found = kinds[kind].mark != NULL && strstr(text, kinds[kind].mark) != NULL;
        for (size_t j = 0; kinds[kind].mark == NULL && spot_importers[j] != NULL; j++) {
            is_found |= spot_importers[j]->sniff(&head);
        }
    }
    if (!is_found) {
        return spot_diag_error(&self->call->diag, self->path, 1, 1,
            "expected a file that 'spotsim check --help' lists");
    }
    spot_json_open(&self->json, NULL, '{');
    TEXT("file", self->path);
    TEXT("kind", kinds[kind - 1].name);
    ret = kinds[kind - 1].say(self);
    spot_json_close(&self->json, '}');
    return ret;
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    FILE *out = spot_texts_begin(&call->texts);
    const char *text;
    int error = out == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < arguments->paths.num_texts && out != NULL; j++) {
        file_t file = {.path = arguments->paths.texts[j], .call = call};

        spot_json_init(&file.json, out, 2);
        if (!arguments->is_json) {
            spot_json_init_listener(&file.json, write_line, out);
        }
        error = spot_error_first(error, say_file(&file));
        fputs(arguments->is_json ? "\n" : "", out);
    }
    text = spot_texts_end(&call->texts, out);
    if (error == 0 && arguments->is_json) {
        fputs(text, stdout);
    } else if (error == 0) {
        spot_wrap_write(
            stdout, text, spot_terminal_of_output(true).width, SPOT_WRAP_BELOW);
    }
    return error;
}

const spot_command_t spot_command_check = {
    .name = "check",
    .arguments = "FILE...",
    .summary = "Say what files are, and what was understood of them",
    .doc =
        "A file is recognised by its content, and read as by the command that uses it: "
        "a scenario, study, model of traces, profile, trace, lifetimes, log of "
        "instances, jobs or tasks, table of step times, prices or serving, or database.",
    .examples = "  spotsim check scenario.yaml steps.csv events.json --json\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
