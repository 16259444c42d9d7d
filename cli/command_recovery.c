/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "cli/command.h"
#include "reports/doc.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    const char *name; /* NULL: all systems */
    spot_target_t target;
} arguments_t;

static const char *system_name(size_t j)
{
    return spot_recovery_systems[j] == NULL ? NULL : spot_recovery_systems[j]->name;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one recovery system", 0, "NAME", name, NULL, .what = "recovery system",
        .words = system_name),
    SPOT_OPTION_JSON(target.is_json, "Print JSON instead of text"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void write_list(FILE *out, spot_texts_t *texts)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        spot_doc_item(&doc, system->name, "",
            spot_texts_add(texts, "%s\n\nsource: %s", system->doc, system->source), 21);
    }
}

static void write_system(const spot_recovery_t *system, FILE *out, spot_texts_t *texts)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    fprintf(out, "%s: ", system->name);
    spot_doc_text(&doc, system->doc);
    spot_doc_text(&doc, spot_texts_add(texts, "source: %s", system->source));
    if (system->published != NULL) {
        spot_doc_text(&doc, spot_texts_add(texts, "published defaults: %s", system->published));
    }
    spot_doc_section(&doc, "Options");
    spot_doc_fields(&doc, spot_field_first(system->options), NULL, NULL, "");
}

static void write_system_json(spot_json_t *json, const spot_recovery_t *system)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", system->name);
    spot_json_text(json, "doc", system->doc);
    spot_json_text(json, "source", system->source);
    spot_json_text(json, "published_defaults", system->published);
    spot_doc_fields_json(json, "options", system->options);
    spot_json_close(json, '}');
}

static void write_json(const spot_recovery_t *system, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    if (system != NULL) {
        write_system_json(&json, system);
        return;
    }
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        write_system_json(&json, spot_recovery_systems[j]);
    }
    spot_json_close(&json, ']');
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_recovery_t *system =
        arguments->name == NULL ? NULL : spot_recovery_find(arguments->name, NULL);
    spot_output_t output;
    FILE *out;

    call->is_reading = false;
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL && arguments->target.is_json) {
        write_json(system, out);
    } else if (out != NULL && system != NULL) {
        write_system(system, out, &call->texts);
    } else if (out != NULL) {
        write_list(out, &call->texts);
    }
    return spot_output_end(&output, 0);
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
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
