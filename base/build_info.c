/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/build_info.h"

#include <csv.h>
#include <features.h>
#include <gsl/gsl_version.h>
#include <stddef.h>
#include <yaml.h>
#include <zlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/commit.h" /* written by every build, see cmake/commit.cmake */

const spot_build_info_t spot_build_info = {
    .version = SPOT_VERSION,
    .commit = SPOT_COMMIT,
    .compiler = SPOT_COMPILER,
    .build = SPOT_BUILD,
};

static const char *gsl_library_version(void)
{
    return gsl_version;
}

/* libcsv has no version at run time: the version of its header. */
#define TEXT_OF(number) #number
#define DOTTED(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)
static const char *csv_header_version(void)
{
    return DOTTED(CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
}

const spot_library_t spot_base_libraries[] = {
#ifdef __GLIBC__
    {"glibc", gnu_get_libc_version}, /* every draw uses its mathematical functions */
#endif
    {"gsl", gsl_library_version},
    {"libcsv", csv_header_version},
    {"libyaml", yaml_get_version_string},
    {"zlib", zlibVersion},
    {NULL, NULL},
};
