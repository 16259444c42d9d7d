/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/price.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/table_file.h"
#include "base/units.h"

/* ---- Currencies ---- */

static const char per_hour[] = "_per_h";

bool spot_currency_is(const char *text)
{
    return text != NULL && strlen(text) == SPOT_CURRENCY_BYTES - 1 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == SPOT_CURRENCY_BYTES - 1;
}

const char *spot_currency_scan(const char *text, char currency[SPOT_CURRENCY_BYTES])
{
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz") != SPOT_CURRENCY_BYTES - 1 ||
        strncmp(text + SPOT_CURRENCY_BYTES - 1, per_hour, sizeof(per_hour) - 1) != 0) {
        return NULL;
    }
    for (size_t j = 0; j < SPOT_CURRENCY_BYTES - 1; j++) {
        currency[j] = (char) toupper((unsigned char) text[j]);
    }
    currency[SPOT_CURRENCY_BYTES - 1] = '\0';
    return text + SPOT_CURRENCY_COLUMN_BYTES - 1;
}

void spot_currency_column(const char *currency, char column[SPOT_CURRENCY_COLUMN_BYTES])
{
    snprintf(column, SPOT_CURRENCY_COLUMN_BYTES, "%s%s",
        currency[0] == '\0' ? SPOT_USUAL_CURRENCY : currency, per_hour);
    for (size_t j = 0; j < SPOT_CURRENCY_BYTES - 1; j++) {
        column[j] = (char) tolower((unsigned char) column[j]);
    }
}

int spot_price_steps_add(spot_price_steps_t *self, int64_t start_ms, double usd_per_h)
{
    if (self->num_steps == SPOT_MAX_PRICE_STEPS ||
        (self->num_steps == 0 ? start_ms != 0
                              : start_ms <= self->steps[self->num_steps - 1].start_ms)) {
        return SPOT_ERR_BAD_PARAM;
    }
    return SPOT_ARRAY_APPEND(self, steps, (spot_price_step_t){start_ms, usd_per_h});
}

void spot_price_steps_speed_up(spot_price_steps_t *self, double factor)
{
    size_t num_steps = 0;

    for (size_t j = 0; j < self->num_steps; j++) {
        spot_price_step_t step = self->steps[j];

        step.start_ms = llrint((double) step.start_ms / factor);
        num_steps -= num_steps > 0 && self->steps[num_steps - 1].start_ms == step.start_ms;
        self->steps[num_steps++] = step;
    }
    self->num_steps = num_steps;
}

void spot_price_steps_free(spot_price_steps_t *self)
{
    free(self->steps);
    memset(self, 0, sizeof(*self));
}

static int compare_prices(const void *a, const void *b)
{
    const double first = ((const spot_price_step_t *) a)->usd_per_h;
    const double second = ((const spot_price_step_t *) b)->usd_per_h;

    return (first > second) - (first < second);
}

int spot_price_figures(
    const spot_price_steps_t *self, int64_t end_ms, spot_price_figures_t *figures)
{
    const size_t last = self->num_steps - 1;
    spot_price_step_t *held = spot_calloc(self->num_steps, sizeof(*held));
    double total_ms = 0, sum = 0, passed_ms = 0;

    *figures = (spot_price_figures_t){0};
    if (held == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j <= last; j++) { /* start_ms: how long it holds */
        const double jump = j == 0 ? 0 : self->steps[j].usd_per_h - held[j - 1].usd_per_h;

        held[j] = self->steps[j];
        held[j].start_ms =
            (j == last ? end_ms : self->steps[j + 1].start_ms) - self->steps[j].start_ms;
        held[j].start_ms += last == 0; /* a single price has any length */
        total_ms += (double) held[j].start_ms;
        sum += (double) held[j].start_ms * held[j].usd_per_h;
        figures->largest_jump =
            fabs(jump) > fabs(figures->largest_jump) ? jump : figures->largest_jump;
    }
    figures->mean = sum / total_ms;
    qsort(held, self->num_steps, sizeof(*held), compare_prices);
    for (size_t j = 0, k = 0; j <= last; j++) {
        passed_ms += (double) held[j].start_ms;
        while (k < 4 && passed_ms >= total_ms * (double) k / 4) {
            figures->quartiles[k++] = held[j].usd_per_h;
        }
    }
    figures->quartiles[4] = held[last].usd_per_h;
    free(held);
    return 0;
}

