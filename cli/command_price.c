/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_tables.h"
#include "traces/prices/price_history.h"

typedef struct {
    spot_option_list_t paths;
    spot_price_request_t request;
    const char *output_path;
} arguments_t;

static const char *
form_name(size_t j)
{
    return spot_price_form_names[j];
}

#define KEY(name, key, help) SPOT_OPTION(TEXT, name, 0, "NAME", request.keys[key], help)

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a file of prices", 0, "FILE", paths, NULL, .min = 1),
    SPOT_OPTION(TEXT, "from", 0, "FORM", request.form,
        "The form of the files: aws, azure or stamped (default: the one that fits)",
        .what = "form", .words = form_name),
    KEY("zone", SPOT_PRICE_ZONE, "Prices of this zone or region"),
    KEY("type", SPOT_PRICE_TYPE, "Prices of this type of instance"),
    KEY("product", SPOT_PRICE_PRODUCT, "Prices of this product, e.g. Linux/UNIX"),
    KEY("market", SPOT_PRICE_MARKET,
        "Prices of this market: spot, \"low priority\" or \"on demand\""),
    KEY("currency", SPOT_PRICE_CURRENCY,
        "Prices in this currency, which is also that of files that do not say it"),
    SPOT_OPTION(TEXT, "start", 0, "TIME", request.start,
        "Time 0, ISO 8601 (default: the first record)"),
    SPOT_OPTION(TEXT, "end", 0, "TIME", request.end,
        "Leave out records from then on; without a zone times are UTC"),
    SPOT_OPTION_OUTPUT(output_path, ".csv"), SPOT_OPTION_END};

static void
write_steps(const void *what, FILE *out)
{
    spot_price_steps_write(what, out);
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_price_steps_t steps = {0};
    int ret = spot_price_history_read(&steps, &arguments->request,
        arguments->paths.num_texts, arguments->paths.texts, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = spot_schedule_write(call, arguments->output_path, write_steps, &steps);
    }
    spot_price_steps_free(&steps);
    return ret;
}

const spot_command_t spot_command_price_convert = {
    .name = "price convert",
    .arguments = "FILE...",
    .summary = "Convert a cloud's history of prices to the steps of fleet.price.spot",
    .doc = "FILE is what `aws ec2 describe-spot-price-history` prints (aws), a page of "
           "the Azure retail prices (azure), or a CSV file or JSON records with a time "
           "and a price (stamped). The price at time 0 is that of the last record "
           "before. Prices keep their currency; nothing is converted.",
    .examples = "  spotsim price convert history.json --zone us-east-1a -o steps.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
