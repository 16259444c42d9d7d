/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On what numbers depend besides their input: the sources, compiler and libraries of this
 * program, and the machine on which it runs. For version, for the provenance of
 * databases and for files that the program writes. */
#pragma once

#include <stdint.h>

typedef struct {
    const char *version;  /* "0.1.0" */
    const char *commit;   /* "34a3c9b"; "34a3c9b-dirty" with local changes; "unknown" */
    const char *compiler; /* "GNU 12.2.0" */
    const char *build;    /* "Release", with the sanitizers, if any */
} spot_build_info_t;

extern const spot_build_info_t spot_build_info;

/* A linked library, with a function that returns its version at run time. */
typedef struct {
    const char *name;
    const char *(*version)(void);
} spot_library_t;

/* The libraries of base; a NULL name ends the list. A room that links another library
 * has an entry of its own. */
extern const spot_library_t spot_base_libraries[];

/* ---- Machine ---- */

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
