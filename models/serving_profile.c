/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/serving_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table_file.h"
#include "base/units.h"

/* ---- Profiles ---- */

#define MAX_MS 1e12 /* of a batch: 31 years, and twice its ns fit 63 bits */

typedef struct {
    const char *model, *hardware;
    int32_t batch;
    double p99_ms, throughput_qps;
} profile_row_t;

enum { MODEL, HARDWARE, BATCH, P99, THROUGHPUT };

static const spot_row_member_t profile_columns[] = {
    SPOT_MEMBER(TEXT, "model", profile_row_t, model),
    SPOT_MEMBER(TEXT, "hardware", profile_row_t, hardware),
    SPOT_MEMBER_WITH(SMALL, "batch", profile_row_t, batch, .min = 1, .max = SPOT_MAX_BATCH),
    SPOT_MEMBER_WITH(NUMBER, "p99_ms", profile_row_t, p99_ms, .min = -MAX_MS, .max = MAX_MS),
    SPOT_MEMBER_WITH(
        NUMBER, "throughput_qps", profile_row_t, throughput_qps, .min = -1e12, .max = 1e12),
};

/* Checks that a time or rate is above 0. */
static void check_positive(spot_table_file_t *file, size_t column, double value)
{
    if (value <= 0) {
        spot_table_file_report_at(file, column, "%s: %s is not positive",
            profile_columns[column].name, spot_table_file_field(file, column));
    }
}

/* The profile of a model on a hardware, a new one if there is none; NULL: no memory. */
static spot_serving_profile_t *find_or_add(
    spot_serving_profiles_t *self, const char *model, const char *hardware)
{
    spot_serving_profile_t profile = {0};

    for (size_t j = 0; j < self->num_profiles; j++) {
        if (strcmp(self->profiles[j].model, model) == 0 &&
            strcmp(self->profiles[j].hardware, hardware) == 0) {
            return &self->profiles[j];
        }
    }
    profile.model = spot_arena_text(&self->memory, model);
    profile.hardware = spot_arena_text(&self->memory, hardware);
    return self->memory.error != 0 || SPOT_ARRAY_APPEND(self, profiles, profile) != 0
               ? NULL
               : &self->profiles[self->num_profiles - 1];
}

static int take_profile(spot_table_file_t *file, const spot_csv_row_t *csv, const void *values)
{
    const profile_row_t *row = values;
    spot_serving_profiles_t *self = file->table;
    const spot_batch_profile_t point = {row->batch, row->p99_ms, row->throughput_qps};
    spot_serving_profile_t *profile;

    (void) csv;
    check_positive(file, P99, row->p99_ms);
    check_positive(file, THROUGHPUT, row->throughput_qps);
    if (row->throughput_qps > 0 && row->batch * 1e3 / row->throughput_qps > MAX_MS) {
        spot_table_file_report_at(file, THROUGHPUT,
            "throughput_qps: %s is a batch of more than %.15g ms",
            spot_table_file_field(file, THROUGHPUT), MAX_MS);
    }
    profile = find_or_add(self, row->model, row->hardware);
    if (profile == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (profile->num_rows == 0 && row->batch != 1) {
        spot_table_file_report_at(file, BATCH, "first batch is %d, not 1", (int) row->batch);
    } else if (profile->num_rows > 0 && row->batch <= spot_serving_profile_last(profile)) {
        spot_table_file_report_at(file, BATCH,
            row->batch == spot_serving_profile_last(profile) ? "batch %d given twice"
                                                             : "batch %d after %d",
            (int) row->batch, (int) spot_serving_profile_last(profile));
    }
    return SPOT_ARRAY_APPEND(profile, rows, point);
}

static const spot_table_file_format_t profile_format = {
    .num_columns = sizeof(profile_columns) / sizeof(profile_columns[0]),
    .columns = profile_columns,
    .layout = "model,hardware,batch,p99_ms,throughput_qps",
    .says_header = true,
    .needs_columns = true,
    .empty = "no rows",
    .row_bytes = sizeof(profile_row_t),
    .take = take_profile};

int spot_serving_profiles_read(spot_serving_profiles_t *self, const char *path, spot_diag_t *diag)
{
    return spot_table_file_read(&profile_format, path, diag, self);
}

/* ---- Profiles in a scenario ---- */

#define BATCHES_EXPECTED "a map such as {1: {throughput_qps: 10, p99_ms: 133}}"

static const spot_field_t batch_key = {.type = SPOT_FIELD_INTEGER,
    .offset = offsetof(spot_batch_profile_t, batch),
    .min = 1,
    .max = SPOT_MAX_BATCH};
static const spot_field_t batch_fields[] = {
    {SPOT_WITHIN(NUMBER, "throughput_qps", spot_batch_profile_t, throughput_qps, 1e-4, 1e12, NULL,
        "queries per second of a replica that runs such batches only")},
    {SPOT_WITHIN(NUMBER, "p99_ms", spot_batch_profile_t, p99_ms, 1e-9, MAX_MS, NULL,
        "99th percentile of the latency of such a batch, in ms")},
    {.name = NULL},
};
static const spot_field_t batch_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = batch_fields};

