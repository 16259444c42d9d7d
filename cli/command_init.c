/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/verb/terminal.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "models/step_grid.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "traces/verbs/trace_verbs.h"

extern const char spot_template_train[]; /* cli/template/train.yaml */

typedef struct {
    const char *engine, *output_path;
    const char *inputs[3]; /* trace, table, prices */
    bool is_forced;
} arguments_t;

static const arguments_t initial = {.engine = SPOT_DEFAULT_ENGINE, .output_path = "."};

static const spot_option_t options[] = {
    SPOT_OPTION(TEXT, "engine", 0, "NAME", engine, "The engine (default train)", .what = "engine",
        .words = spot_manual_engine_name),
    SPOT_OPTION(INPUT, "trace", 0, "LOG", inputs[0],
        "Replay this log, of any format that 'spotsim trace convert' recognises"),
    SPOT_OPTION(INPUT, "table", 0, "STEPS.csv", inputs[1],
        "Take step times by (D,P) from this table", .endings = ".csv"),
    SPOT_OPTION(INPUT, "price", 0, "PRICES.csv", inputs[2],
        "Take the price of spot instances from these steps", .endings = ".csv"),
    SPOT_OPTION(TEXT, "output", 'o', "PLACE", output_path,
        "The folder of scenario.yaml, study.yaml and trace.csv, or NAME.yaml of the "
        "scenario, beside which the others are (default: this folder)"),
    SPOT_OPTION(FLAG, "force", 0, NULL, is_forced, "Replace files that are there"),
    SPOT_OPTION_END,
};

typedef struct {
    spot_call_t *call;
    const char *outputs[3]; /* scenario, study, trace */
    spot_output_t files[3]; /* they appear when all are good */
    const char *folder;     /* that was made for them, or NULL */
    size_t num_given;
    struct given {
        const char *key, *value, *note;
    } given[10]; /* values of keys that files give; NULL: none. The first one counts */
} init_t;

#define TEXT(...) spot_texts_add(&self->call->texts, __VA_ARGS__)
#define GIVE(path, value, note) (self->given[self->num_given++] = (struct given){path, value, note})

static int take_trace(init_t *self, const char *path)
{
    spot_taken_log_t log = {.figures = {.name = NULL}};
    const spot_describe_t *figures = &log.figures;
    char span[SPOT_DURATION_TEXT_BYTES];
    const int ret =
        spot_taken_log_read(&log, path, NULL, self->files[2].file.temporary, &self->call->diag);

    if (ret == 0) {
        spot_duration_text(log.trace.end_ms, span);
        GIVE("capacity", TEXT("%.0f", figures->capacity), "the most of the log");
        GIVE("initial", NULL, "none: as many as the log has then");
        GIVE("horizon", TEXT("%s", span), "as long as the log");
        GIVE("trace", "{generator: fleet-replay, recordings: [trace.csv]}",
            TEXT("preempted %.3g per h, %.3g per instance-hour; added %.3g per h",
                figures->preempted / figures->span_h, figures->preempted_per_instance_h,
                figures->added / figures->span_h));
    }
    spot_taken_log_free(&log);
    return ret;
}

static int take_table(init_t *self, const char *path)
{
    const int most = self->num_given > 0 ? atoi(self->given[0].value) : SPOT_MAX_INSTANCES;
    spot_step_grid_t grid;
    const int ret = spot_step_grid_read(&grid, path, &self->call->diag);
    const spot_step_pair_t *pair = ret == 0 ? spot_step_grid_best(&grid, most) : NULL;

    GIVE("step_time", TEXT("{table: '%s'}", path), "as the table has it");
    if (pair != NULL) {
        const char *size = TEXT("%d", pair->num_pipelines * pair->depth);
        const char *note = "of the fastest pair that fits the fleet";
        const double samples = grid.samples_per_step > 0
                                   ? (double) grid.samples_per_step
                                   : pair->samples_per_s * pair->step_ms / 1e3;

        GIVE("pipeline_depth", TEXT("%d", pair->depth), note);
        GIVE("samples_per_step", TEXT("%.0f", samples < 1 ? 1024 : samples),
            samples < 1 ? "assumed: your batch size" : note);
        GIVE("capacity", size, "assumed: what the fastest pair needs");
        GIVE("initial", size, "assumed: the same");
    }
    spot_step_grid_free(&grid);
    return ret;
}

static void put_comment(FILE *out, int indent, const char *text)
{
    size_t next;

    for (; *text != '\0'; text += next) {
        fprintf(
            out, "%*s# %.*s\n", indent, "", (int) spot_wrap_line(text, 86 - indent, &next), text);
    }
}

/* Writes a template. Before the line of a key stands what it is, as the manual has it,
 * and where its value is from: a file, the comment of the template, or otherwise. */
static void write_yaml(const init_t *self, FILE *out, const char *line, const spot_field_t *fields,
    const char *otherwise)
{
    const spot_field_t *tables[8] = {fields};
    const char *note = otherwise;

    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const int indent = (int) strspn(line, " "), depth = indent / 2;
        const char *key = line + indent;
        const size_t num_bytes = strcspn(key, ":\n");
        const spot_field_t *field = NULL;
        size_t j = self->num_given;

        if (*key == '#') {
            note = key;
            continue;
        }
        if (depth < 7 && tables[depth] != NULL) {
            field = spot_field_find(tables[depth], key, num_bytes);
            tables[depth + 1] =
                field != NULL && field->type == SPOT_FIELD_MAP ? field->fields : NULL;
        }
        if (field != NULL) {
            put_comment(out, indent, field->help);
            for (j = 0; j < self->num_given && strcmp(self->given[j].key, field->name) != 0;) {
                j++;
            }
        }
        if (j < self->num_given) {
            put_comment(out, indent, self->given[j].note);
            if (self->given[j].value != NULL) {
                fprintf(out, "%*s%s: %s\n", indent, "", field->name, self->given[j].value);
            }
        } else {
            if (field != NULL && *note != '\0') {
                fprintf(out, "%*s%.*s\n", indent, "", (int) strcspn(note, "\n"), note);
            }
            fprintf(out, "%.*s\n", (int) strcspn(line, "\n"), line);
        }
        note = otherwise;
    }
}

