/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/field_text.h"
#include "reports/text_cell.h"
#include "sim/recovery/recovery.h"

enum { OPTION_JSON = 256 };

typedef struct {
    const char *name; /* NULL: all systems */
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
                state, key, text, &arguments->name, "one recovery system");
    }
}

/* *system NULL: all of them are asked for. BAD_INPUT with the nearest name in diag. */
static int
find_system(const char *name, const spot_recovery_t **system, spot_diag_t *diag)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    spot_suggest_t near;

    *system = NULL;
    if (name == NULL) {
        return 0;
    }
    spot_suggest_init(&near, name);
    *system = spot_recovery_find(name, &near);
    if (*system != NULL) {
        return 0;
    }
    spot_diag_error(diag, "spotsim recovery", 0, 0,
        "unknown recovery system \"%s\"%s%s%s", spot_utf8_shown(name, shown),
        near.nearest == NULL ? "; without a name all are listed" : ", did you mean \"",
        near.nearest == NULL ? "" : near.nearest, near.nearest == NULL ? "" : "\"?");
    return SPOT_ERR_BAD_INPUT;
}

/* ---- Text ---- */

static void
write_list(FILE *out)
{
    int width = 0;

    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        spot_text_widen(&width, spot_recovery_systems[j]->name);
    }
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        fprintf(out, "%-*s  %s\n%*s  source: %s\n", width, system->name, system->doc,
            width, "", system->source);
    }
}

static void
write_system(const spot_recovery_t *system, FILE *out)
{
    fprintf(out, "%s: %s\nsource: %s\n", system->name, system->doc, system->source);
    if (system->published != NULL) {
        fprintf(out, "published defaults: %s\n", system->published);
    }
    fputs("\noptions:\n", out);
    spot_fields_write(system->options, "", out);
}

/* ---- JSON ---- */

static int
write_system_json(spot_json_t *json, const spot_recovery_t *system)
{
    int ret;

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", system->name);
    spot_json_text(json, "doc", system->doc);
    spot_json_text(json, "source", system->source);
    spot_json_text(json, "published_defaults", system->published);
    ret = spot_fields_write_json(json, "options", system->options);
    spot_json_close(json, '}');
    return ret;
}

static int
write_json(const spot_recovery_t *system, FILE *out)
{
    spot_json_t json;
    int ret = 0;

    spot_json_init(&json, out, 2);
    if (system != NULL) {
        return write_system_json(&json, system);
    }
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; ret == 0 && spot_recovery_systems[j] != NULL; j++) {
        ret = write_system_json(&json, spot_recovery_systems[j]);
    }
    spot_json_close(&json, ']');
    return ret;
}

static int
write_answer(const spot_recovery_t *system, bool is_json, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, NULL, diag);

    if (ret == 0 && is_json) {
        ret = write_json(system, file.stream);
    } else if (ret == 0 && system == NULL) {
        write_list(file.stream);
    } else if (ret == 0) {
        write_system(system, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    const spot_recovery_t *system;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_recovery, argc, argv, parse, &arguments);
    ret = find_system(arguments.name, &system, &diag);
    if (ret == 0) {
        ret = write_answer(system, arguments.is_json, &diag);
    }
    return spot_command_finish(&diag, ret);
}

const spot_command_t spot_command_recovery = {
    .name = "recovery",
    .arguments = "[NAME]",
    .summary = "List the recovery systems, or all options of one",
    .doc = "A recovery system is how a job goes on after a loss. A scenario names it as "
           "recovery: NAME, or with options as recovery: {system: NAME, OPTION: VALUE}; "
           "`spotsim compare` runs several of them side by side.",
    .examples = "  spotsim recovery\n"
                "  spotsim recovery checkpoint --json\n",
    .options = options,
    .run = run,
};
