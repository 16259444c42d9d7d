/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves a YAML text to another folder. Scalars that name files are relative to the
 * folder of their document: those of files that were read get their path from the new
 * one. Everything else stays byte for byte. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "base/inputs.h"
#include "base/texts.h"

/* A file that has a name of its own there. */
typedef struct {
    const char *path; /* as it was opened */
    const char *name; /* in the new folder */
} spot_moved_file_t;

typedef struct {
    const char *file;            /* where the text stood */
    const spot_inputs_t *inputs; /* the files that were read by it */
    const char *folder;          /* where it goes; it is there */
    size_t num_moved;
    const spot_moved_file_t *moved; /* [num_moved] */
} spot_yaml_move_t;

/* Returns the text as it is in the new folder; texts own it. NULL: the text is no YAML,
 * with the reason in diag, or no memory. O(scalars files). */
const char *spot_yaml_moved(
    const spot_yaml_move_t *self, const char *text, spot_texts_t *texts, spot_diag_t *diag);
