/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

#include "cli/command.h"
#include "cli/engine_words.h"
#include "cli/manual_study.h"
#include "cli/roff.h"
#include "models/step_pipeline.h"
#include "sim/engines.h"
#include "sim/recovery/recovery.h"
#include "sim/train/metrics.h"
#include "sim/train/scenario.h"
#include "traces/describe/figures.h"
#include "traces/describe/notebook.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"
#include "traces/laws/law.h"

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
        fprintf(out, "  %-18s %s\n", spot_commands[j]->name, spot_commands[j]->summary);
    }
    fprintf(out, "\n'spotsim COMMAND --help' has more, with examples. First try:\n"
                 "  spotsim study study.yaml -o idle.csv --plot idle.svg\n");
}

bool
spot_manual_group(const char *word, FILE *out)
{
    const size_t num_bytes = strlen(word);
    bool is_group = false;

    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        const char *name = spot_commands[j]->name;

        if (strncmp(name, word, num_bytes) == 0 && name[num_bytes] == ' ') {
            fprintf(out, "%s  %-18s %s\n", is_group ? "" : "Commands:\n", name,
                spot_commands[j]->summary);
            is_group = true;
        }
    }
    if (is_group) {
        fprintf(out, "\n'spotsim COMMAND --help' has more, with examples.\n");
    }
    return is_group;
}

static void
put_option(FILE *out, const struct argp_option *option)
{
    fputs(".TP\n", out);
    if (isprint(option->key)) {
        fprintf(out, "\\fB\\-%c\\fR, ", option->key);
    }
    fputs("\\fB\\-\\-", out);
    spot_roff_text(out, option->name);
    fputs("\\fR", out);
    if (option->arg != NULL) {
        fputs("=\\fI", out);
        spot_roff_text(out, option->arg);
        fputs("\\fR", out);
    }
    putc('\n', out);
    spot_roff_text(out, option->doc);
    fputs(".\n", out);
}

static void
put_command(FILE *out, const spot_command_t *command)
{
    const char *name, *doc;

    fprintf(out, ".SS spotsim %s [OPTION...]%s", command->name,
        command->arguments[0] == '\0' ? "" : " ");
    for (const char *byte = command->arguments; *byte != '\0'; byte++) {
        fputs(*byte == '\n' ? " | " : (char[]){*byte, '\0'}, out);
    }
    putc('\n', out);
    spot_roff_text(out, command->summary);
    fputs(".\n", out);
    spot_roff_text(out, command->doc);
    putc('\n', out);
    for (size_t j = 0; command->item != NULL && (doc = command->item(j, &name)) != NULL;
         j++) {
        fputs(".TP\n.B ", out);
        spot_roff_text(out, name);
        putc('\n', out);
        spot_roff_text(out, doc);
        putc('\n', out);
    }
    for (const struct argp_option *option = command->options;
         option != NULL && option->name != NULL; option++) {
        put_option(out, option);
    }
    fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    spot_roff_text(out, command->examples);
    fputs(".fi\n", out);
}

static void
put_figure(FILE *out, const char *name, const char *unit, const char *help)
{
    fputs(".TP\n\\fB", out);
    spot_roff_text(out, name);
    fputs("\\fR", out);
    if (unit[0] != '\0') {
        fputs(" (", out);
        spot_roff_text(out, unit);
        fputs(")", out);
    }
    fputc('\n', out);
    spot_roff_text(out, help);
    fputs(".\n", out);
}

static void
put_figures(FILE *out)
{
    fputs(".SH FIGURES OF A TRACE\nThe output of \\fBspotsim trace describe\\fR: "
          "columns of its CSV, keys of its JSON; empty or null if undefined.\n",
        out);
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        put_figure(out, spot_describe_figures[j].name, spot_describe_figures[j].unit,
            spot_describe_figures[j].help);
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
    spot_roff_head(
        out, "spotsim", 1, "simulate elastic training on preemptible instances");
    fputs(".SH SYNOPSIS\n.B spotsim\n.I COMMAND\n[\\fIOPTION\\fR...] "
          "[\\fIARGUMENT\\fR...]\n"
          ".SH DESCRIPTION\n",
        out);
    spot_roff_text(out, about);
    fputs("\n.SH COMMANDS\n", out);
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        put_command(out, spot_commands[j]);
    }
    put_figures(out);
    fputs(".SH EXIT STATUS\n.TP\n0\ngood\n.TP\n1\nfailed\n.TP\n2\nusage or bad input\n"
          ".TP\n130\ninterrupted\n"
          ".SH SEE ALSO\n.BR spotsim\\-scenario (5),\n.BR spotsim\\-trace (5),\n"
          ".BR spotsim\\-study (5)\n",
        out);
}

