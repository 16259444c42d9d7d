/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/generator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"

/* ---- The optional tables of a generator ---- */

const spot_generator_members_t *spot_generator_members(const spot_generator_t *self)
{
    static const spot_generator_members_t none = {0};

    return self->members == NULL ? &none : self->members;
}

/* ---- The clock of a trace beside that of the run (frequency) ---- */

/* Between two clocks: rounding to the nearest ms, and the error of a product. */
#define HALF_MS 0.5
#define TINY_MS 1e-6

int64_t spot_model_run_ms(const spot_model_common_t *self, int64_t own_ms)
{
    return self->frequency == 1 ? own_ms
                                : (int64_t) floor((double) own_ms / self->frequency + HALF_MS);
}

int64_t spot_model_run_end_ms(const spot_model_common_t *self, int64_t own_ms)
{
    return self->frequency == 1 ? own_ms
                                : (int64_t) ceil((double) own_ms / self->frequency - TINY_MS);
}

int64_t spot_model_own_ms(const spot_model_common_t *self, int64_t run_ms)
{
    return self->frequency == 1 ? run_ms
                                : (int64_t) floor((double) run_ms * self->frequency + TINY_MS);
}

int64_t spot_model_last_ms(const spot_model_common_t *self)
{
    return self->horizon_ms > 0 ? spot_model_own_ms(self, self->horizon_ms)
                                : 2 * SPOT_MAX_DURATION_MS;
}

/* ---- Recordings that are shared ---- */

typedef struct {
    char *path;
    spot_trace_t *trace;
} book_t;

struct spot_shelf {
    int num_users; /* open recordings */
    size_t num_books;
    size_t max_books;
    book_t *books; /* [num_books] */
};

static void free_book(book_t *book)
{
    if (book->trace != NULL) {
        spot_trace_free(book->trace);
    }
    free(book->trace);
    free(book->path);
}

static void free_shelf(spot_shelf_t *shelf)
{
    for (size_t j = 0; j < shelf->num_books; j++) {
        free_book(&shelf->books[j]);
    }
    free(shelf->books);
    free(shelf);
}

