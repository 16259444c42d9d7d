/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "sim/recovery/recovery.h"
#include "sim/study/study.h"
#include "sim/train/metrics.h"
#include "sim/train/scenario.h"
#include "traces/describe/figures.h"
#include "traces/describe/notebook.h"
#include "traces/generate/generator.h"

static const char about[] = "spotsim answers, before anything is rented: what will a "
                            "training job on preemptible "
                            "(spot) instances really take? How long, how much money, "
                            "where does every paid second "
                            "go?";

void
spot_manual_overview(FILE *out)
{
    fprintf(out, "Usage: spotsim COMMAND ...\n\n"
                 "Simulates elastic training on preemptible (spot) instances.\n\n"
                 "Commands:\n");
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        fprintf(out, "  %-15s %s\n", spot_commands[j]->name, spot_commands[j]->summary);
    }
    fprintf(out, "\n'spotsim COMMAND --help' tells more, with examples. First try:\n"
                 "  spotsim study study.yaml -o idle.csv --plot idle.svg\n");
}

/* Text with the characters escaped that roff would take for its own. */
static void
put_text(FILE *out, const char *text)
{
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (*byte == '\\') {
            fputs("\\e", out);
        } else if (*byte == '-') {
            fputs("\\-", out);
        } else if ((*byte == '.' || *byte == '\'') &&
                   (byte == text || byte[-1] == '\n')) {
            fprintf(out, "\\&%c", *byte);
        } else {
            putc(*byte, out);
        }
    }
}

static void
put_head(FILE *out, const char *title, int section, const char *summary)
{
    char upper[64];
    size_t length = 0;

    for (; title[length] != '\0' && length + 1 < sizeof(upper); length++) {
        upper[length] = (char) toupper((unsigned char) title[length]);
    }
    upper[length] = '\0';
    fprintf(out, ".TH \"%s\" \"%d\" \"\" \"spotsim %s\" \"spotsim manual\"\n", upper,
        section, SPOT_VERSION);
    fprintf(out, ".SH NAME\n%s \\- ", title);
    put_text(out, summary);
    putc('\n', out);
}

static void
put_option(FILE *out, const struct argp_option *option)
{
    fputs(".TP\n", out);
    if (isprint(option->key)) {
        fprintf(out, "\\fB\\-%c\\fR, ", option->key);
    }
    fputs("\\fB\\-\\-", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    if (option->arg != NULL) {
        fputs("=\\fI", out);
        put_text(out, option->arg);
        fputs("\\fR", out);
    }
    putc('\n', out);
    put_text(out, option->doc);
    fputs(".\n", out);
}

static void
put_command(FILE *out, const spot_command_t *command)
{
    const char *name, *doc;

    fprintf(out, ".SS spotsim %s [OPTION...] %s\n", command->name, command->arguments);
    put_text(out, command->summary);
    fputs(".\n", out);
    put_text(out, command->doc);
    putc('\n', out);
    for (size_t j = 0; command->item != NULL && (doc = command->item(j, &name)) != NULL;
         j++) {
        fputs(".TP\n.B ", out);
        put_text(out, name);
        putc('\n', out);
        put_text(out, doc);
        putc('\n', out);
    }
    for (const struct argp_option *option = command->options;
         option != NULL && option->name != NULL; option++) {
        put_option(out, option);
    }
    fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    put_text(out, command->examples);
    fputs(".fi\n", out);
}

static void
put_figure(FILE *out, const char *name, const char *unit, const char *help)
{
    fputs(".TP\n\\fB", out);
    put_text(out, name);
    fputs("\\fR", out);
    if (unit[0] != '\0') {
        fputs(" (", out);
        put_text(out, unit);
        fputs(")", out);
    }
    fputc('\n', out);
    put_text(out, help);
    fputs(".\n", out);
}

static void
put_figures(FILE *out)
{
    fputs(
        ".SH FIGURES OF A TRACE\nWhat \\fBspotsim trace describe\\fR tells: columns of "
        "its CSV, keys of its JSON; empty or null where undefined.\n",
        out);
    for (size_t j = 0; j < SPOT_NUM_FIGURES; j++) {
        put_figure(
            out, spot_figures[j].name, spot_figures[j].unit, spot_figures[j].help);
    }
    fputs(".PP\nWith \\fB\\-\\-notebook\\fR:\n", out);
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        put_figure(out, spot_notebook_figures[j].name, spot_notebook_figures[j].unit,
            spot_notebook_figures[j].help);
    }
}

static void
put_program(FILE *out)
{
    put_head(out, "spotsim", 1, "simulate elastic training on preemptible instances");
    fputs(".SH SYNOPSIS\n.B spotsim\n.I COMMAND\n[\\fIOPTION\\fR...] "
          "[\\fIARGUMENT\\fR...]\n"
          ".SH DESCRIPTION\n",
        out);
    put_text(out, about);
    fputs("\n.SH COMMANDS\n", out);
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        put_command(out, spot_commands[j]);
    }
    put_figures(out);
    fputs(".SH EXIT STATUS\n.TP\n0\ngood\n.TP\n1\nfailed\n.TP\n2\nusage or bad input\n"
          ".TP\n130\ninterrupted\n"
          ".SH SEE ALSO\n.BR spotsim\\-scenario (5),\n.BR spotsim\\-study (5)\n",
        out);
}

