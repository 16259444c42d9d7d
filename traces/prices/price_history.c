/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/prices/price_history.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/datetime.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/table_file.h"
#include "traces/records/records.h"

#define MAX_LISTED 20   /* series in a message */
#define PER_H "*_per_h" /* a price with its currency in its name */
#define STAMPED(time, price)                                                                       \
    {                                                                                              \
        "stamped", time, price,                                                                    \
        {                                                                                          \
            "zone", "instance_type", "product", "market", "currency"                               \
        }                                                                                          \
    }
#define EXPECTED                                                                                   \
    "Timestamp and SpotPrice (aws), effectiveStartDate and retailPrice (azure), time "             \
    "or timestamp and price or usd_per_h (stamped), or time_s and usd_per_h (steps)"

const char *const spot_price_form_names[] = {"aws", "azure", "stamped", "steps", NULL};

/* What columns of CSV and members of JSON records are called. */
static const struct {
    const char *name, *time, *price, *keys[SPOT_NUM_PRICE_KEYS];
} forms[] = {
    {"aws", "Timestamp", "SpotPrice",
        {"AvailabilityZone", "InstanceType", "ProductDescription", "", ""}},
    {"azure", "effectiveStartDate", "retailPrice",
        {"armRegionName", "armSkuName", "productName", "skuName", "currencyCode"}},
    STAMPED("time", "price"),
    STAMPED("time", PER_H),
    STAMPED("timestamp", "price"),
    STAMPED("timestamp", PER_H),
    {"steps", "time_s", PER_H, {NULL}},
};

enum { AWS, AZURE, NUM_FORMS = sizeof(forms) / sizeof(forms[0]), STEPS = NUM_FORMS - 1 };

typedef struct {
    const char *name, *text;
    size_t line, column;
} cell_t;

typedef struct {
    int64_t time_ms; /* since 1970 UTC */
    double per_h;
    const char *file;
    size_t line;
} record_t;

typedef struct {
    const spot_price_request_t *request;
    spot_price_steps_t *steps;
    spot_diag_t *diag;
    const char *file;
    size_t form; /* of the file; NUM_FORMS: not known yet */
    size_t num_cells, max_cells;
    cell_t *cells;       /* [num_cells] of the current record */
    cell_t place;        /* of the record */
    spot_texts_t texts;  /* names of columns */
    spot_names_t series; /* "us-east-1a, p3.2xlarge, Linux/UNIX, spot, USD" */
    size_t num_counts, max_counts;
    int64_t *counts;   /* [num_counts] records by series; below 0: it is asked for */
    size_t num_asked;  /* series */
    size_t num_others; /* records that are no prices by the hour of use */
    bool has_no_zone;  /* a time without a zone */
    size_t num_records, max_records;
    record_t *records; /* [num_records] that are asked for */
} reading_t;

static int expected(const reading_t *self, const cell_t *place, const char *what)
{
    char shown[SPOT_CSV_SHOWN_BYTES];

    return spot_diag_error(self->diag, self->file, place->line, place->column,
        "%s: expected %s, got '%s'", place->name, what, spot_csv_shown(place->text, shown));
}

/* The cell of the record with a name, or PER_H; NULL: there is none. */
static const cell_t *find_cell(const reading_t *self, const char *name)
{
    char currency[SPOT_CURRENCY_BYTES];

    for (size_t j = 0; j < self->num_cells; j++) {
        const char *own = self->cells[j].name;

        if (strcmp(name, PER_H) == 0 ? spot_currency_scan(own, currency) != NULL
                                     : strcasecmp(name, own) == 0) {
            return &self->cells[j];
        }
    }
    return NULL;
}

/* Finds the form of a file by the names of a record: the only one that fits. */
static int recognise(reading_t *self)
{
    const char *asked = self->request->form;
    size_t num_fit = 0;

    for (size_t j = 0; j < NUM_FORMS; j++) {
        if ((asked == NULL || strcmp(asked, forms[j].name) == 0) &&
            find_cell(self, forms[j].time) != NULL && find_cell(self, forms[j].price) != NULL) {
            num_fit++;
            self->place.text = num_fit == 1 ? forms[j].name
                                            : spot_texts_add(&self->texts, "%s and %s",
                                                  self->place.text, forms[j].name);
            self->form = j;
        }
    }
    if (num_fit == 1) {
        return 0;
    }
    self->form = NUM_FORMS;
    return expected(self, &self->place,
        num_fit == 0 ? EXPECTED : "one form of prices (--from) and one time and price");
}