/* Reads a trace and, without errors, puts it on the shelf. */
static int read_trace(spot_shelf_t *shelf, const char *path, spot_diag_t *diag)
{
    book_t book = {
        .path = spot_text_copy(path, strlen(path)), .trace = spot_calloc(1, sizeof(*book.trace))};
    int ret = SPOT_ARRAY_ROOM(shelf, books, shelf->num_books + 1);

    if (book.path == NULL || book.trace == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    ret = ret == 0 ? spot_trace_read(book.trace, path, false, diag) : ret;
    if (ret == 0) {
        shelf->books[shelf->num_books++] = book;
    } else {
        free_book(&book);
    }
    return ret;
}

static const spot_trace_t *find_trace(const spot_shelf_t *shelf, const char *path)
{
    for (size_t j = 0; j < shelf->num_books; j++) {
        if (strcmp(shelf->books[j].path, path) == 0) {
            return shelf->books[j].trace;
        }
    }
    return NULL;
}

int spot_recorded_trace_open(spot_recorded_trace_t *self, const spot_recorded_trace_t *like,
    const char *path, spot_diag_t *diag)
{
    int ret = 0;

    self->trace = NULL;
    self->shelf = like == NULL ? NULL : like->shelf;
    if (self->shelf == NULL) {
        self->shelf = spot_calloc(1, sizeof(*self->shelf));
    }
    if (self->shelf == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->shelf->num_users++;
    self->trace = find_trace(self->shelf, path);
    if (self->trace == NULL) {
        ret = read_trace(self->shelf, path, diag);
        self->trace = ret == 0 ? find_trace(self->shelf, path) : NULL;
    }
    if (ret == 0 && self->trace->kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, path, 0, 0,
            "kind availability: what could have been obtained is taken as running");
    }
    return ret;
}

void spot_recorded_trace_close(spot_recorded_trace_t *self)
{
    if (self->shelf != NULL && --self->shelf->num_users == 0) {
        free_shelf(self->shelf);
    }
    memset(self, 0, sizeof(*self));
}

void spot_recorded_trace_play(
    const spot_trace_t *trace, int64_t from_ms, spot_model_common_t *common)
{
    if (common->num_played < SPOT_MAX_PLAYED) {
        common->played[common->num_played++] = (spot_played_t){trace, from_ms};
    }
}

void spot_recorded_trace_check_price(const spot_model_common_t *model,
    const spot_price_steps_t *price, spot_diag_t *diag, const spot_node_t *node, const char *key)
{
    bool is_said = price->start[0] == '\0';

    for (size_t j = 0; j < model->num_played && !is_said; j++) {
        const spot_trace_t *trace = model->played[j].trace;
        const char *name = spot_trace_key(trace, "name");
        char what[128];

        snprintf(what, sizeof(what), "the trace %s", name == NULL ? "" : name);
        is_said = spot_price_check_start(
            diag, node, key, price, what, spot_trace_key(trace, "start"), model->played[j].from_ms);
    }
}

size_t spot_recorded_trace_num_lossless(const spot_model_common_t *model)
{
    size_t num_lossless = 0;

    for (size_t j = 0; j < model->num_played; j++) {
        const spot_trace_t *trace = model->played[j].trace;
        bool has_loss = false;

        for (size_t k = 0; k < trace->num_events && !has_loss; k++) {
            has_loss = trace->events[k].kind != SPOT_EVENT_ADD &&
                       trace->events[k].time_ms >= model->played[j].from_ms;
        }
        num_lossless += !has_loss;
    }
    return num_lossless;
}

void spot_recorded_trace_settle(const spot_trace_t *trace, spot_model_common_t *common)
{
    if (common->capacity == 0) {
        const int32_t most = spot_trace_most(trace);

        common->capacity = most > 0 ? most : 1;
    }
    if (common->horizon_ms == 0 && !common->is_within) {
        common->horizon_ms = spot_model_run_end_ms(common, trace->end_ms);
    }
    if (common->initial < 0) {
        common->initial = trace->initial;
    }
    if (common->tick_ms == 0) {
        common->tick_ms = trace->resolution_ms;
    }
}

static const char price_key[] = "price_";

/* Bytes of a step as text, "21600 1.2; ". */
#define STEP_BYTES (SPOT_TRACE_TIME_BYTES + SPOT_NUMBER_TEXT_BYTES)

int spot_price_header_write(
    spot_trace_writer_t *writer, const char *zone, const spot_price_steps_t *price)
{
    char key[sizeof(price_key) + SPOT_CURRENCY_COLUMN_BYTES + SPOT_ZONE_NAME_BYTES];
    char column[SPOT_CURRENCY_COLUMN_BYTES];
    char time[SPOT_TRACE_TIME_BYTES], number[SPOT_NUMBER_TEXT_BYTES];
    char *text, *end;

    if (price->num_steps == 0) {
        return 0;
    }
    text = malloc(price->num_steps * STEP_BYTES);
    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    end = text;
    for (size_t j = 0; j < price->num_steps; j++) {
        spot_trace_time_text(price->steps[j].start_ms, time);
        spot_number_text(price->steps[j].usd_per_h, number);
        end += sprintf(end, "%s%s %s", j == 0 ? "" : "; ", time, number);
    }
    spot_currency_column(price->currency, column);
    snprintf(key, sizeof(key), "%s%s%s%s", price_key, column, zone == NULL ? "" : ".",
        zone == NULL ? "" : zone);
    spot_trace_writer_key(writer, key, text);
    free(text);
    return 0;
}

/* Reads "21600 1.2"; false if malformed. */
static bool parse_step(char *text, spot_price_step_t *step)
{
    char *blank = strchr(text, ' ');

    if (blank == NULL) {
        return false;
    }
    *blank = '\0';
    return spot_trace_time_parse(text, &step->start_ms) == 0 &&
           spot_number_parse(blank + 1, &step->usd_per_h) == 0 && step->usd_per_h >= 0 &&
           step->usd_per_h <= SPOT_MAX_PRICE_USD_PER_H;
}

/* Reads "0 0.91; 21600 1.2". BAD_INPUT, NO_MEMORY. */
static int parse_steps(const char *value, spot_price_steps_t *price)
{
    char *text = spot_text_copy(value, strlen(value));
    char *part = text;
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;

    while (ret == 0 && part != NULL) {
        char *next = strstr(part, "; ");
        spot_price_step_t step = {0};

        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        ret = parse_step(part, &step) ? spot_price_steps_add(price, step.start_ms, step.usd_per_h)
                                      : SPOT_ERR_BAD_INPUT;
        part = next;
    }
    free(text);
    return ret == SPOT_ERR_BAD_PARAM ? SPOT_ERR_BAD_INPUT : ret;
}

/* The zone of a key "price_usd_per_h.ZONE", "" without one, or NULL for other keys. */
static char *zone_of_key(char *key, char currency[SPOT_CURRENCY_BYTES])
{
    const size_t length = sizeof(price_key) - 1;
    const char *end =
        strncmp(key, price_key, length) == 0 ? spot_currency_scan(key + length, currency) : NULL;
    char *zone = end == NULL ? NULL : key + (end - key);

    if (zone == NULL || *zone == '\0') {
        return zone;
    }
    return *zone == '.' && zone[1] != '\0' ? zone + 1 : NULL;
}

/* Reads the price of a key. Its line is key_id + 2: each line of a header is a key, and
 * the first one the version. */
static int read_price(const spot_trace_t *trace, size_t key_id, const char *path,
    spot_price_steps_t *price, spot_diag_t *diag)
{
    const spot_trace_key_t *key = &trace->header.keys[key_id];
    const int ret = parse_steps(key->value, price);
    char text[SPOT_CSV_SHOWN_BYTES];

    if (ret == SPOT_ERR_BAD_INPUT) {
        spot_diag_error(diag, path, key_id + 2, strlen(key->key) + 5,
            "%s: expected prices from increasing seconds on such as "
            "'0 0.91; 21600 1.2', got '%s'",
            key->key, spot_csv_shown(key->value, text));
    }
    return ret;
}

/* Finds the zone of each name, which is "ZONE/..."; -1 for other names. */
static int find_zones_of_names(const spot_trace_t *trace, spot_zones_t *zones)
{
    zones->zone_of_name = spot_calloc(trace->num_names, sizeof(*zones->zone_of_name));
    if (zones->zone_of_name == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < trace->num_names; j++) {
        zones->zone_of_name[j] = -1;
        for (size_t k = 0; k < zones->num_zones; k++) {
            const size_t length = strlen(zones->zones[k].name);

            if (strncmp(trace->names[j], zones->zones[k].name, length) == 0 &&
                trace->names[j][length] == '/') {
                zones->zone_of_name[j] = (int32_t) k;
            }
        }
    }
    return 0;
}

int spot_price_header_read(const spot_trace_t *trace, const char *path, spot_price_steps_t *price,
    spot_zones_t *zones, spot_diag_t *diag)
{
    int ret = 0;

    memset(zones, 0, sizeof(*zones));
    if (price->num_steps > 0) {
        return 0;
    }
    zones->zones = spot_calloc(trace->header.num_keys, sizeof(*zones->zones));
    if (zones->zones == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < trace->header.num_keys && ret != SPOT_ERR_NO_MEMORY; j++) {
        char currency[SPOT_CURRENCY_BYTES];
        char *name = zone_of_key(trace->header.keys[j].key, currency);
        spot_price_steps_t *its_price = price;
        int error = 0;

        if (name == NULL || (*name != '\0' && trace->kind != SPOT_TRACE_NAMED)) {
            continue;
        }
        if (*name != '\0') {
            zones->zones[zones->num_zones].name = name;
            its_price = &zones->zones[zones->num_zones++].price;
        }
        strcpy(its_price->currency, currency);
        error = read_price(trace, j, path, its_price, diag);
        ret = error != 0 ? error : ret;
    }
    return ret == 0 && zones->num_zones > 0 ? find_zones_of_names(trace, zones) : ret;
}

void spot_zones_free(spot_zones_t *self)
{
    for (size_t j = 0; j < self->num_zones; j++) {
        spot_price_steps_free(&self->zones[j].price);
    }
    free(self->zones);
    free(self->zone_of_name);
    memset(self, 0, sizeof(*self));
}
