/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

#include "cli/catalogue.h"
#include "models/step_pipeline.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/job/scenario.h"
#include "sim/train/metrics.h"
#include "sim/train/recovery/recovery.h"
#include "traces/describe/describe.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"
#include "traces/laws/law.h"

static const struct {
    int code;
    const char *text;
} exit_codes[] = {
    {SPOT_EXIT_GOOD, "good; of a question: yes"},
    {SPOT_EXIT_FAILED, "failed; of a question: no"},
    {SPOT_EXIT_BAD_INPUT, "usage or bad input"},
    {SPOT_EXIT_LOST, "advise --now: the job, as it is, does not keep its goal"},
    {SPOT_EXIT_UNDECIDED, "advise, study: undecided, the runs show neither yes nor no"},
    {SPOT_EXIT_INTERRUPTED, "interrupted"},
};

static void put_exit_codes(const spot_doc_t *doc)
{
    for (size_t j = 0; j < sizeof(exit_codes) / sizeof(exit_codes[0]); j++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", exit_codes[j].code);
        spot_doc_item(doc, code, "", exit_codes[j].text, 7);
    }
}

/* ---- Help on the terminal ---- */

#define OPTION_COLUMN 26

static bool is_of_group(const spot_command_t *command, const char *word)
{
    const size_t num_bytes = word == NULL ? 0 : strlen(word);

    return word == NULL ||
           (strncmp(command->name, word, num_bytes) == 0 && command->name[num_bytes] == ' ');
}

/* Commands whose first word is that, or all. */
static bool list_commands(const spot_doc_t *doc, const char *word)
{
    bool has_any = false;

    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        if (is_of_group(spot_commands[j], word)) {
            fputs(has_any ? "" : "Commands:\n", doc->out);
            spot_doc_item(doc, spot_commands[j]->name, "", spot_commands[j]->summary, 21);
            has_any = true;
        }
    }
    return has_any;
}

void spot_manual_overview(FILE *out)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    fputs("Usage: spotsim COMMAND ...\n\n", out);
    spot_doc_text(&doc, "Simulates elastic training on preemptible (spot) instances.");
    putc('\n', out);
    list_commands(&doc, NULL);
    fputs("\nExit codes:\n", out);
    put_exit_codes(&doc);
    fputs("\n'spotsim COMMAND --help' has more, with examples. First try, anywhere:\n"
          "  spotsim engine train --example -o first.yaml\n"
          "  spotsim run first.yaml\n"
          "  spotsim compare first.yaml --recovery checkpoint,ideal\n",
        out);
}

bool spot_manual_group(const char *word, FILE *out)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);
    const bool is_group = list_commands(&doc, word);

    fputs(is_group ? "\n'spotsim COMMAND --help' has more, with examples.\n" : "", out);
    return is_group;
}

void spot_manual_usage(const spot_command_t *command, FILE *out)
{
    const char *form = command->arguments;

    for (int j = 0; j == 0 || *form != '\0'; j++) {
        const size_t num_bytes = strcspn(form, "\n");

        fprintf(out, "%s spotsim %s [OPTION...] %.*s\n",
            j == 0 ? "Usage:" : "  or: ", command->name, (int) num_bytes, form);
        form += num_bytes + (form[num_bytes] == '\n');
    }
}

static void put_option(const spot_doc_t *doc, const spot_option_t *option, const char *help)
{
    const char *indent = doc->width == 0 ? "" : "    ";
    spot_texts_t texts = {0};
    const char *name = option->letter != 0
                           ? spot_texts_add(&texts, "-%c, --%s", option->letter, option->name)
                           : spot_texts_add(&texts, "%s--%s", indent, option->name);

    spot_doc_item(doc, name,
        option->value == NULL ? "" : spot_texts_add(&texts, "=%s", option->value),
        option->example == NULL ? help
                                : spot_texts_add(&texts, "%s (e.g. %s)", help, option->example),
        OPTION_COLUMN);
    spot_texts_free(&texts);
}

/* Options, its own and those of all commands, and what else is listed. */
static void put_lists(const spot_doc_t *doc, const spot_command_t *command)
{
    const spot_option_t *option;
    const char *name, *text;

    for (size_t j = 0; command->item != NULL && (text = command->item(j, &name)) != NULL; j++) {
        spot_doc_item(doc, name, "", text, 14);
    }
    fputs(doc->width > 0 ? "\nOptions:\n" : "", doc->out);
    for (size_t j = 0; (option = spot_option_at(command, j)) != NULL; j++) {
        put_option(doc, option,
            option->letter == 'q' && command->quiet != NULL ? command->quiet : option->help);
    }
}

