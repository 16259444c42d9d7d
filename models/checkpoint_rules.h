/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often to write a checkpoint: the interval of each rule, and what it comes to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/checkpoint_theory.h"

/* What is asked, in ms; everything from 0, mtbf_ms above 0. */
typedef struct {
    bool is_async;
    int64_t mtbf_ms;
    int64_t write_ms;
    int64_t snapshot_ms; /* async only */
    int busy;            /* async only: SPOT_BUSY_WAIT or SPOT_BUSY_JOIN */
    int64_t restart_ms;
    int64_t step_ms;     /* 0: the answer is not in steps too */
    int64_t interval_ms; /* 0: only the optima */
    bool has_memory;     /* what failures cost with copies in memory is asked too */
    spot_theory_memory_t memory;
} spot_theory_question_t;

enum {
    SPOT_RULE_YOUNG,
    SPOT_RULE_DALY_FIRST,
    SPOT_RULE_DALY_HIGHER,
    SPOT_RULE_EXACT,
    SPOT_RULE_BEST,
    SPOT_RULE_GIVEN, /* the interval that is asked about */
    SPOT_NUM_RULES
};

typedef struct {
    const char *name;  /* "daly_first_order" */
    const char *label; /* "Daly, first order" */
} spot_checkpoint_rule_t;

extern const spot_checkpoint_rule_t spot_checkpoint_rules[SPOT_NUM_RULES];

/* One rule's interval and what it comes to; NAN where the rule gives none. */
typedef struct {
    int rule;
    double interval_s;
    double period_s;
    double efficiency;
    double run_ratio;         /* 1 / efficiency: a run takes that many times its work */
    double efficiency_immune; /* if no failure hits a restart */
    double expected_s;        /* until the work of an interval is kept */
    double expected_immune_s;
    double waste;  /* first order */
    int64_t steps; /* the nearest number of them, 0: not asked */
    double steps_efficiency;
    /* Lost to failures with copies in memory, and without, first order; NAN where not
     * asked, or where failures cost all time and more. */
    double memory_loss, memory_loss_without;
} spot_checkpoint_row_t;

typedef struct {
    spot_theory_t theory;
    size_t num_rows; /* row j is of rule j */
    spot_checkpoint_row_t rows[SPOT_NUM_RULES];
    int64_t best_steps;     /* 0: not asked */
    double best_steps_s;    /* their work */
    double best_efficiency; /* at best_steps */
} spot_checkpoint_answer_t;

void spot_checkpoint_answer(spot_checkpoint_answer_t *self, const spot_theory_question_t *question);