/* ---- YAML ---- */

static const spot_field_t step_fields[] = {
    {SPOT_RANGE(DURATION, "from", spot_price_step_t, start_ms, 0, (double) SPOT_MAX_DURATION_MS,
        NULL, "when the price starts to hold, since the start of the trace")},
    {SPOT_RANGE(PRICE, "usd_per_h", spot_price_step_t, usd_per_h, 0, SPOT_MAX_PRICE_USD_PER_H, NULL,
        "the price from then on")},
    {.name = NULL},
};

static const spot_field_t step_item = {.type = SPOT_FIELD_MAP, .fields = step_fields};

const spot_field_t spot_price_forms[] = {
    {.name = "file", .type = SPOT_FIELD_PATH, .offset = SPOT_NOWHERE},
    {.name = "", .type = SPOT_FIELD_PRICE, .offset = SPOT_NOWHERE, .max = SPOT_MAX_PRICE_USD_PER_H},
    {.name = "",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_price_steps_t, steps),
        .num_offset = offsetof(spot_price_steps_t, num_steps),
        .item = &step_item,
        .item_size = sizeof(spot_price_step_t),
        .min = 1,
        .max = HUGE_VAL,
        .expected = SPOT_PRICE_EXPECTED},
    {.name = NULL},
};

/* The order of the steps of a list. */
static void check_steps(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node,
    const spot_price_steps_t *self)
{
    for (size_t j = 0; j < self->num_steps; j++) {
        const spot_node_t *place = spot_node_place(node->children[j], "from");
        const int64_t start_ms = self->steps[j].start_ms;

        if (j == 0 && start_ms != 0) {
            spot_bind_error(bind, place, field->name, "the first step must be from 0 s");
            return;
        }
        if (j == SPOT_MAX_PRICE_STEPS) {
            spot_bind_error(bind, place, field->name, "more than %d steps", SPOT_MAX_PRICE_STEPS);
            return;
        }
        if (j > 0 && start_ms <= self->steps[j - 1].start_ms) {
            spot_bind_error(bind, place, field->name, "each step must be from a later time");
            return;
        }
    }
}

void spot_price_steps_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_price_steps_t *self = target;
    const char *problem = "";
    double usd_per_h = 0;
    char *path = NULL;
    int ret = 0;

    if (node->kind == SPOT_NODE_LIST) {
        check_steps(bind, field, node, self);
    } else if (node->kind == SPOT_NODE_SCALAR) {
        ret = spot_price_parse(node->text, &usd_per_h, &problem);
        ret = ret != 0 ? ret : spot_price_steps_add(self, 0, usd_per_h);
    } else {
        path = spot_node_file_path(spot_node_get(node, "file"));
        ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_price_steps_read(self, path, bind->diag);
    }
    bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
    free(path);
}

bool spot_price_check_start(spot_diag_t *diag, const spot_node_t *node, const char *key,
    const spot_price_steps_t *price, const char *what, const char *start, int64_t shift_ms)
{
    const spot_node_t *place = spot_node_place(node, key);
    char from[SPOT_DURATION_TEXT_BYTES], note[128] = "";
    int64_t apart_ms;
    double hours;

    if (start == NULL || !spot_starts_differ(price->start, start, shift_ms, &apart_ms)) {
        return false;
    }
    if (shift_ms > 0) {
        spot_duration_text(shift_ms, from);
        snprintf(note, sizeof(note), " (played from %s on)", from);
    }
    hours = fabs((double) apart_ms) / (double) SPOT_MS_PER_H;
    spot_diag_warn(diag, place->file, place->line, place->column,
        "%s: the prices start at %s, %s at %s%s: both count as time 0, so the prices come %.3g %s "
        "too %s; see `spotsim price convert --start`",
        key, price->start, what, start, note, hours < 48 ? hours : hours / 24,
        hours < 48 ? "h" : "d", apart_ms > 0 ? "early" : "late");
    return true;
}