static const char step_tables[] =
    ".SH STEP TIME BY (D,P)\n"
    "\\fBjob.step_time: {table: \\fR\\fIFILE.csv\\fR\\fB}\\fR: D pipelines of P "
    "instances. Of the depth \\fBjob.pipeline_depth\\fR the most pipelines form that "
    "there are instances for and that have a step time; there is none between the pairs "
    "and beyond them, and a run warns where fewer form than could. The file is UTF\\-8 "
    "text:\n"
    ".PP\n.nf\n"
    "# samples_per_step: 256   micro_batch: 4   layers: 49\n"
    "D,P,step_ms,samples_per_s,origin\n1,6,5304.2,48.26,measured\n2,6,3396,75.38,"
    "fitted\n"
    "1,4,,,measured\n.fi\n"
    ".TP\n\\fBsamples_per_step\\fR, in the header, optional\nmust be that of the job.\n"
    ".TP\n\\fBmicro_batch\\fR, \\fBlayers\\fR, in the header, optional\n"
    "what \\fBspotsim model fit\\fR needs, which fills the gaps of a table.\n"
    ".TP\n\\fBD\\fR, \\fBP\\fR\npipelines, and stages of each.\n"
    ".TP\n\\fBstep_ms\\fR (ms)\nempty: the pair is infeasible, e.g. out of memory.\n"
    ".TP\n\\fBsamples_per_s\\fR (samples/s), optional column\n"
    "by it the fastest pair is chosen; 0 is infeasible.\n"
    ".TP\n\\fBorigin\\fR, optional column\nmeasured or fitted; a run that uses a fitted "
    "step time says so.\n"
    ".PP\n\\fBjob.step_time: {pipeline: {\\fR\\fI...\\fR\\fB}}\\fR: all pairs that are "
    "feasible, by closed forms that are exact for equal stages. The keys:\n";

static const char equal_terms[] =
    ".SH EQUAL TERMS\nAll recovery systems have the figures of the job. What is given "
    "is "
    "measured and wins. What is not given follows from \\fBjob.model\\fR, whose "
    "parameters times bytes are the state, and a bandwidth: \\fBfleet.network\\fR is of "
    "each instance, so that all copy at the same time; \\fBfleet.storage\\fR is of the "
    "whole fleet, which writes and reads the state once.\n"
    ".TP\n\\fBjob.detection\\fR\na loss that was not announced, before every pause for "
    "it.\n"
    ".TP\n\\fBjob.regroup\\fR, \\fBjob.rebuild\\fR\nthe same instances form their "
    "groups anew; instances build a part of the model that they did not have. Together "
    "they are \\fBjob.reconfiguration\\fR: two of the three may be given. Without a "
    "split regrouping takes all of it.\n"
    ".TP\n\\fBjob.reload\\fR, \\fBjob.checkpoint.write\\fR\nthe state over "
    "\\fBfleet.storage\\fR if not given; without these their defaults, with a warning "
    "where there is a \\fBjob.model\\fR.\n"
    ".TP\ncopies between instances\ntheir share of the state over "
    "\\fBfleet.network\\fR.\n"
    ".PP\nAn option of a system wins over the figure of the job, for that system. "
    "\\fBrecovery.checkpoint\\fR has the keys of \\fBjob.checkpoint\\fR, which are its "
    "defaults: no system writes for free. A system that needs a figure which neither "
    "the "
    "job nor an option gives cannot run: \\fBspotsim run\\fR says which and exits with "
    "2; in studies and comparisons its points have no replications and say why. With "
    "\\fBpublished_defaults: yes\\fR it takes those of its paper, which are of another "
    "model, and every output warns of it.\n";

