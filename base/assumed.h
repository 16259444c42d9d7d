/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions: the keys of a document that decide time or money and that its file does
 * not have, so that their defaults hold. The rows of a table say which defaults do
 * (SPOT_DECIDES); what has no bearing on a bound document is then taken out by whoever
 * bound it. They are named in one line wherever results are shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bind.h"
#include "base/json.h"
#include "base/memory.h"

typedef struct {
    char *key;   /* "job.reload"; "trace.model: restart_every" of a file */
    char *value; /* as in YAML, or in words: "47 s" */
    char *label; /* "reload time"; NULL: none but the key */
} spot_assumption_t;

/* Zero it to start. */
typedef struct spot_assumed {
    size_t num_items;
    size_t max_items;
    spot_assumption_t *items; /* [num_items] in the order of the tables */
} spot_assumed_t;

void spot_assumed_free(spot_assumed_t *self);

/* Appends the defaults that decide and that root, a map that fields bind, takes, and those
 * of the YAML files that it names, with keys such as "trainers.llm: job.reload". root has
 * been bound without an error. Nothing else is stored. NO_MEMORY. O(keys). */
SPOT_MUST_CHECK int spot_assumed_find(
    spot_assumed_t *self, const spot_field_t *fields, const spot_node_t *root);

/* Appends a copy of an item, unless self has the same key with the same value. label may
 * be NULL. NO_MEMORY. */
SPOT_MUST_CHECK int spot_assumed_add(
    spot_assumed_t *self, const char *key, const char *value, const char *label);

/* Takes out the items of which keeps() is false, called with context and the key. */
void spot_assumed_sift(
    spot_assumed_t *self, bool (*keeps)(const void *context, const char *key), const void *context);

/* "assumed, not from your file: reload time 47 s, checkpoint write time 89 s"; "" where
 * there are none. */
const char *spot_assumed_words(spot_texts_t *texts, const spot_assumed_t *self);

/* The same on one line of at most max_chars characters: those first that matter most (prices,
 * checkpoints, pauses), then how many more there are: "assumed, not from your file: price 0 USD,
 * reload time 47 s, and 6 more: --verbose". */
const char *spot_assumed_brief(spot_texts_t *texts, const spot_assumed_t *self, size_t max_chars);

/* The member "assumed" of an open object: a list of {key, value}. */
void spot_assumed_json(const spot_assumed_t *self, spot_json_t *json);
