/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up studies that have every part of a page. */
#pragma once

#include "sim/bench/store/origin.h"
#include "sim/bench/store/store.h"

#define PAGE_METRICS 2

/* Two keys, "system" (a, b, c) and "every" (10 s ... 40 s), the metrics
 * cost_usd and lost_fraction, which is best in the middle; one warning. */
typedef struct {
    spot_study_head_t head;
    spot_axis_t axes[2];
    char *texts[2][16];
    double numbers[2][16];
    spot_metric_t metrics[PAGE_METRICS];
    spot_warning_t warning;
    spot_constraint_t constraint;
    bool is_left_out[3];
    uint32_t *sample_points;
    spot_store_t *store;
} page_sample_t;

/* 12 points. Change the head, then fill it, then free it. */
void page_sample_init(page_sample_t *self, int64_t num_replications);

/* Opens the store and puts rows: of each point so many fewer than there may be as its
 * number says, times lack. is_flawed: with nulls and warnings. */
void page_sample_fill(page_sample_t *self, int64_t lack, bool is_flawed);
void page_sample_free(page_sample_t *self);

/* A design for Sobol indices of two keys instead, with 64 base samples. */
void page_sample_make_sensitivity(page_sample_t *self);

/* What a database would say of it: two processes on two machines. */
const spot_origin_t *page_sample_origin(void);

/* All its texts are page_hostile. */
const spot_origin_t *page_sample_hostile_origin(void);
