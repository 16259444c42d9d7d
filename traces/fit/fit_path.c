/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "traces/fit/fit_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The folder a file is in, without links, with one slash at its end. */
static char *
folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t) (slash - path));
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    char *text = NULL;

    if (real != NULL) {
        const size_t num_bytes = strlen(real);

        text = spot_calloc(num_bytes + 2, 1);
        if (text != NULL) {
            snprintf(text, num_bytes + 2, "%s%s", real, num_bytes > 1 ? "/" : "");
        }
    }
    free(real);
    free(folder);
    return text;
}

/* Bytes of the folder that both are in. */
static size_t
common_bytes(const char *folder, const char *other)
{
    size_t common = 0;

    for (size_t j = 0; folder[j] != '\0' && folder[j] == other[j]; j++) {
        common = folder[j] == '/' ? j + 1 : common;
    }
    return common;
}

/* folder/name as seen from another folder, of which the first bytes are the same. */
static char *
relative(const char *folder, const char *name, const char *from, size_t common)
{
    size_t num_up = 0, num_bytes;
    char *text;

    for (const char *c = from + common; *c != '\0'; c++) {
        num_up += *c == '/' ? 1 : 0;
    }
    num_bytes = num_up * strlen("../") + strlen(folder + common) + strlen(name) + 1;
    text = spot_calloc(num_bytes, 1);
    if (text == NULL) {
        return NULL;
    }
    for (size_t j = 0; j < num_up; j++) {
        memcpy(text + j * strlen("../"), "../", strlen("../"));
    }
    snprintf(text + num_up * strlen("../"), num_bytes - num_up * strlen("../"), "%s%s",
        folder + common, name);
    return text;
}

char *
spot_fit_path_from_model(const char *trace_path, const char *model_path)
{
    const bool is_file = model_path != NULL && strcmp(model_path, "-") != 0;
    const char *slash = strrchr(trace_path, '/');
    char *folder = folder_of(trace_path);
    char *from = is_file ? folder_of(model_path) : strdup("/");
    char *path = NULL;

    if (folder != NULL && from != NULL) {
        const size_t common = common_bytes(folder, from);
        const bool is_relative = is_file && common > strlen("/");

        path = relative(folder, slash != NULL ? slash + 1 : trace_path,
            is_relative ? from : "", is_relative ? common : 0);
    }
    free(from);
    free(folder);
    return path;
}
