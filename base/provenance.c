/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/provenance.h"

#include <csv.h>
#include <features.h>
#include <gsl/gsl_version.h>
#include <lzma.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "base/commit.h"

/* ---- Program ---- */

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

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
    {"zstd", ZSTD_versionString},
    {"xz", lzma_version_string},
    {NULL, NULL},
};

/* ---- Machine ---- */

static void put_text(char target[SPOT_MACHINE_TEXT_BYTES], const char *text)
{
    snprintf(target, SPOT_MACHINE_TEXT_BYTES, "%s", text);
}

/* Reads "model name : " in /proc/cpuinfo, which x86 has and other machines may lack. */
static void read_processor(char processor[SPOT_MACHINE_TEXT_BYTES])
{
    static const char key[] = "model name";
    FILE *stream = fopen("/proc/cpuinfo", "r");
    char line[SPOT_MACHINE_TEXT_BYTES];

    while (stream != NULL && processor[0] == '\0' && fgets(line, sizeof(line), stream) != NULL) {
        const char *colon = strchr(line, ':');

        if (colon != NULL && strncmp(line, key, sizeof(key) - 1) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            put_text(processor, colon);
            processor[strcspn(processor, "\n")] = '\0';
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
}

void spot_machine_read(spot_machine_t *self)
{
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);
    const long num_pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    struct utsname system;

    memset(self, 0, sizeof(*self));
    if (uname(&system) == 0) {
        put_text(self->host, system.nodename);
        put_text(self->system, system.sysname);
        put_text(self->release, system.release);
        put_text(self->architecture, system.machine);
    }
    read_processor(self->processor);
    self->num_processors = num_processors > 0 ? num_processors : 0;
    if (num_pages > 0 && page_bytes > 0) {
        self->memory_bytes = (int64_t) num_pages * page_bytes;
    }
}