static int name_outputs(init_t *self)
{
    static const char *const names[] = {"scenario.yaml", "study.yaml", "trace.csv"};
    const arguments_t *arguments = self->call->arguments;
    const char *place = arguments->output_path, *slash = strrchr(place, '/');
    const bool is_file = spot_has_suffix(place, ".yaml");
    const int num_bytes = slash == NULL ? 0 : (int) (slash + 1 - place);
    const char *folder = is_file ? TEXT("%.*s", num_bytes, place) : TEXT("%s/", place);
    bool is_made = false;
    int ret = 0;

    spot_usage_refuse(self->call, spot_files_is_dash(place),
        "-o: expected a folder or NAME.yaml, \"-\" is standard output; \"./-\" is a folder");
    for (size_t j = 0; j < 3; j++) {
        self->outputs[j] = is_file && j == 0 ? place : TEXT("%s%s", folder, names[j]);
        if (!arguments->is_forced && access(self->outputs[j], F_OK) == 0) {
            ret = spot_diag_error(&self->call->diag, self->outputs[j], 0, 0,
                "is there already: expected another -o, or --force");
        }
    }
    ret = ret == 0 && !is_file ? spot_folder_make(place, &is_made, &self->call->diag) : ret;
    self->folder = is_made ? place : NULL;
    for (size_t j = 0; j < (arguments->inputs[0] == NULL ? 2 : 3) && ret == 0; j++) {
        spot_output_bytes(&self->files[j], self->outputs[j], &self->call->diag);
        ret = self->files[j].error;
    }
    return ret;
}

/* Reads what was written, with all that it names, before it has its names. */
static int read_again(const init_t *self)
{
    const spot_outfile_t *file = &self->files[0].file;
    const char *trace = self->files[2].file.temporary;
    const spot_yaml_given_t given = {"--trace", "trace.recordings[0]", .text = trace};
    const spot_scenario_changes_t changes = {.num_given = trace != NULL, .given = &given};
    spot_bound_scenario_t bound;
    int ret;

    if (fflush(file->stream) != 0) {
        spot_diag_error(&self->call->diag, file->path, 0, 0, "cannot write: %s", strerror(errno));
        return SPOT_ERR_IO;
    }
    ret = spot_bound_scenario_read(
        &bound, spot_engines, file->temporary, &changes, &self->call->diag);
    spot_bound_scenario_free(&bound);
    return ret;
}

/* Gives the files their names, or removes them all. */
static int end_files(init_t *self, int ret)
{
    for (size_t j = 0; j < 3; j++) {
        if (self->files[j].diag != NULL) {
            const int error = spot_output_end(&self->files[j], ret == 0 ? 0 : SPOT_ERR_BAD_INPUT);

            ret = spot_error_first(ret, error);
        }
    }
    if (ret != 0 && self->folder != NULL) {
        (void) rmdir(self->folder);
    }
    return ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    init_t init = {.call = call}, *self = &init;
    spot_suggest_t near;
    const spot_experiment_t *engine = spot_experiment_find(spot_engines, arguments->engine, &near);
    const bool is_train = strcmp(engine->name, SPOT_DEFAULT_ENGINE) == 0;
    int ret;

    for (size_t j = 0; j < 3; j++) { /* before files are made */
        spot_usage_refuse(call, !is_train && arguments->inputs[j] != NULL,
            "--trace, --table and --price are for the engine train");
    }
    ret = name_outputs(self);
    for (size_t j = 0; j < 3 && ret == 0; j++) {
        const char *path = arguments->inputs[j];
        char *real = path == NULL ? NULL : realpath(path, NULL);

        path = real == NULL ? path : TEXT("%s", real);
        free(real);
        if (path != NULL && j == 2) {
            GIVE("spot", TEXT("{file: '%s'}", path), "a price over time");
        } else if (path != NULL) {
            ret = (j == 0 ? take_trace : take_table)(self, path);
        }
    }
    call->is_reading = ret != 0;
    if (ret == 0) {
        write_yaml(self, self->files[0].stream, is_train ? spot_template_train : engine->example,
            engine->fields, is_train ? "" : "# assumed: an example; put in your own");
        ret = read_again(self);
    }
    if (ret == 0) {
        const char *slash = strrchr(self->outputs[0], '/');
        const char *sweep =
            engine->rivals == NULL
                ? ""
                : TEXT("sweep: {%s: [%s]}\n", engine->rivals->key, engine->rivals->example);
        const char *study = TEXT("study: mine\nscenario: %s\n%sreplications: {count: 100}\n",
            slash == NULL ? self->outputs[0] : slash + 1, sweep);

        write_yaml(self, self->files[1].stream, study, spot_study_fields, "");
    }
    return end_files(self, ret);
}

const spot_verb_t spot_verb_init = {
    .name = "init",
    .arguments = "",
    .summary = "Write a scenario and a study for a job of your own, with comments",
    .doc = "Both run as they stand. Comments say what each key is; what no file says "
           "is marked \"# assumed:\", with how to measure it. The log is converted, and "
           "replayed for fleets of any size from random times.",
    .examples = "  spotsim init -o mine\n"
                "  spotsim init --trace events.json --table steps.csv -o mine.yaml\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
