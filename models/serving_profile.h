/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long batches of queries take and what a replica costs, by model and hardware.
 *
 * Profiles are measured by batch size (99th percentile and throughput) and come from
 * files or from a scenario; prices from files. A service model makes the times of all
 * batches out of a profile: spot_service_time_init(). Source of the form of profiles:
 * Crankshaw et al., InferLine, SoCC 2020. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/name_match.h"

/* ---- Profiles ---- */

/* The largest batch. */
#define SPOT_MAX_BATCH 65535

/* A measured batch. */
typedef struct {
    int64_t batch;         /* queries */
    double p99_ms;         /* 99th percentile of the latency of such a batch */
    double throughput_qps; /* queries/s of a replica that always runs such batches */
} spot_batch_profile_t;

/* A model on one hardware. */
typedef struct {
    const char *model;
    const char *hardware;
    size_t num_rows;
    size_t max_rows;
    spot_batch_profile_t *rows; /* [num_rows] batch increasing from 1 */
} spot_serving_profile_t;

/* Zero it to start. */
typedef struct {
    size_t num_profiles;
    size_t max_profiles;
    spot_serving_profile_t *profiles; /* [num_profiles] by first appearance */
    spot_arena_t memory;              /* of the names */
} spot_serving_profiles_t;

/* Adds the rows of a CSV file with the columns
 * model,hardware,batch,p99_ms,throughput_qps. BAD_INPUT, IO with the reasons in diag,
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_serving_profiles_read(
    spot_serving_profiles_t *self, const char *path, spot_diag_t *diag);
void spot_serving_profiles_free(spot_serving_profiles_t *self);

/* An item of a list of profiles: the path of a file, or a profile itself. */
typedef struct {
    char *path; /* NULL: the rest is bound */
    char *model, *hardware;
    size_t num_rows;
    spot_batch_profile_t *rows; /* [num_rows] batch increasing */
} spot_serving_profile_item_t;

extern const spot_field_t spot_serving_profile_item_field;

/* Reads the file of an item, or adds its profile; node: where it stands. Errors as
 * above, in the diagnostics of bind. */
SPOT_MUST_CHECK int spot_serving_profiles_add(spot_serving_profiles_t *self,
    const spot_serving_profile_item_t *item, spot_bind_t *bind, const spot_node_t *node);
void spot_serving_profile_item_free(spot_serving_profile_item_t *self);

/* The profile of a model on a hardware, or NULL. O(profiles). */
const spot_serving_profile_t *spot_serving_profiles_find(
    const spot_serving_profiles_t *self, const char *model, const char *hardware);

/* The largest batch of a profile. */
int32_t spot_serving_profile_last(const spot_serving_profile_t *self);

/* ---- Prices ---- */

/* The dearest replica: what a configuration costs, in millionths, fits 63 bits. */
#define SPOT_MAX_PRICE_PER_H 1e6

/* What a replica costs on a hardware, per hour, in any currency. */
typedef struct {
    char *name;
    double on_demand_per_h;
    double spot_per_h; /* NAN: not given */
} spot_serving_price_t;

/* Hardware order: dearest first, as on-demand; equal prices keep the order of the
 * file. */
typedef struct {
    size_t num_prices;
    size_t max_prices;
    spot_serving_price_t *prices; /* [num_prices] */
} spot_serving_prices_t;

/* Reads a CSV file with the columns hardware,on_demand_per_hour,spot_per_hour; the last
 * may be empty. Errors as above; free self even then. */
SPOT_MUST_CHECK int spot_serving_prices_read(
    spot_serving_prices_t *self, const char *path, spot_diag_t *diag);
void spot_serving_prices_sort(spot_serving_prices_t *self);
void spot_serving_prices_free(spot_serving_prices_t *self);

/* The hardware with this name, or -1; all names are offered to near, which may be
 * NULL. */
int32_t spot_serving_prices_find(
    const spot_serving_prices_t *self, const char *name, spot_suggest_t *near);

/* ---- Service models ---- */

/* Times of batches of a model on one hardware. Batches of 1 ... last queries. */
typedef struct {
    int32_t last;
    const int64_t *busy_ns;   /* [last + 1] S(n) >= 1, how long a replica is busy; [0]: 0 */
    const int64_t *result_ns; /* [last + 1] D(n) >= S(n), when the result is there */
} spot_service_time_t;

/* What a profile says of how long a batch keeps a replica busy, and when its result is
 * there. */
typedef struct {
    const char *name;
    const char *doc;
    const char *warning; /* what a run with it says; NULL: nothing */
    bool cannot_plan;    /* its times are wrong on purpose */
    bool cannot_be_cut;  /* replicas that may be taken away cannot use it */
    /* How long a batch at a row of the profile takes, in ms: busy, and to its result. */
    double (*busy_ms)(const spot_batch_profile_t *row);
    double (*result_ms)(const spot_batch_profile_t *row); /* NULL: when busy ends */
} spot_service_t;

extern const spot_service_t spot_service_throughput, spot_service_p99, spot_service_pipelined;

/* All, up to NULL; the first is the default. */
extern const spot_service_t *const spot_services[];

/* Makes the table of a profile in an arena. Between rows the time of a batch is linear
 * in its size. NO_MEMORY. */
SPOT_MUST_CHECK int spot_service_time_init(spot_service_time_t *self, const spot_service_t *service,
    const spot_serving_profile_t *profile, spot_arena_t *memory);

/* The least time to a result of batches of up to batch queries. O(batch). */
int64_t spot_service_time_fastest(const spot_service_time_t *self, int32_t batch);

/* Queries per second of a replica that runs batches of this size only. */
double spot_service_time_qps(const spot_service_time_t *self, int32_t batch);
