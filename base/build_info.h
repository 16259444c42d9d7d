/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources and libraries of this program, on which its numbers depend. */
#pragma once

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
