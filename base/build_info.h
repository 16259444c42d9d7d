/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this program was built from and runs with: part of what its numbers depend on. */
#ifndef SPOT_BASE_BUILD_INFO_H
#define SPOT_BASE_BUILD_INFO_H

typedef struct {
    const char *version;  /* "0.1.0" */
    const char *commit;   /* "34a3c9b", "34a3c9b-dirty" with changes; "unknown" */
    const char *compiler; /* "GNU 12.2.0" */
    const char *build;    /* "Release", with the sanitizers, if any */
} spot_build_info_t;

extern const spot_build_info_t spot_build_info;

/* A library that is linked, and its version as it says itself at run time. */
typedef struct {
    const char *name;
    const char *(*version)(void);
} spot_library_t;

/* Those that base needs, up to one without a name. A room that links another one has its
 * own entry for it. */
extern const spot_library_t spot_base_libraries[];

#endif
