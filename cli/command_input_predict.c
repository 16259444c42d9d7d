/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/input_call.h"
#include "cli/schedule_tables.h"

typedef struct {
    spot_input_request_t request;
    spot_target_t target;
    int64_t threads, block; /* 0: of the model */
} arguments_t;

static const arguments_t initial = {.request = {.compute_ns = -1}};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a model file of a loader", 0, "MODEL", request.model_path,
        NULL, .min = 1),
    SPOT_INPUT_OPTIONS,
    SPOT_OPTION(COUNT, "threads", 0, "N", threads,
        "Decode threads, in place of the key loader.threads", .min = 1,
        .max = SPOT_LOADER_MAX_THREADS),
    SPOT_OPTION(COUNT, "block", 0, "N", block,
        "Samples merged into a file, in place of the key loader.block", .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_OPTION_JSON(target.is_json, "Print the prediction as one JSON object"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static const spot_table_column_t columns[] = {{.name = "threads"}, {.name = "block"},
    {.name = "load_s"}, {.name = "compute_s"}, {.name = "completion_s"},
    {.name = "samples_per_s"}, {.name = "batch_s"}, {.name = "fill_s"},
    {.name = "steady_load_s"}, {.name = "stall_share"}, {.name = "memory_bytes"},
    {.name = "limit", .kind = SPOT_TABLE_TEXT}};

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_input_scenario_t scenario;
    spot_loader_t *loader = &scenario.loader;
    spot_loader_prediction_t found;
    spot_loader_work_t work;
    spot_table_t table = {.name = "prediction"};
    int ret = spot_input_open(&scenario, call, &arguments->request);

    if (ret != 0) {
        return ret;
    }
    loader->threads = arguments->threads > 0 ? arguments->threads : loader->threads;
    loader->block = arguments->block > 0 ? arguments->block : loader->block;
    spot_input_warn(&scenario, call, arguments->request.model_path);
    work = spot_input_scenario_work(&scenario);
    ret = spot_loader_predict(&found, loader, &work);
    if (ret == 0) {
        const double figures[] = {(double) loader->threads, (double) loader->block,
            found.load_s, found.compute_s, found.completion_s, found.samples_per_s,
            found.batch_s, found.fill_s, found.steady_load_s, found.stall_share,
            found.memory_bytes};
        const size_t num = sizeof(figures) / sizeof(figures[0]);

        spot_table_add_columns(&table, num + 1, columns);
        spot_table_add_row(&table);
        for (size_t j = 0; j < num; j++) {
            spot_table_add_number(&table, figures[j]);
        }
        spot_table_add_text(&table, found.limit);
        ret =
            spot_schedule_results(call, &arguments->target, NULL, NULL, NULL, 1, &table);
    }
    return ret;
}

const spot_command_t spot_command_input_predict = {
    .name = "input predict",
    .arguments = "MODEL",
    .summary = "Predict how long a training loop waits for its data loader",
    .doc =
        "MODEL is a scenario of the engine input, or a file of 'input fit'. Times are "
        "means over the batches of an epoch: load_s is the wait for a batch, "
        "completion_s that and the computation. batch_s is the time that one process "
        "needs for a batch, fill_s the first wait, steady_load_s the wait without "
        "it, and stall_share what that is of the time. The limit is what binds: "
        "compute, loader or storage.",
    .examples = "  spotsim input predict model.yaml --compute \"0.1 s\" --block 120\n"
                "  spotsim input predict model.yaml --set input.loader.processes=16\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