static const spot_field_t inline_fields[] = {
    {SPOT_VALUE(TEXT, "model", spot_serving_profile_item_t, model, NULL, "the model")},
    {SPOT_VALUE(
        TEXT, "hardware", spot_serving_profile_item_t, hardware, NULL, "what it was measured on")},
    {SPOT_ITEMS(DICT, "batches", spot_serving_profile_item_t, rows, num_rows, batch_item, 1,
         SPOT_MAX_BATCH, NULL, BATCHES_EXPECTED, "measured batches by size, from 1"),
        .key = &batch_key},
    {.name = NULL},
};

static const spot_field_t item_forms[] = {
    {SPOT_VALUE(PATH, "", spot_serving_profile_item_t, path, NULL, NULL)},
    {.name = "", .type = SPOT_FIELD_MAP, .offset = 0, .fields = inline_fields},
    {.name = NULL},
};

const spot_field_t spot_serving_profile_item_field = {.type = SPOT_FIELD_ONE_OF,
    .offset = 0,
    .fields = item_forms,
    .expected = "the path of a CSV file, or a map such as {model: ResNet, hardware: V100, "
                "batches: {1: {throughput_qps: 10, p99_ms: 133}}}"};

int spot_serving_profiles_add(spot_serving_profiles_t *self,
    const spot_serving_profile_item_t *item, spot_bind_t *bind, const spot_node_t *node)
{
    spot_serving_profile_t *profile;
    int ret = 0;

    if (item->path != NULL) {
        return spot_serving_profiles_read(self, item->path, bind->diag);
    }
    if (item->model == NULL || item->hardware == NULL || item->num_rows == 0) {
        return SPOT_ERR_BAD_INPUT; /* which binding has reported */
    }
    profile = find_or_add(self, item->model, item->hardware);
    if (profile == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (profile->num_rows > 0) {
        spot_bind_error(
            bind, node, NULL, "profile of %s on %s given twice", item->model, item->hardware);
        return SPOT_ERR_BAD_INPUT;
    }
    if (item->rows[0].batch != 1) {
        spot_bind_error(bind, node, NULL, "first batch is %d, not 1", (int) item->rows[0].batch);
        return SPOT_ERR_BAD_INPUT;
    }
    for (size_t j = 0; j < item->num_rows && ret == 0; j++) {
        ret = SPOT_ARRAY_APPEND(profile, rows, item->rows[j]);
    }
    return ret;
}

void spot_serving_profile_item_free(spot_serving_profile_item_t *self)
{
    free(self->path);
    free(self->model);
    free(self->hardware);
    free(self->rows);
}

void spot_serving_profiles_free(spot_serving_profiles_t *self)
{
    for (size_t j = 0; j < self->num_profiles; j++) {
        free(self->profiles[j].rows);
    }
    free(self->profiles);
    spot_arena_free(&self->memory);
    *self = (spot_serving_profiles_t){0};
}

const spot_serving_profile_t *spot_serving_profiles_find(
    const spot_serving_profiles_t *self, const char *model, const char *hardware)
{
    for (size_t j = 0; j < self->num_profiles; j++) {
        if (strcmp(self->profiles[j].model, model) == 0 &&
            strcmp(self->profiles[j].hardware, hardware) == 0) {
            return &self->profiles[j];
        }
    }
    return NULL;
}

int32_t spot_serving_profile_last(const spot_serving_profile_t *self)
{
    return (int32_t) self->rows[self->num_rows - 1].batch;
}

/* ---- Prices ---- */

typedef struct {
    const char *hardware;
    double on_demand_per_h, spot_per_h;
} price_row_t;

static const spot_row_member_t price_columns[] = {
    SPOT_MEMBER(TEXT, "hardware", price_row_t, hardware),
    SPOT_MEMBER_WITH(NUMBER, "on_demand_per_hour", price_row_t, on_demand_per_h, .min = 0,
        .max = SPOT_MAX_PRICE_PER_H),
    SPOT_MEMBER_WITH(NUMBER, "spot_per_hour", price_row_t, spot_per_h, .min = 0,
        .max = SPOT_MAX_PRICE_PER_H, .may_be_empty = true),
};

static int take_price(spot_table_file_t *file, const spot_csv_row_t *csv, const void *values)
{
    const price_row_t *row = values;
    spot_serving_prices_t *self = file->table;
    const spot_serving_price_t price = {
        .name = spot_text_copy(row->hardware, strlen(row->hardware)),
        .on_demand_per_h = row->on_demand_per_h,
        .spot_per_h = row->spot_per_h};

    (void) csv;
    if (price.name != NULL && spot_serving_prices_find(self, price.name, NULL) >= 0) {
        spot_table_file_report_at(file, 0, "hardware '%s' given twice", price.name);
    }
    if (price.name == NULL || SPOT_ARRAY_APPEND(self, prices, price) != 0) {
        free(price.name);
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

int spot_serving_prices_read(spot_serving_prices_t *self, const char *path, spot_diag_t *diag)
{
    const price_row_t initial = {NULL, 0, (double) NAN};
    const spot_table_file_format_t format = {
        .num_columns = sizeof(price_columns) / sizeof(price_columns[0]),
        .columns = price_columns,
        .layout = "hardware,on_demand_per_hour,spot_per_hour",
        .says_header = true,
        .needs_columns = true,
        .empty = "no rows",
        .row_bytes = sizeof(price_row_t),
        .initial = &initial,
        .take = take_price};
    const int ret = spot_table_file_read(&format, path, diag, self);

    spot_serving_prices_sort(self);
    return ret;
}

void spot_serving_prices_sort(spot_serving_prices_t *self)
{
    for (size_t j = 1; j < self->num_prices; j++) {
        const spot_serving_price_t price = self->prices[j];
        size_t k = j;

        for (; k > 0 && self->prices[k - 1].on_demand_per_h < price.on_demand_per_h; k--) {
            self->prices[k] = self->prices[k - 1];
        }
        self->prices[k] = price;
    }
}

void spot_serving_prices_free(spot_serving_prices_t *self)
{
    for (size_t j = 0; j < self->num_prices; j++) {
        free(self->prices[j].name);
    }
    free(self->prices);
    *self = (spot_serving_prices_t){0};
}

int32_t spot_serving_prices_find(
    const spot_serving_prices_t *self, const char *name, spot_suggest_t *near)
{
    for (size_t j = 0; j < self->num_prices; j++) {
        if (near != NULL) {
            spot_suggest_offer(near, self->prices[j].name);
        }
        if (strcmp(self->prices[j].name, name) == 0) {
            return (int32_t) j;
        }
    }
    return -1;
}

/* ---- Service models ---- */

static double busy_ms(const spot_batch_profile_t *row)
{
    return (double) row->batch * 1000.0 / row->throughput_qps;
}

static double p99_ms(const spot_batch_profile_t *row)
{
    return row->p99_ms;
}

/* The time of one query, taken for that of the whole batch. */
static double one_query_ms(const spot_batch_profile_t *row)
{
    return 1 / (row->throughput_qps / 1000.0);
}

const spot_service_t spot_service_throughput = {
    .name = "throughput",
    .doc = "a batch takes as long as the measured throughput says: the capacity as "
           "measured",
    .busy_ms = busy_ms,
};

const spot_service_t spot_service_p99 = {
    .name = "p99",
    .doc = "every batch takes its 99th percentile: pessimistic, and capacity is lost",
    .busy_ms = p99_ms,
};

const spot_service_t spot_service_pipelined = {
    .name = "pipelined",
    .doc = "a replica is busy as long as the throughput says, and the result is there "
           "after the 99th percentile; a later batch may overtake",
    .cannot_be_cut = true,
    .busy_ms = busy_ms,
    .result_ms = p99_ms,
};

static const spot_service_t service_notebook = {
    .name = "notebook",
    .doc = "the error of a public notebook of the InferLine project, to show its "
           "effect: a batch takes as long as one of its queries should",
    .warning = "service: notebook takes the time of one query for that of a whole "
               "batch: a batch of n is n times too fast",
    .cannot_plan = true,
    .busy_ms = one_query_ms,
};

const spot_service_t *const spot_services[] = {
    &spot_service_throughput,
    &spot_service_p99,
    &spot_service_pipelined,
    &service_notebook,
    NULL,
};

/* ---- Times of batches ---- */

/* The times of all batches; row_ms: at a row. */
static int64_t *make_times(const spot_serving_profile_t *profile,
    double (*row_ms)(const spot_batch_profile_t *row), spot_arena_t *memory)
{
    const int32_t last = spot_serving_profile_last(profile);
    int64_t *times;

    SPOT_ARENA_ARRAY(memory, times, (size_t) last + 1);
    for (size_t j = 0; j < profile->num_rows && times != NULL; j++) {
        const spot_batch_profile_t *row = &profile->rows[j], *next = row + 1;
        const double x0 = (double) row->batch, y0 = row_ms(row);
        int64_t ns = spot_ns_from_ms(y0);

        times[row->batch] = ns < 1 ? 1 : ns;
        for (int64_t n = row->batch + 1; j + 1 < profile->num_rows && n < next->batch; n++) {
            const double slope = (row_ms(next) - y0) / ((double) next->batch - x0);

            ns = spot_ns_from_ms(y0 + ((double) n - x0) * slope);
            times[n] = ns < 1 ? 1 : ns;
        }
    }
    return times;
}

int spot_service_time_init(spot_service_time_t *self, const spot_service_t *service,
    const spot_serving_profile_t *profile, spot_arena_t *memory)
{
    int64_t *result_ns = NULL;

    self->last = spot_serving_profile_last(profile);
    self->busy_ns = self->result_ns = make_times(profile, service->busy_ms, memory);
    if (service->result_ms != NULL) {
        self->result_ns = result_ns = make_times(profile, service->result_ms, memory);
    }
    for (int32_t n = 1; n <= self->last && memory->error == 0 && result_ns != NULL; n++) {
        result_ns[n] = result_ns[n] < self->busy_ns[n] ? self->busy_ns[n] : result_ns[n];
    }
    return memory->error;
}

int64_t spot_service_time_fastest(const spot_service_time_t *self, int32_t batch)
{
    int64_t fastest_ns = INT64_MAX;

    for (int32_t n = 1; n <= batch; n++) {
        fastest_ns = self->result_ns[n] < fastest_ns ? self->result_ns[n] : fastest_ns;
    }
    return fastest_ns;
}

double spot_service_time_qps(const spot_service_time_t *self, int32_t batch)
{
    return batch * 1e9 / (double) self->busy_ns[batch];
}