static void
put_scenario(FILE *out)
{
    spot_roff_head(
        out, "spotsim-scenario", 5, "one training job on one fleet of spot instances");
    fputs(".SH DESCRIPTION\nA YAML file. Unknown and repeated keys, wrong types, units "
          "and ranges are errors with file:line:column. Every duration needs a unit. "
          "Where a key is named, for a sweep or \\fB\\-\\-set\\fR, [0], [1], ... behind "
          "it are the items of its list: trace.addition.big.range[1]=40.\n"
          ".SH KEYS\n",
        out);
    spot_roff_fields(out, spot_scenario_fields, NULL, "");
    fputs(".PP\nThe keys of \\fBtrace\\fR, by generator, are in "
          "\\fBspotsim\\-trace\\fR(5).\n",
        out);
    fputs(step_tables, out);
    spot_roff_fields(out, spot_step_pipeline_fields, NULL, "job.step_time.pipeline.");
    fputs(equal_terms, out);
    fputs(".SH RECOVERY SYSTEMS\nKeys of \\fBrecovery\\fR, by system.\n", out);
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        fprintf(out, ".SS system: %s\n", spot_recovery_systems[j]->name);
        spot_roff_text(out, spot_recovery_systems[j]->doc);
        fputs(".\n", out);
        if (spot_recovery_systems[j]->published != NULL) {
            fputs("Published defaults: ", out);
            spot_roff_text(out, spot_recovery_systems[j]->published);
            fputs(".\n", out);
        }
        spot_roff_fields(out, spot_recovery_systems[j]->options, NULL, "recovery.");
    }
    fputs(".SH METRICS\nWhat a run is measured by; null where undefined.\n", out);
    for (size_t j = 0; j < SPOT_TRAIN_NUM_METRICS; j++) {
        fputs(".TP\n\\fB", out);
        spot_roff_text(out, spot_train_metrics[j].name);
        fprintf(out, "\\fR (%s)\n", spot_train_metrics[j].unit);
        spot_roff_text(out, spot_train_metrics[j].help);
        fputs(".\n", out);
    }
    fputs(".SH SEE ALSO\n.BR spotsim (1),\n.BR spotsim\\-trace (5),\n"
          ".BR spotsim\\-study (5),\n.BR spotsim\\-engine\\-train (5)\n",
        out);
}

static void
put_law(FILE *out, const spot_family_t *family)
{
    const int num_fields = family->num_parameters + family->num_settings;

    fprintf(out, ".SS family: %s\n", family->name);
    spot_roff_text(out, family->doc);
    fputs(".\n", out);
    spot_roff_fields(
        out, family->fields, spot_field_next(&family->fields[num_fields - 1]), "");
}

/* The generators, a recorded trace last: every key of a trace's model. */
static void
put_generators(FILE *out)
{
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        fprintf(out, ".SS generator: %s\n", spot_generators[j]->name);
        spot_roff_text(out, spot_generators[j]->doc);
        fputs(".\n", out);
        spot_roff_fields(out, spot_generators[j]->options, spot_model_common_fields, "");
    }
    fputs(".SS every generator\n", out);
    spot_roff_fields(out, spot_model_common_fields, NULL, "");
    fputs(".SS a recorded trace, in a scenario only\n", out);
    spot_roff_fields(out, spot_generator_file.options, NULL, "");
    fputs(".SS a model file, in a scenario only\n", out);
    spot_roff_fields(out, spot_model_file_fields, NULL, "");
    fputs(".SH LAWS\nOf gaps, lifetimes and refills: \\fB{family: NAME, ...}\\fR or "
          "\\fB{law: NAME, ...}\\fR; all times in seconds.\n",
        out);
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        put_law(out, spot_families[j]);
    }
}