void spot_manual_help(const spot_command_t *command, FILE *out)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    spot_manual_usage(command, out);
    putc('\n', out);
    spot_doc_text(&doc, command->summary);
    putc('\n', out);
    spot_doc_text(&doc, command->doc);
    put_lists(&doc, command);
    spot_doc_section(&doc, "Examples");
    spot_doc_lines(&doc, command->examples);
}

/* ---- Parts of pages that are made from tables ---- */

static void put_commands(const spot_doc_t *doc)
{
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        const spot_command_t *command = spot_commands[j];

        fprintf(doc->out, ".SS spotsim %s [OPTION...]%s", command->name,
            command->arguments[0] == '\0' ? "" : " ");
        for (const char *byte = command->arguments; *byte != '\0'; byte++) {
            fputs(*byte == '\n' ? " | " : (char[]){*byte, '\0'}, doc->out);
        }
        putc('\n', doc->out);
        spot_doc_text(doc, command->summary);
        fputs(".PP\n", doc->out);
        spot_doc_text(doc, command->doc);
        put_lists(doc, command);
        fputs(".PP\nExamples:\n", doc->out);
        spot_doc_lines(doc, command->examples);
    }
}

static void put_figure(const spot_doc_t *doc, const char *name, const char *unit, const char *help)
{
    spot_texts_t texts = {0};

    spot_doc_item(doc, name, unit[0] == '\0' ? "" : spot_texts_add(&texts, " (%s)", unit), help,
        SPOT_DOC_BELOW);
    spot_texts_free(&texts);
}

static void put_figures(const spot_doc_t *doc)
{
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const spot_describe_figure_t *figure = &spot_describe_figures[j];

        put_figure(doc, figure->name, figure->unit, figure->help);
    }
}

static void put_notebook_figures(const spot_doc_t *doc)
{
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        const spot_notebook_figure_t *figure = &spot_notebook_figures[j];

        put_figure(doc, figure->name, figure->unit, figure->help);
    }
}

static void put_train_metrics(const spot_doc_t *doc)
{
    spot_engine_report_metrics(doc, spot_train_metrics + SPOT_TRAIN_NUM_INPUT,
        SPOT_TRAIN_NUM_METRICS - SPOT_TRAIN_NUM_INPUT);
    fputs(".PP\nWith job.input, too:\n", doc->out);
    spot_engine_report_metrics(doc, spot_train_metrics, SPOT_TRAIN_NUM_INPUT);
}

static void put_recovery_systems(const spot_doc_t *doc)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        fprintf(doc->out, ".SS system: %s\n", system->name);
        spot_doc_text(doc, system->doc);
        if (system->published != NULL) {
            fputs(".PP\nPublished defaults:\n", doc->out);
            spot_doc_text(doc, system->published);
        }
        spot_doc_fields(doc, spot_field_first(system->options), NULL, NULL, "recovery.");
    }
}

/* Every key of a trace's model, a recorded trace last. */
static void put_generators(const spot_doc_t *doc)
{
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        fprintf(doc->out, ".SS generator: %s\n", spot_generators[j]->name);
        spot_doc_text(doc, spot_generators[j]->doc);
        spot_doc_fields(doc, spot_generators[j]->options, spot_model_common_fields, NULL, "");
    }
    fputs(".SS every generator\n", doc->out);
    spot_doc_fields(doc, spot_model_common_fields, NULL, NULL, "");
    fputs(".SS a recorded trace, in a scenario only\n", doc->out);
    spot_doc_fields(doc, spot_generator_file.options, NULL, NULL, "");
    fputs(".SS a model file, in a scenario only\n", doc->out);
    spot_doc_fields(doc, spot_model_file_fields, NULL, NULL, "");
}

static void put_laws(const spot_doc_t *doc)
{
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        const spot_family_t *family = spot_families[j];
        const int num_fields = family->num_parameters + family->num_settings;

        fprintf(doc->out, ".SS family: %s\n", family->name);
        spot_doc_text(doc, family->doc);
        spot_doc_fields(
            doc, family->fields, spot_field_next(&family->fields[num_fields - 1]), NULL, "");
    }
}