/* What tells the series of the record apart; a form says some of it for all records. */
static void find_keys(const reading_t *self, const cell_t *price, const char **keys,
    char currency[SPOT_CURRENCY_BYTES])
{
    const char *asked = self->request->keys[SPOT_PRICE_CURRENCY];

    for (size_t j = 0; j < SPOT_NUM_PRICE_KEYS; j++) {
        const cell_t *cell = find_cell(self, forms[self->form].keys[j]);

        keys[j] = cell == NULL ? "" : cell->text;
    }
    if (self->form == AWS) {
        keys[SPOT_PRICE_MARKET] = "spot";
        keys[SPOT_PRICE_CURRENCY] =
            strncmp(keys[SPOT_PRICE_ZONE], "cn-", 3) == 0 ? "CNY" : SPOT_USUAL_CURRENCY;
    } else if (self->form == AZURE) {
        const char *sku = keys[SPOT_PRICE_MARKET];

        keys[SPOT_PRICE_MARKET] = strstr(sku, " Spot") != NULL           ? "spot"
                                  : strstr(sku, " Low Priority") != NULL ? "low priority"
                                                                         : "on demand";
    } else if (spot_currency_scan(price->name, currency) != NULL) {
        keys[SPOT_PRICE_CURRENCY] = currency;
    } else if (*keys[SPOT_PRICE_CURRENCY] == '\0' && asked != NULL) {
        keys[SPOT_PRICE_CURRENCY] = asked;
    }
}

/* Whether a value is given and another one than usual. */
static bool differs(const reading_t *self, const char *name, const char *usual)
{
    const cell_t *cell = find_cell(self, name);

    return cell != NULL && strcmp(cell->text, usual) != 0;
}

/* Counts the record in its series. *is_asked: the request asks for that. */
static int count_record(reading_t *self, const char *const *keys, bool *is_asked)
{
    char name[256] = "";
    int32_t id;
    int ret;

    *is_asked = true;
    for (size_t j = 0; j < SPOT_NUM_PRICE_KEYS; j++) {
        const char *asked = self->request->keys[j];

        *is_asked = *is_asked && (asked == NULL || strcmp(asked, keys[j]) == 0);
        snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s",
            *name == '\0' || *keys[j] == '\0' ? "" : ", ", keys[j]);
    }
    ret = spot_names_add(&self->series, name, strlen(name), &id);
    if (ret == 0 && (size_t) id == self->num_counts) {
        ret = SPOT_ARRAY_APPEND(self, counts, 0);
        self->num_asked += *is_asked;
    }
    if (ret == 0) {
        self->counts[id] += *is_asked ? -1 : 1;
    }
    return ret;
}

/* Takes the current record; the first one of a file says its form. */
static int take_record(reading_t *self)
{
    int ret = self->form == NUM_FORMS ? recognise(self) : 0;
    const cell_t *time, *price;
    const char *keys[SPOT_NUM_PRICE_KEYS];
    char currency[SPOT_CURRENCY_BYTES];
    bool is_asked = false, has_zone = true;
    record_t record = {.file = self->file, .line = self->place.line};

    if (ret != 0 || self->form == STEPS) {
        return ret;
    }
    time = find_cell(self, forms[self->form].time);
    price = find_cell(self, forms[self->form].price);
    if (time == NULL || price == NULL) {
        return expected(self, &self->place, "a time and a price");
    }
    if (self->form == AZURE &&
        (differs(self, "type", "Consumption") || differs(self, "unitOfMeasure", "1 Hour"))) {
        self->num_others++;
        return 0;
    }
    find_keys(self, price, keys, currency);
    ret = count_record(self, keys, &is_asked);
    if (ret != 0 || !is_asked) {
        return ret;
    }
    if (!spot_instant_parse(time->text, &record.time_ms, &has_zone)) {
        return expected(self, time, "a time such as 2026-03-01T08:15:00Z");
    }
    if (spot_number_parse(price->text, &record.per_h) != 0 || record.per_h < 0 ||
        record.per_h > SPOT_MAX_PRICE_USD_PER_H) {
        return expected(self, price, "a number from 0 to 1000000");
    }
    if (!spot_currency_is(keys[SPOT_PRICE_CURRENCY])) {
        return expected(self, price, "a currency beside it, or --currency");
    }
    strcpy(self->steps->currency, keys[SPOT_PRICE_CURRENCY]);
    self->has_no_zone = self->has_no_zone || !has_zone;
    return SPOT_ARRAY_APPEND(self, records, record);
}

