/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine on which the program runs, for the provenance of results. */
#pragma once

#include <stdint.h>

#define SPOT_MACHINE_TEXT_BYTES 256

typedef struct {
    char host[SPOT_MACHINE_TEXT_BYTES];
    char system[SPOT_MACHINE_TEXT_BYTES];       /* "Linux" */
    char release[SPOT_MACHINE_TEXT_BYTES];      /* of the system */
    char architecture[SPOT_MACHINE_TEXT_BYTES]; /* "x86_64" */
    char processor[SPOT_MACHINE_TEXT_BYTES];    /* model; "": unknown */
    int64_t num_processors;                     /* online; 0: unknown */
    int64_t memory_bytes;                       /* 0: unknown */
} spot_machine_t;

void spot_machine_read(spot_machine_t *self);
