/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of fits: text on standard output as they come, JSON at their end, rows of CSV kept
 * until they are asked for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/json.h"
#include "reports/table/terminal.h"
#include "traces/fit/fit_generator.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"
#include "traces/fit/fit_words.h"

typedef struct {
    const char *trace;  /* its name, "" for a lifetimes file */
    bool is_quiet;      /* no verdicts, no legend */
    bool is_obtainable; /* a trace of kind availability: nothing ran */
    int64_t num_rounds; /* of the bootstrap, 0: none */
    int64_t seed;
    spot_terminal_t terminal; /* of standard output */
    spot_diag_t *diag;        /* why that could not be written */
} spot_fit_table_setting_t;

typedef struct {
    spot_fit_table_setting_t setting;
    bool is_json;
    bool is_open;  /* the JSON object */
    bool has_fits; /* a legend is due */
    int error;     /* the first one of printing */
    spot_json_t json;
    FILE *out; /* text of a sample, or all of the JSON, in memory; NULL: no memory */
    char *text;
    size_t text_bytes;
    FILE *csv; /* rows in memory; NULL: no memory */
    char *csv_text;
    size_t csv_bytes;
} spot_fit_table_t;

/* Copies the setting, borrows its text. */
void spot_fit_table_init(
    spot_fit_table_t *self, const spot_fit_table_setting_t *setting, bool is_json);
void spot_fit_table_free(spot_fit_table_t *self);

/* One sample each. */
void spot_fit_table_laws(spot_fit_table_t *self, const char *what, double tick_s,
    const spot_fit_ranking_t *ranking, const spot_fit_words_t *words);
void spot_fit_table_sizes(spot_fit_table_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const spot_fit_words_t *words);
void spot_fit_table_hourly(spot_fit_table_t *self, const spot_fit_hourly_t *hourly);

/* Legend and closing words; ends the JSON. */
void spot_fit_table_finish(spot_fit_table_t *self, const spot_fit_words_t *words);

/* The rows so far, columns first. */
void spot_fit_table_write_csv(spot_fit_table_t *self, FILE *out);
