/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/watch.h"
#include "cli/command.h"
#include "sim/bench/engine/scenario_file.h"
#include "traces/queries/arrivals.h"

typedef struct {
    const char *scenario_path;
    const char *deltas_path;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} arguments_t;

static const arguments_t initial = {.seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", scenario_path, NULL, .min = 1),
    SPOT_OPTION_OUTPUT(deltas_path, NULL),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "replication", 0, "R", replication,
        "Which replication of the seed to draw (default 0)"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario; may be given several times"),
    SPOT_OPTION_END,
};

/* A kind of arrivals. */
static const char *kind(size_t j, const char **name)
{
    *name = spot_arrivals_fields[j].name;
    return spot_arrivals_fields[j].help;
}

/* Binds the key arrivals alone: the rest of the scenario may not be written yet. */
static int read_setting(spot_call_t *call, spot_arrivals_setting_t *setting)
{
    const arguments_t *arguments = call->arguments;
    const spot_scenario_changes_t changes = {
        .num_sets = arguments->sets.num_texts, .sets = arguments->sets.texts};
    const char *path = arguments->scenario_path;
    spot_bind_t bind = {.diag = &call->diag};
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, path, &changes, &call->diag);
    const spot_node_t *node = spot_node_get(document.root, "arrivals");

    if (ret == 0 && node == NULL) {
        ret = spot_diag_error(&call->diag, path, 0, 0, "missing key \"arrivals\"");
    }
    if (ret == 0) {
        spot_bind_map(&bind, spot_arrivals_fields, "arrivals", node, setting);
        ret = bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : spot_arrivals_open(setting, &bind, node);
        if (ret == 0 && call->diag.num_errors == 0) {
            ret = spot_arrivals_check_memory(setting, &call->diag, node, 0);
        }
        if (ret == 0 && call->diag.num_errors > 0) {
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    spot_yaml_free(&document);
    return ret;
}

static int write_deltas(spot_call_t *call, const spot_arrivals_t *arrivals, double scale)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, arguments->deltas_path, &call->diag);
    int ret = 0;

    for (size_t j = 0; ret == 0 && out != NULL && j + 1 < arrivals->num_queries; j++) {
        ret = spot_stop_is_due(j) ? SPOT_ERR_INTERRUPTED : 0;
        fprintf(out, "%.17g\n", arrivals->deltas_ms[j] * scale);
    }
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_arrivals_setting_t setting = {0};
    spot_arrivals_t arrivals = {0};
    int ret = read_setting(call, &setting);

    if (ret == 0) {
        ret = spot_arrivals_draw(
            &arrivals, &setting, (uint64_t) arguments->seed, (uint64_t) arguments->replication);
        if (ret == SPOT_ERR_BAD_PARAM) {
            ret = spot_diag_error(
                &call->diag, arguments->scenario_path, 0, 0, "arrivals last longer than 2^62 ns");
        }
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = write_deltas(
            call, &arrivals, setting.rescale_qps > 0 ? arrivals.base_qps / setting.rescale_qps : 1);
    }
    spot_arrivals_free(&arrivals);
    spot_arrivals_setting_free(&setting);
    return ret;
}

const spot_command_t spot_command_serve_gen = {
    .name = "serve gen",
    .arguments = "SCENARIO",
    .summary = "Write the times between the queries of a scenario",
    .doc = "Writes a line for each time between two queries, in ms, with all digits: a "
           "run with arrivals: {deltas: {file: FILE}} has the same queries to the "
           "nanosecond as the scenario itself. Of SCENARIO only the key arrivals must "
           "be there, with one of:",
    .examples = "  spotsim serve gen pipeline.yaml -o queries.gz\n"
                "  spotsim serve gen pipeline.yaml --set arrivals.gamma.scv=16 --seed 7 \\\n"
                "      -o bursts.txt\n",
    .options = options,
    .item = kind,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