static int take_json(void *context, const spot_json_value_t *record)
{
    reading_t *self = context;
    int ret = 0;

    self->num_cells = 0;
    self->place = (cell_t){"record", record->text, record->line, record->column};
    for (const spot_json_value_t *member = record->first;
         member != NULL && member->key != NULL && ret == 0; member = member->next) {
        ret = SPOT_ARRAY_APPEND(
            self, cells, (cell_t){member->key, member->text, member->line, member->column});
    }
    return ret == 0 ? take_record(self) : ret;
}

/* Keeps the name of a column as that of a cell; it is none of the format. */
static bool keep_name(void *context, const char *name)
{
    reading_t *self = context;
    const cell_t cell = {.name = spot_texts_add(&self->texts, "%s", name)};

    self->texts.error = spot_error_first(self->texts.error, SPOT_ARRAY_APPEND(self, cells, cell));
    return false;
}

static int read_csv(reading_t *self)
{
    static const spot_row_member_t names = {
        .name = "\n", .is_optional = true, .accepts = keep_name};
    static const spot_table_file_format_t format = {.num_columns = 1,
        .columns = &names,
        .is_any_order = true,
        .ignores_others = true,
        .is_part = true,
        .is_data = true,
        .noun = "record"};
    spot_table_file_t file = {
        .format = &format, .path = self->file, .diag = self->diag, .table = self};
    int ret;

    self->num_cells = 0;
    ret = spot_error_first(spot_table_file_open(&file), self->texts.error);
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        self->place = (cell_t){"record", file.row.text, file.row.line, 1};
        for (size_t j = 0; j < self->num_cells; j++) {
            self->cells[j].text = file.row.fields[j];
            self->cells[j].line = file.row.line;
            self->cells[j].column = file.row.columns[j];
        }
        ret = take_record(self);
        if (self->form == NUM_FORMS || self->form == STEPS) {
            break;
        }
        file.is_faulty = file.is_faulty || ret == SPOT_ERR_BAD_INPUT;
        ret = ret == SPOT_ERR_BAD_INPUT ? 0 : ret; /* all of them are reported */
    }
    return spot_table_file_close(&file, ret);
}

/* Reads a file, which begins with a bracket or a name. */
static int read_file(reading_t *self)
{
    static const char *const lists[] = {"SpotPriceHistory", "Items", NULL};
    const spot_record_input_t input = {.path = self->file};
    spot_instream_t stream;
    char head[256] = "";
    size_t num_bytes = 0;
    int ret = spot_instream_open(&stream, self->file, self->diag);

    ret = ret != 0 ? ret
                   : spot_instream_read(&stream, head, sizeof(head) - 1, &num_bytes, self->diag);
    spot_instream_close(&stream);
    num_bytes = strspn(head, " \t\r\n");
    return ret != 0 ? ret
           : head[num_bytes] == '{' || head[num_bytes] == '['
               ? spot_json_records(&input, lists, take_json, self, self->diag)
               : read_csv(self);
}

/* ---- One series ---- */

/* Lists the series that are asked for, or all where none is. */
static int report_series(reading_t *self)
{
    const char *list = "";
    size_t num_listed = 0;

    for (size_t j = 0; j < self->num_counts; j++) {
        if ((self->counts[j] < 0) == (self->num_asked > 0) && num_listed++ < MAX_LISTED) {
            list = spot_texts_add(&self->texts, "%s\n  %s (%lld)", list, self->series.names[j],
                llabs(self->counts[j]));
        }
    }
    return spot_diag_error(self->diag, self->file, 0, 0,
        "expected one series of prices, %s: choose by --zone, --type, --product, "
        "--market and --currency among these %zu (records)%s%s",
        self->num_asked > 0 ? "several fit" : "none fits", num_listed, list,
        num_listed > MAX_LISTED ? "\n  ..." : "");
}

static int compare_times(const void *a, const void *b)
{
    const int64_t first = ((const record_t *) a)->time_ms;
    const int64_t second = ((const record_t *) b)->time_ms;

    return (first > second) - (first < second);
}