/* What a value of the field looks like. */
static void
put_type(FILE *out, const spot_field_t *field)
{
    static const char *const names[] = {
        [SPOT_FIELD_INTEGER] = "integer",
        [SPOT_FIELD_NUMBER] = "number",
        [SPOT_FIELD_DURATION] = "duration such as \"88 s\", \"1.5 h\" or \"250 ms\"",
        [SPOT_FIELD_PRICE] = "USD per instance-hour such as 0.91 or \"0.91 USD/h\"",
        [SPOT_FIELD_TEXT] = "text",
        [SPOT_FIELD_PATH] = "file, relative to the one that names it",
        [SPOT_FIELD_MAP] = "map",
        [SPOT_FIELD_SELECTOR] = "name",
    };

    if (field->type == SPOT_FIELD_CHOICE) {
        for (int j = 0; field->choices[j] != NULL; j++) {
            fputs(j == 0 ? "" : " | ", out);
            put_text(out, field->choices[j]);
        }
    } else {
        put_text(out,
            field->type == SPOT_FIELD_CUSTOM ? field->expected : names[field->type]);
    }
}

/* The limits of a number; durations are at least 0 everywhere. */
static void
put_range(FILE *out, const spot_field_t *field)
{
    const bool is_number = field->type == SPOT_FIELD_INTEGER ||
                           field->type == SPOT_FIELD_NUMBER ||
                           field->type == SPOT_FIELD_PRICE;
    char low[SPOT_NUMBER_TEXT_BYTES], high[SPOT_NUMBER_TEXT_BYTES];

    if (!is_number || (field->min == 0 && field->max == 0)) {
        return;
    }
    spot_number_text(field->min, low);
    spot_number_text(field->max, high);
    fputs(" from ", out);
    put_text(out, low);
    if (isfinite(field->max)) {
        fputs(" to ", out);
        put_text(out, high);
    }
}

static void
put_fields(FILE *out, const spot_field_t *field, const char *path)
{
    for (; field != NULL; field = spot_field_next(field)) {
        char name[128];

        snprintf(name, sizeof(name), "%s%s", path, field->name);
        fputs(".TP\n\\fB", out);
        put_text(out, name);
        fputs("\\fR: ", out);
        put_type(out, field);
        put_range(out, field);
        putc('\n', out);
        put_text(out, field->help != NULL ? field->help : "");
        if (field->initial == NULL) {
            fputs(" (required)", out);
        } else if (field->initial[0] != '\0' && strcmp(field->initial, "{}") != 0) {
            fputs(" (default ", out);
            put_text(out, field->initial);
            fputs(")", out);
        }
        fputs(".\n", out);
        if (field->type == SPOT_FIELD_MAP) {
            strncat(name, ".", sizeof(name) - strlen(name) - 1);
            put_fields(out, field->fields, name);
        }
    }
}

static void
put_scenario(FILE *out)
{
    put_head(
        out, "spotsim-scenario", 5, "one training job on one fleet of spot instances");
    fputs(".SH DESCRIPTION\nA YAML file. Unknown and repeated keys, wrong types, units "
          "and "
          "ranges are errors with file:line:column. Every duration needs a unit.\n"
          ".SH KEYS\n",
        out);
    put_fields(out, spot_scenario_fields, "");
    fputs(".SH GENERATORS\nKeys of \\fBtrace\\fR, by generator.\n", out);
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        fprintf(out, ".SS generator: %s\n", spot_generators[j]->name);
        put_text(out, spot_generators[j]->doc);
        fputs(".\n", out);
        put_fields(out, spot_generators[j]->options, "trace.");
    }
    fputs(".SS a recorded trace\n", out);
    put_fields(out, spot_generator_file.options, "trace.");
    fputs(".SH RECOVERY SYSTEMS\nKeys of \\fBrecovery\\fR, by system.\n", out);
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        fprintf(out, ".SS system: %s\n", spot_recovery_systems[j]->name);
        put_text(out, spot_recovery_systems[j]->doc);
        fputs(".\n", out);
        put_fields(out, spot_recovery_systems[j]->options, "recovery.");
    }
    fputs(".SH METRICS\nWhat a run is measured by; null where undefined.\n", out);
    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        fputs(".TP\n\\fB", out);
        put_text(out, spot_train_metrics[j].name);
        fprintf(out, "\\fR (%s)\n", spot_train_metrics[j].unit);
        put_text(out, spot_train_metrics[j].help);
        fputs(".\n", out);
    }
    fputs(".SH SEE ALSO\n.BR spotsim (1),\n.BR spotsim\\-study (5)\n", out);
}

static void
put_study(FILE *out)
{
    put_head(out, "spotsim-study", 5, "a parameter study over a scenario");
    fputs(".SH DESCRIPTION\nA YAML file: a scenario, the values that some of its keys "
          "take, "
          "and how often each combination runs.\n.SH KEYS\n",
        out);
    put_fields(out, spot_study_fields, "");
    fputs(".SH RESULTS\nCSV with one row a point and metric: point, the swept keys, "
          "metric, "
          "unit, replications, nulls, mean, std, stderr, ci95_low, ci95_high, p05, "
          "median, "
          "p95. The interval is Student's of the mean; nulls are left out and counted.\n"
          ".SH SEE ALSO\n.BR spotsim (1),\n.BR spotsim\\-scenario (5)\n",
        out);
}

int
spot_manual_page(const char *page, FILE *out)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out);
    } pages[] = {
        {"spotsim.1", put_program},
        {"spotsim-scenario.5", put_scenario},
        {"spotsim-study.5", put_study},
    };

    for (size_t j = 0; j < sizeof(pages) / sizeof(pages[0]); j++) {
        if (strcmp(pages[j].name, page) == 0) {
            pages[j].put(out);
            return 0;
        }
    }
    return -1;
}