void spot_currency_check(spot_bind_t *bind, const spot_node_t *node, const char *key,
    const char *currency, const char *of_scenario)
{
    if (currency != NULL && currency[0] != '\0' && strcmp(currency, of_scenario) != 0) {
        spot_bind_error(bind, spot_node_place(node, key), key,
            "its prices are in %s, those of the scenario in %s: they are not converted", currency,
            of_scenario);
    }
}

static void check_currency(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) target;
    if (!spot_currency_is(node->text)) {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* Defaults: AWS p3.2xlarge as in the Bamboo artifact (Thorpe et al., NSDI'23). */
const spot_field_t spot_price_fields[] = {
    {SPOT_FIELDS(ONE_OF, "spot", spot_price_t, spot, spot_price_forms, "0.91", "spot price",
         "price of a spot instance, USD per instance-hour, constant or in steps since "
         "the start of the trace; a price of the trace itself wins"),
        .settle = spot_price_steps_settle, .expected = SPOT_PRICE_EXPECTED, SPOT_DECIDES},
    {SPOT_RANGE(PRICE, "on_demand", spot_price_t, on_demand_usd_per_h, 0, SPOT_MAX_PRICE_USD_PER_H,
         "3.06", "on-demand price",
         "price of the same instance on demand, USD per instance-hour; used to compare"),
        SPOT_DECIDES},
    {SPOT_VALUE(TEXT, "currency", spot_price_t, currency, "",
         "the currency of all prices of the scenario, a label of three capital letters "
         "such as EUR; nothing is converted, and keys and metrics keep usd in their "
         "names. Default: that of a price file or trace, else USD"),
        .settle = check_currency, .expected = "a currency of three capital letters such as EUR"},
    {.name = NULL},
};

void spot_price_free(spot_price_t *self)
{
    spot_price_steps_free(&self->spot);
    free(self->currency);
    self->currency = NULL;
}

/* ---- Paying ---- */

double spot_price_usd(double price_usd_per_h, int64_t instance_ms)
{
    return price_usd_per_h * ((double) instance_ms / (double) SPOT_MS_PER_H);
}

void spot_meter_start(spot_meter_t *self, const spot_price_steps_t *price)
{
    spot_bug_assert(price->num_steps > 0);
    *self = (spot_meter_t){.price = price};
}

static void count_until(spot_meter_t *self, int64_t time_ms)
{
    self->instance_ms += self->num_instances * (time_ms - self->now_ms);
    self->now_ms = time_ms;
}

void spot_meter_change(spot_meter_t *self, int64_t now_ms, int64_t num_more)
{
    const spot_price_steps_t *price = self->price;

    while (self->step_id + 1 < price->num_steps &&
           price->steps[self->step_id + 1].start_ms <= now_ms) {
        count_until(self, price->steps[self->step_id + 1].start_ms);
        spot_sum_add(
            &self->usd, spot_price_usd(price->steps[self->step_id].usd_per_h, self->instance_ms));
        self->instance_ms = 0;
        self->step_id++;
    }
    count_until(self, now_ms);
    self->num_instances += num_more;
}

double spot_meter_usd(const spot_meter_t *self)
{
    spot_sum_t usd = self->usd;

    spot_sum_add(
        &usd, spot_price_usd(self->price->steps[self->step_id].usd_per_h, self->instance_ms));
    return spot_sum_total(&usd);
}

/* ---- Steps in a file ---- */

enum { COLUMN_TIME, COLUMN_PRICE, NUM_COLUMNS };

typedef struct {
    spot_price_steps_t *steps;
    char price_name[SPOT_CURRENCY_COLUMN_BYTES]; /* as the file has it */
    char start[64];                              /* the same; "": it does not say */
} reading_t;

/* Any currency is a name of the column of prices. */
static bool accept_currency(void *table, const char *name)
{
    reading_t *self = table;
    const char *end = spot_currency_scan(name, self->steps->currency);

    if (end == NULL || *end != '\0') {
        return false;
    }
    strcpy(self->price_name, name);
    return true;
}

/* After a faulty row the order is not checked. */
static int take_step(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const spot_price_step_t *step = values;
    spot_price_steps_t *steps = ((const reading_t *) file->table)->steps;
    const int ret =
        file->is_faulty ? 0 : spot_price_steps_add(steps, step->start_ms, step->usd_per_h);

    if (ret != SPOT_ERR_BAD_PARAM) {
        return ret;
    }
    spot_table_file_report_field(file, row, COLUMN_TIME,
        steps->num_steps == 0                      ? "the first row must be at 0"
        : steps->num_steps == SPOT_MAX_PRICE_STEPS ? "too many rows"
                                                   : "expected a later time than in the "
                                                     "row before");
    return 0;
}

int spot_price_steps_read(spot_price_steps_t *self, const char *path, spot_diag_t *diag)
{
    reading_t reading = {.steps = self, .price_name = "usd_per_h"};
    const spot_row_member_t columns[NUM_COLUMNS] = {
        {"time_s", SPOT_MEMBER_MS, offsetof(spot_price_step_t, start_ms), 0, HUGE_VAL,
            .expected = "expected seconds from 0 to 100 years"},
        {reading.price_name, SPOT_MEMBER_NUMBER, offsetof(spot_price_step_t, usd_per_h), 0,
            SPOT_MAX_PRICE_USD_PER_H, .expected = "expected a number from 0 to 1000000",
            .accepts = accept_currency},
    };
    static const spot_table_file_remark_t remarks[] = {
        {"start", offsetof(reading_t, start), sizeof(reading.start)}, {.key = NULL}};
    const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .remarks = remarks,
        .layout = "time_s,usd_per_h",
        .row_bytes = sizeof(spot_price_step_t),
        .empty = "no price",
        .take = take_step};

    const char *rest = reading.start;
    int64_t start_ms;
    bool has_zone;
    int ret;

    memset(self, 0, sizeof(*self));
    strcpy(self->currency, SPOT_USUAL_CURRENCY);
    ret = spot_table_file_read(&format, path, diag, &reading);
    reading.start[strcspn(reading.start, "\r\n")] = '\0';
    if (spot_moment_parse(reading.start, &start_ms, &has_zone) ||
        (spot_date_scan(&rest, &start_ms) && *rest == '\0')) { /* else it is any remark */
        snprintf(self->start, sizeof(self->start), "%s", reading.start);
    }
    return ret;
}

void spot_price_steps_write(const spot_price_steps_t *self, FILE *out)
{
    char column[SPOT_CURRENCY_COLUMN_BYTES];
    char time_s[SPOT_NUMBER_TEXT_BYTES], price[SPOT_NUMBER_TEXT_BYTES];

    spot_currency_column(self->currency, column);
    if (self->start[0] != '\0') {
        fprintf(out, "# start: %s\n", self->start);
    }
    fprintf(out, "time_s,%s\n", column);
    for (size_t j = 0; j < self->num_steps; j++) {
        spot_number_text(spot_duration_s(self->steps[j].start_ms), time_s);
        spot_number_text(self->steps[j].usd_per_h, price);
        fprintf(out, "%s,%s\n", time_s, price);
    }
}
