/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "cli/input_call.h"
#include "cli/schedule_tables.h"

typedef struct {
    spot_input_request_t request;
    spot_target_t target;
    int64_t threads, block; /* 0: of the model */
} arguments_t;

static const arguments_t initial = {.request = {.compute_ns = -1}};

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a model file of a loader", 0, "MODEL", request.model_path, NULL, .min = 1),
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

enum { NUM_FIGURES = 11 };
static const char *const names[NUM_FIGURES] = {"threads", "block", "load_s", "compute_s",
    "completion_s", "samples_per_s", "batch_s", "fill_s", "steady_load_s", "stall_share",
    "memory_bytes"};
static const char *const units[NUM_FIGURES] = {
    "", "samples", "s", "s", "s", "samples/s", "s", "s", "s", "", "B"};

/* A prediction with its setting. */
typedef struct {
    double values[NUM_FIGURES]; /* as names */
    const char *limit;
} shown_t;

static void put_json(const void *context, FILE *out)
{
    const shown_t *self = context;
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        spot_json_number(&json, names[j], self->values[j]);
    }
    spot_json_text(&json, "limit", self->limit);
    spot_json_close(&json, '}');
    fputc('\n', out);
}

static void fill_table(const shown_t *self, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {
        {.name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "value"},
        {.name = "unit", .kind = SPOT_TABLE_TEXT}};

    spot_table_add_columns(table, 3, columns);
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, names[j]);
        spot_table_add_number(table, self->values[j]);
        spot_table_add_text(table, units[j]);
    }
    spot_table_add_note(table, "limit", self->limit);
}

static int run(spot_call_t *call)
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
        const shown_t shown = {
            {(double) loader->threads, (double) loader->block, found.load_s, found.compute_s,
                found.completion_s, found.samples_per_s, found.batch_s, found.fill_s,
                found.steady_load_s, found.stall_share, found.memory_bytes},
            found.limit};

        if (arguments->target.is_json) {
            return spot_schedule_write(call, arguments->target.path, put_json, &shown);
        }
        fill_table(&shown, &table);
        ret = spot_schedule_results(call, &arguments->target, NULL, NULL, NULL, 1, &table);
    }
    return ret;
}

const spot_command_t spot_command_input_predict = {
    .name = "input predict",
    .arguments = "MODEL",
    .summary = "Predict how long a training loop waits for its data loader",
    .doc = "MODEL is a scenario of the engine input, or a file of 'input fit'. Times are "
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
