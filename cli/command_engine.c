/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/engine_words.h"
#include "reports/text_cell.h"
#include "sim/engines.h"

enum { OPTION_JSON = 256 };

typedef struct {
    const char *name; /* NULL: all engines */
    bool is_json;
} arguments_t;

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "Print JSON instead of text", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case ARGP_KEY_END:
            return 0; /* without a name all of them */
        default:
            return spot_option_argument(
                state, key, text, &arguments->name, "one engine");
    }
}

static void
write_list(FILE *out)
{
    int width = 0;

    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        spot_text_widen(&width, spot_engines[j]->name);
    }
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        fprintf(
            out, "%-*s  %s\n", width, spot_engines[j]->name, spot_engines[j]->summary);
    }
}

static void
write_list_json(FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        spot_json_open(&json, NULL, '{');
        spot_json_text(&json, "name", spot_engines[j]->name);
        spot_json_text(&json, "summary", spot_engines[j]->summary);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
}

static int
write_engine(
    const spot_experiment_t *experiment, bool is_json, FILE *out, spot_diag_t *diag)
{
    spot_engine_words_t words;
    int ret = spot_engine_words_init(&words, experiment, diag);

    if (ret == 0 && is_json) {
        ret = spot_engine_words_json(&words, out);
    } else if (ret == 0) {
        spot_engine_words_text(&words, out);
    }
    spot_engine_words_free(&words);
    return ret;
}

/* BAD_INPUT with the nearest name in diag. */
static int
find_engine(const char *name, const spot_experiment_t **experiment, spot_diag_t *diag)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    spot_suggest_t near;

    *experiment = spot_experiment_find(spot_engines, name, &near);
    if (*experiment != NULL) {
        return 0;
    }
    spot_diag_error(diag, "spotsim engine", 0, 0, "unknown engine \"%s\"%s%s%s",
        spot_utf8_shown(name, shown),
        near.nearest == NULL ? "; without a name all are listed" : ", did you mean \"",
        near.nearest == NULL ? "" : near.nearest, near.nearest == NULL ? "" : "\"?");
    return SPOT_ERR_BAD_INPUT;
}

static int
answer(const arguments_t *arguments, spot_diag_t *diag)
{
    const spot_experiment_t *experiment = NULL;
    spot_outfile_t file;
    int ret =
        arguments->name == NULL ? 0 : find_engine(arguments->name, &experiment, diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_outfile_init(&file, NULL, diag);
    if (ret == 0 && experiment != NULL) {
        ret = write_engine(experiment, arguments->is_json, file.stream, diag);
    } else if (ret == 0) {
        (arguments->is_json ? write_list_json : write_list)(file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_diag_t diag;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_engine, argc, argv, parse, &arguments);
    return spot_command_finish(&diag, answer(&arguments, &diag));
}

const spot_command_t spot_command_engine = {
    .name = "engine",
    .arguments = "[NAME]",
    .summary = "List the engines, or the keys, metrics and series of one",
    .doc = "An engine runs a scenario, which names it as engine: NAME (default train). "
           "Each has a manual page, spotsim-engine-NAME(5).",
    .examples = "  spotsim engine\n"
                "  spotsim engine train --json\n",
    .options = options,
    .run = run,
};