/* A part: keys of a table behind a path, or what put writes. */
static const struct {
    const char *name;
    const spot_field_t *fields;
    const char *path;
    void (*put)(const spot_doc_t *doc);
} parts[] = {
    {"commands", NULL, NULL, put_commands},
    {"figures", NULL, NULL, put_figures},
    {"exit-codes", NULL, NULL, put_exit_codes},
    {"notebook-figures", NULL, NULL, put_notebook_figures},
    {"train-keys", spot_scenario_fields, "", NULL},
    {"pipeline-keys", spot_step_pipeline_fields, "job.step_time.pipeline.", NULL},
    {"train-metrics", NULL, NULL, put_train_metrics},
    {"study-keys", spot_study_fields, "", NULL},
    {"recovery-systems", NULL, NULL, put_recovery_systems},
    {"generators", NULL, NULL, put_generators},
    {"laws", NULL, NULL, put_laws},
};

/* ---- Pages ---- */

/* Texts in man(7) form; a line "@PART" is one of the parts. */
extern const char spot_manual_spotsim[], spot_manual_scenario[], spot_manual_study[],
    spot_manual_trace[], spot_manual_engine[];

static const struct {
    const char *name; /* with its section */
    const char *summary;
    const char *text;
} pages[] = {
    {"spotsim.1", "simulate elastic training on preemptible instances", spot_manual_spotsim},
    {"spotsim-scenario.5", "one training job on one fleet of spot instances", spot_manual_scenario},
    {"spotsim-study.5", "a parameter study over a scenario", spot_manual_study},
    {"spotsim-trace.5", "recorded traces of spot instances, and models of them", spot_manual_trace},
};

#define NUM_PAGES (sizeof(pages) / sizeof(pages[0]))
#define ENGINE_PAGE "spotsim-engine-%.40s.5"

const char *spot_manual_page_name(size_t j)
{
    static char name[96];

    if (j < NUM_PAGES) {
        return pages[j].name;
    }
    for (size_t k = 0; spot_engines[k] != NULL; k++) {
        if (k == j - NUM_PAGES) {
            snprintf(name, sizeof(name), ENGINE_PAGE, spot_engines[k]->name);
            return name;
        }
    }
    return NULL;
}

static void put_head(FILE *out, const char *page, const char *summary)
{
    const int num_bytes = (int) strlen(page) - 2;

    fputs(".TH \"", out);
    for (int j = 0; j < num_bytes; j++) {
        putc(toupper((unsigned char) page[j]), out);
    }
    fprintf(out, "\" \"%s\" \"\" \"spotsim %s\" \"spotsim manual\"\n.SH NAME\n%.*s \\- %s\n",
        page + num_bytes + 1, SPOT_VERSION, num_bytes, page, summary);
}

/* engine: of the part "engine". */
static void put_part(
    const spot_doc_t *doc, const char *line, size_t num_bytes, const spot_engine_words_t *engine)
{
    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        if (strlen(parts[j].name) == num_bytes && strncmp(parts[j].name, line, num_bytes) == 0) {
            if (parts[j].put != NULL) {
                parts[j].put(doc);
            } else {
                spot_doc_fields(doc, spot_field_first(parts[j].fields), NULL, NULL, parts[j].path);
            }
        }
    }
    if (engine != NULL && num_bytes == strlen("engine")) {
        spot_engine_report_put(doc, engine->experiment, engine->outputs);
    }
}

static void put_page(const char *text, const spot_engine_words_t *engine, FILE *out)
{
    const spot_doc_t doc = {.out = out};

    while (*text != '\0') {
        const size_t num_bytes = strcspn(text, "\n");

        if (*text == '@') {
            put_part(&doc, text + 1, num_bytes - 1, engine);
        } else {
            fwrite(text, 1, num_bytes + 1, out);
        }
        text += num_bytes + 1;
    }
}

int spot_manual_page(const char *page, FILE *out, spot_diag_t *diag)
{
    spot_engine_words_t words;
    const char *name;
    size_t j = 0;
    int ret;

    while ((name = spot_manual_page_name(j)) != NULL && strcmp(name, page) != 0) {
        j++;
    }
    if (name == NULL) {
        return SPOT_ERR_BAD_PARAM;
    }
    if (j < NUM_PAGES) {
        put_head(out, page, pages[j].summary);
        put_page(pages[j].text, NULL, out);
        return 0;
    }
    ret = spot_engine_words_init(&words, spot_engines[j - NUM_PAGES], diag);
    if (ret == 0) {
        put_head(out, page, words.experiment->summary);
        put_page(spot_manual_engine, &words, out);
    }
    spot_engine_words_free(&words);
    return ret;
}