/* Adds the records, in order of time, from start_ms to end_ms; those before say what
 * holds at the start. *last_ms: of the last one, since the start. */
static int add_steps(reading_t *self, int64_t start_ms, int64_t end_ms, int64_t *last_ms)
{
    spot_price_steps_t *steps = self->steps;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_records; j++) {
        const record_t *record = &self->records[j], *last = j == 0 ? record : record - 1;

        if (j > 0 && record->time_ms == last->time_ms && record->per_h != last->per_h) {
            return spot_diag_error(self->diag, record->file, record->line, 1,
                "another price at the same time than at %s:%zu", last->file, last->line);
        }
        if (record->time_ms < end_ms) {
            *last_ms = record->time_ms > start_ms ? record->time_ms - start_ms : 0;
            steps->num_steps = *last_ms == 0 ? 0 : steps->num_steps;
            if (steps->num_steps == 0 || record->per_h != last->per_h) {
                ret = spot_price_steps_add(steps, *last_ms, record->per_h);
            }
        }
    }
    return ret != SPOT_ERR_BAD_PARAM
               ? ret
               : spot_diag_error(self->diag, self->file, 0, 0,
                     "more than %d steps: choose a shorter time by --start and --end",
                     SPOT_MAX_PRICE_STEPS);
}

static int make_steps(reading_t *self, int64_t *known_ms)
{
    const spot_price_request_t *request = self->request;
    int64_t start_ms, end_ms = INT64_MAX;
    char first[SPOT_DATETIME_BYTES];
    bool has_zone;
    int ret;

    qsort(self->records, self->num_records, sizeof(*self->records), compare_times);
    start_ms = self->records[0].time_ms;
    if ((request->start != NULL && !spot_instant_parse(request->start, &start_ms, &has_zone)) ||
        (request->end != NULL && !spot_instant_parse(request->end, &end_ms, &has_zone)) ||
        start_ms >= end_ms || start_ms < self->records[0].time_ms) {
        spot_instant_text(self->records[0].time_ms, first);
        return spot_diag_error(self->diag, self->file, 0, 0,
            "expected --start and a later --end such as %s, which is the first record: "
            "no price is known before",
            first);
    }
    ret = add_steps(self, start_ms, end_ms, known_ms);
    spot_instant_text(start_ms, self->steps->start);
    *known_ms = request->end != NULL ? end_ms - start_ms : *known_ms;
    return ret;
}

/* Steps from time 0 stand alone in a file. */
static int read_steps(reading_t *self, size_t num_paths, int64_t *end_ms)
{
    spot_price_steps_t *steps = self->steps;
    int ret;

    if (num_paths > 1 || self->request->start != NULL || self->request->end != NULL) {
        return spot_diag_error(self->diag, self->file, 0, 0,
            "steps from time 0 on stand alone, without --start and --end");
    }
    ret = spot_price_steps_read(steps, self->file, self->diag);
    *end_ms = ret == 0 ? steps->steps[steps->num_steps - 1].start_ms : 0;
    return ret;
}

int spot_price_history_read(spot_price_steps_t *steps, int64_t *end_ms,
    const spot_price_request_t *request, size_t num_paths, const char *const *paths,
    spot_diag_t *diag)
{
    reading_t reading = {.request = request, .steps = steps, .diag = diag};
    bool is_steps = false;
    int ret = 0;

    for (size_t j = 0; j < num_paths && !is_steps; j++) {
        reading.file = paths[j];
        reading.form = NUM_FORMS;
        ret = spot_error_first(ret, read_file(&reading));
        is_steps = reading.form == STEPS;
    }
    if (ret == 0 && is_steps) {
        ret = read_steps(&reading, num_paths, end_ms);
    } else if (ret == 0) {
        ret = reading.num_asked == 1 ? make_steps(&reading, end_ms) : report_series(&reading);
    }
    if (reading.num_others > 0) {
        spot_diag_warn(diag, paths[0], 0, 0,
            "%zu items are left out, reservations and others that are not paid by the "
            "hour of use",
            reading.num_others);
    }
    if (reading.has_no_zone) {
        spot_diag_warn(diag, paths[0], 0, 0, "times without a zone are taken as UTC");
    }
    ret = spot_error_first(ret, reading.texts.error);
    spot_names_free(&reading.series);
    spot_texts_free(&reading.texts);
    free(reading.cells);
    free(reading.counts);
    free(reading.records);
    return ret;
}