static const char trace_files[] =
    ".SH TRACE FILES\n"
    "UTF\\-8 text: header lines \\fB# key: value\\fR, the row of columns, one row an "
    "event. pandas.read_csv(comment=\\(aq#\\(aq) and R read it as it is.\n"
    ".PP\n.nf\n"
    "# spotsim\\-trace: 1\n# name: two\\-instances\n# start: unknown\n"
    "# resolution_s: 60\n# kind: named\n# capacity: 4\n"
    "time_s,event,count,instances\n0,init,2,a b\n600,preempt,1,a\n1200,add,1,c\n"
    "3600,end,2,\n.fi\n"
    ".TP\n\\fBspotsim\\-trace\\fR, first line\nversion of the format, 1.\n"
    ".TP\n\\fBname\\fR\nof the trace.\n"
    ".TP\n\\fBstart\\fR\nunknown, a date or a date\\-time (ISO 8601).\n"
    ".TP\n\\fBresolution_s\\fR (s)\nhow often the recorder looked.\n"
    ".TP\n\\fBkind\\fR\n"
    "named: every instance has a name and thus a life; counts: only how many ran, so "
    "that within one tick only the net change may be known; availability: how many a "
    "probe could have obtained, while nothing ran.\n"
    ".TP\n\\fBcapacity\\fR\nmost instances at a time, or unbounded.\n"
    ".TP\n\\fBprice_usd_per_h\\fR, \\fBprice_usd_per_h.\\fR\\fIZONE\\fR (USD per "
    "instance\\-hour), optional\nwhat an instance costs, in steps \\(dqFROM_S PRICE; "
    "FROM_S PRICE; ...\\(dq, e.g. 0 0.91; 21600 1.2; of a zone: the instances whose "
    "names start with ZONE/.\n"
    ".PP\nOther keys are kept. The rows:\n"
    ".TP\n\\fBtime_s\\fR (s)\nat most 3 decimals, never decreasing; at equal times "
    "losses stand before additions.\n"
    ".TP\n\\fBevent\\fR\ninit: the instances at 0, the first row; preempt: taken by "
    "the provider; add; stop: given back by the user, which censors a life and is no "
    "preemption; end: the last row, where the recording stops.\n"
    ".TP\n\\fBcount\\fR (instances)\nhow many; of end, how many are left.\n"
    ".TP\n\\fBinstances\\fR\nin kind named their names with blanks between.\n"
    ".SH LIFETIMES FILES\n"
    "First line \\fB# spotsim\\-lifetimes: 1\\fR; columns \\fBstart_s\\fR, "
    "\\fBduration_s\\fR (s), \\fBstatus\\fR (preempted or stopped), \\fBinstance\\fR, "
    "and any others, by which \\fB\\-\\-where\\fR selects.\n"
    ".SH MODEL FILES\n"
    "YAML: \\fBspotsim\\-model: 1\\fR and the keys of a generator. The same keys, or "
    "the path of such a file, are the value of \\fBtrace\\fR in a scenario, whose "
    "tick, fleet and horizon win.\n"
    ".PP\n.nf\nspotsim\\-model: 1\ngenerator: lifetimes\ncapacity: 64\ninitial: 40\n"
    "horizon_s: 86400\nlifetime: {law: deadline, zeta: 12, sigma: 3, deadline_s: "
    "86400}\n"
    "refill: {family: exponential, mu: 600}\n.fi\n";

static void
put_trace(FILE *out)
{
    spot_roff_head(out, "spotsim-trace", 5,
        "recorded traces of spot instances, and models of them");
    fputs(trace_files, out);
    put_generators(out);
    fputs(".SH SEE ALSO\n.BR spotsim (1),\n.BR spotsim\\-scenario (5)\n", out);
}

static const struct {
    const char *name;
    void (*put)(FILE *out);
} pages[] = {
    {"spotsim.1", put_program},
    {"spotsim-scenario.5", put_scenario},
    {"spotsim-study.5", spot_manual_study},
    {"spotsim-trace.5", put_trace},
};

#define NUM_PAGES (sizeof(pages) / sizeof(pages[0]))
#define ENGINE_PAGE "spotsim-engine-%s.5"

static void
put_list(FILE *out)
{
    for (size_t j = 0; j < NUM_PAGES; j++) {
        fprintf(out, "%s\n", pages[j].name);
    }
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        fprintf(out, ENGINE_PAGE "\n", spot_engines[j]->name);
    }
}

static int
put_engine(const spot_experiment_t *experiment, FILE *out, spot_diag_t *diag)
{
    spot_engine_words_t words;
    const int ret = spot_engine_words_init(&words, experiment, diag);

    if (ret == 0) {
        spot_engine_words_manual(&words, out);
    }
    spot_engine_words_free(&words);
    return ret;
}

int
spot_manual_page(const char *page, FILE *out, spot_diag_t *diag)
{
    for (size_t j = 0; j < NUM_PAGES; j++) {
        if (strcmp(pages[j].name, page) == 0) {
            pages[j].put(out);
            return 0;
        }
    }
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        char name[96];

        snprintf(name, sizeof(name), ENGINE_PAGE, spot_engines[j]->name);
        if (strcmp(name, page) == 0) {
            return put_engine(spot_engines[j], out, diag);
        }
    }
    if (strcmp(page, "list") == 0) {
        put_list(out);
        return 0;
    }
    return SPOT_ERR_BAD_PARAM;
}
