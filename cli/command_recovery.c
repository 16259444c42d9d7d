/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "cli/command.h"
#include "cli/doc.h"
#include "cli/field_text.h"
#include "cli/report_terminal.h"
#include "sim/recovery/recovery.h"

typedef struct {
    const char *name; /* NULL: all systems */
    const char *output_path;
    bool is_json;
} arguments_t;

static const char *
system_name(size_t j)
{
    return spot_recovery_systems[j] == NULL ? NULL : spot_recovery_systems[j]->name;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one recovery system", 0, "NAME", name, NULL,
        .what = "recovery system", .words = system_name),
    SPOT_OPTION_JSON(is_json, "Print JSON instead of text"),
    SPOT_OPTION_OUTPUT(output_path, NULL),
    SPOT_OPTION_END,
};

static void
put_line(const spot_doc_t *doc, const char *what, const char *text)
{
    char line[1024];

    snprintf(line, sizeof(line), "%s%s", what, text);
    spot_doc_text(doc, line);
}

/* context: the system, or NULL for all. */
static int
write_text(const void *context, FILE *out)
{
    const spot_recovery_t *system = context;
    const spot_doc_t doc = spot_doc_of_terminal(out);

    for (size_t j = 0; system == NULL && spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *listed = spot_recovery_systems[j];
        char text[1024];

        snprintf(text, sizeof(text), "%s\n\nsource: %s", listed->doc, listed->source);
        spot_doc_item(&doc, listed->name, "", text, 21);
    }
    if (system != NULL) {
        fprintf(out, "%s: ", system->name);
        spot_doc_text(&doc, system->doc);
        put_line(&doc, "source: ", system->source);
        if (system->published != NULL) {
            put_line(&doc, "published defaults: ", system->published);
        }
        spot_doc_section(&doc, "Options");
        spot_doc_fields(&doc, spot_field_first(system->options), NULL, "");
    }
    return 0;
}

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
write_json(const void *context, FILE *out)
{
    spot_json_t json;
    int ret = 0;

    spot_json_init(&json, out, 2);
    if (context != NULL) {
        return write_system_json(&json, context);
    }
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; ret == 0 && spot_recovery_systems[j] != NULL; j++) {
        ret = write_system_json(&json, spot_recovery_systems[j]);
    }
    spot_json_close(&json, ']');
    return ret;
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_suggest_t near;

    call->is_reading = false;
    spot_suggest_init(&near, arguments->name == NULL ? "" : arguments->name);
    return (arguments->is_json ? spot_command_write : spot_command_print)(
        arguments->output_path, arguments->is_json ? write_json : write_text,
        arguments->name == NULL ? NULL : spot_recovery_find(arguments->name, &near),
        &call->diag);
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
