/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim price convert and describe: histories of spot prices. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/verb/table.h"
#include "base/verb/verb.h"
#include "models/price.h"
#include "traces/prices/price_history.h"

typedef struct {
    const spot_price_steps_t *steps; /* at least one */
    int64_t end_ms;                  /* of the last step */
    const char *title;
} price_picture_t;

/* A price over time. */

/* context is a price_picture_t. */
static int price_declare(spot_chart_t *chart, const void *context)
{
    const price_picture_t *self = context;
    const spot_price_steps_t *steps = self->steps;
    char unit[32];

    snprintf(unit, sizeof(unit), "price (%s/h)", steps->currency);
    spot_chart_title(chart, "%s", self->title);
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.unit = SPOT_CHART_MS, .name = "time"},
                                .y = {.name = unit, .has_zero = true}});
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS});
    for (size_t j = 0; j < steps->num_steps; j++) {
        spot_chart_add_xy(chart, (double) steps->steps[j].start_ms, steps->steps[j].usd_per_h);
    }
    spot_chart_add_xy(chart, (double) self->end_ms, steps->steps[steps->num_steps - 1].usd_per_h);
    return spot_chart_error(chart);
}

/* ---- spotsim price convert, describe ---- */

typedef struct {
    spot_option_list_t paths;
    spot_price_request_t request;
    const char *output_path, *csv_path, *picture_path;
    spot_target_t target;
} arguments_t;

static const char *form_name(size_t j)
{
    return spot_price_form_names[j];
}

#define KEY(name, key, help) SPOT_OPTION(TEXT, name, 0, "NAME", request.keys[key], help)
#define HISTORY                                                                                    \
    SPOT_OPTION(ARGUMENTS, "a file of prices", 0, "FILE", paths, NULL, .min = 1),                  \
        SPOT_OPTION(TEXT, "from", 0, "FORM", request.form,                                         \
            "The form of the files: aws, azure, stamped or steps (default: the one "               \
            "that fits)",                                                                          \
            .what = "form", .words = form_name),                                                   \
        KEY("zone", SPOT_PRICE_ZONE, "Prices of this zone or region"),                             \
        KEY("type", SPOT_PRICE_TYPE, "Prices of this type of instance"),                           \
        KEY("product", SPOT_PRICE_PRODUCT, "Prices of this product, e.g. Linux/UNIX"),             \
        KEY("market", SPOT_PRICE_MARKET,                                                           \
            "Prices of this market: spot, \"low priority\" or \"on demand\""),                     \
        KEY("currency", SPOT_PRICE_CURRENCY,                                                       \
            "Prices in this currency, which is also that of files that do not say it"),            \
        SPOT_OPTION(TEXT, "start", 0, "TIME", request.start,                                       \
            "Time 0, ISO 8601 (default: the first record)"),                                       \
        SPOT_OPTION(TEXT, "end", 0, "TIME", request.end,                                           \
            "Leave out records from then on; without a zone times are UTC")

static const spot_option_t convert_options[] = {
    HISTORY, SPOT_OPTION_OUTPUT(output_path, ".csv"), SPOT_OPTION_END};

static const spot_option_t describe_options[] = {HISTORY,
    SPOT_OPTION(WRITTEN, "plot", 0, "FILE.svg", picture_path, "Draw the price over time",
        .endings = ".svg"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the figures as a row; - is standard output, instead of the table",
        .endings = ".csv"),
    SPOT_OPTION_JSON(target.is_json, "Print the figures as one JSON object"), SPOT_OPTION_END};

static void write_steps(const void *what, FILE *out)
{
    spot_price_steps_write(what, out);
}

static void fill_table(spot_table_t *table, const spot_price_steps_t *steps, int64_t end_ms)
{
    static const char *const names[] = {
        "least", "first_quartile", "median", "third_quartile", "highest"};
    char unit[16];
    spot_price_figures_t figures;

    table->error = spot_price_figures(steps, end_ms, &figures);
    snprintf(unit, sizeof(unit), "%s/h", steps->currency);
    spot_table_add_column(
        table, (spot_table_column_t){.name = "currency", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(table, (spot_table_column_t){.name = "span_s"});
    spot_table_add_column(table, (spot_table_column_t){.name = "changes"});
    spot_table_add_column(table, (spot_table_column_t){.name = "mean", .unit = unit});
    for (size_t j = 0; j < 5; j++) {
        spot_table_add_column(table, (spot_table_column_t){.name = names[j], .unit = unit});
    }
    spot_table_add_column(table, (spot_table_column_t){.name = "largest_jump", .unit = unit});
    spot_table_add_row(table);
    spot_table_add_text(table, steps->currency);
    spot_table_add_number(table, spot_duration_s(end_ms));
    spot_table_add_count(table, (int64_t) steps->num_steps - 1);
    spot_table_add_number(table, figures.mean);
    for (size_t j = 0; j < 5; j++) {
        spot_table_add_number(table, figures.quartiles[j]);
    }
    spot_table_add_number(table, figures.largest_jump);
    spot_table_add_note(table, "", "The mean and the quartiles are weighted with time.");
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_option_list_t *paths = &arguments->paths;
    spot_price_steps_t steps = {0};
    spot_table_t table = {.name = "price"};
    int64_t end_ms = 0;
    int ret = spot_price_history_read(
        &steps, &end_ms, &arguments->request, paths->num_texts, paths->texts, &call->diag);

    call->is_reading = ret != 0;
    if (ret == 0 && call->verb->options == convert_options) {
        ret = spot_output_write(&call->diag, arguments->output_path, write_steps, &steps);
    } else if (ret == 0) {
        const price_picture_t picture = {&steps, end_ms, paths->texts[0]};

        if (arguments->picture_path != NULL) {
            ret =
                spot_output_picture(price_declare, &picture, arguments->picture_path, &call->diag);
        }
        fill_table(&table, &steps, end_ms);
        ret =
            spot_error_first(ret, spot_output_tables(&call->diag, &arguments->target,
                                      arguments->csv_path, spot_output_put_csv, &table, 1, &table));
    }
    spot_price_steps_free(&steps);
    return ret;
}

static const spot_verb_t price_convert = {
    .name = "price convert",
    .arguments = "FILE...",
    .summary = "Convert a cloud's history of prices to the steps of fleet.price.spot",
    .doc = "FILE is what `aws ec2 describe-spot-price-history` prints (aws), a page of "
           "the Azure retail prices (azure), a CSV file or JSON records with a time and "
           "a price (stamped), or a file of steps. The price at time 0 is that of the "
           "last record before. Prices keep their currency; nothing is converted.",
    .examples = "  spotsim price convert history.json --zone us-east-1a -o steps.csv\n",
    .options = convert_options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};

static const spot_verb_t price_describe = {
    .name = "price describe",
    .arguments = "FILE...",
    .summary = "Print figures of prices over time, and draw them",
    .doc = "FILE is as of `spotsim price convert`. The last price counts until --end, or "
           "not at all.",
    .examples = "  spotsim price describe steps.csv --plot price.svg\n",
    .options = describe_options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};

const spot_verb_t *const spot_price_verbs[] = {&price_convert, &price_describe, NULL};
