/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small study whose rows are known, for tests of stores. */
#pragma once

#include "sim/bench/store/store_sqlite.h"

#define CASE_METRICS 3
#define CASE_WARNINGS 2

/* Two axes, three metrics, two warnings; change it before a store is opened. */
typedef struct {
    spot_study_head_t head;
    spot_provenance_t provenance;
    spot_axis_t axes[2];
    char *texts[2][4];
    double numbers[2][4];
    spot_metric_t metrics[CASE_METRICS];
    char path[256]; /* of a store that is not there yet */
} store_case_t;

/* 2 x 2 points. */
void case_init(store_case_t *self, int64_t num_replications);

/* Removes the store, and what SQLite keeps next to it. */
void case_remove(const store_case_t *self);

/* The folder of all that a test program writes; made when first asked for. */
const char *case_folder(void);

/* The end of a group of tests: the folder must be empty, and is removed. */
int case_end(void **state);

/* The metrics of a row, and its warnings, as a function of the point's values. */
uint32_t case_row(const spot_study_head_t *head, size_t point_id, int64_t replication, double *row);

/* Puts rows [first, first + num_rows), batch by batch. */
void case_put(spot_store_t *store, size_t point_id, int64_t first, int64_t num_rows);

/* Puts all rows of all points that the store does not have; returns how many it were. */
int64_t case_put_all(spot_store_t *store);

/* The store has the first num_rows rows of the point, each as case_row() says, and
 * nothing else. */
void case_check_point(const spot_store_t *store, size_t point_id, int64_t num_rows);
void case_check_all(const spot_store_t *store);

/* Opens the store of the case, which must work. */
spot_store_t *case_open(const store_case_t *self);
spot_store_t *case_open_reader(const store_case_t *self);
void case_flush(spot_store_t *store);

/* Opening must fail with this error and a text that has these words in it. */
void case_refused(const store_case_t *self, int error, const char *words);
void case_reader_refused(const store_case_t *self, int error, const char *words);

/* Says whether any of the diagnostics has these words in it. */
bool case_says(const spot_diag_t *diag, const char *words);

/* Carries out SQL on the file of the case, and gives the first column of the first row
 * as a number. */
double case_sql(const store_case_t *self, const char *sql);

/* Makes all digests right again after a change: damage, or another program's numbers,
 * that they do not show. */
void case_seal(const store_case_t *self);

/* Changes the head of the study in the file, by a JSON path and a JSON value, and seals
 * it. */
void case_forge(const store_case_t *self, const char *path, const char *value);
