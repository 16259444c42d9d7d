/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void spot_inputs_free(spot_inputs_t *self)
{
    for (size_t j = 0; j < self->num_inputs; j++) {
        free(self->inputs[j].path);
        free(self->inputs[j].name);
    }
    free(self->inputs);
    memset(self, 0, sizeof(*self));
}

static spot_input_t *find_input(const spot_inputs_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_inputs; j++) {
        if (strcmp(self->inputs[j].path, path) == 0) {
            return &self->inputs[j];
        }
    }
    return NULL;
}

const spot_input_t *spot_inputs_find(const spot_inputs_t *self, const char *path)
{
    return find_input(self, path);
}

void spot_inputs_enter(spot_inputs_t *self, const char *path, const char *sha256)
{
    spot_input_t *input = find_input(self, path);

    if (input != NULL) {
        input->has_changed = input->has_changed || strcmp(input->sha256, sha256) != 0;
        return;
    }
    if (SPOT_ARRAY_ROOM(self, inputs, self->num_inputs + 1) != 0) {
        self->is_out_of_memory = true;
        return;
    }
    input = &self->inputs[self->num_inputs++];
    *input = (spot_input_t){.path = spot_text_copy(path, strlen(path))};
    strcpy(input->sha256, sha256);
    if (input->path == NULL) {
        self->num_inputs--;
        self->is_out_of_memory = true;
    }
}

/* ---- Names ---- */

/* Length of a path up to and including its last slash. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t) (slash - path) + 1;
}

static const char *skip_dots(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 1 + strspn(path + 1, "/");
    }
    return path;
}

/* The real folder of a file, with a slash at its end, or NULL. The caller frees it. */
static char *real_folder(const char *path)
{
    const size_t num_bytes = folder_bytes(path);
    char *folder = num_bytes == 0 ? spot_text_copy(".", 1) : spot_text_copy(path, num_bytes);
    char *real = folder == NULL ? NULL : realpath(folder, NULL);
    char *whole = real == NULL ? NULL : malloc(strlen(real) + 2);

    if (whole != NULL) {
        strcpy(whole, real);
        if (strcmp(real, "/") != 0) {
            strcat(whole, "/");
        }
    }
    free(folder);
    free(real);
    return whole;
}

/* Path from a real folder to a real file: "../" for each part of the folder that the
 * file does not share, then the rest of the file. NULL: no memory. */
static char *relative_path(const char *folder, const char *file)
{
    size_t shared = 0, num_up = 0;
    char *path;

    for (size_t j = 0; folder[j] != '\0' && folder[j] == file[j]; j++) {
        shared = folder[j] == '/' ? j + 1 : shared;
    }
    for (const char *byte = folder + shared; *byte != '\0'; byte++) {
        num_up += *byte == '/';
    }
    path = malloc(3 * num_up + strlen(file + shared) + 1);
    if (path != NULL) {
        for (size_t j = 0; j < num_up; j++) {
            memcpy(path + 3 * j, "../", 3);
        }
        strcpy(path + 3 * num_up, file + shared);
    }
    return path;
}

char *spot_path_from(const char *folder, const char *path)
{
    char *real = realpath(path, NULL);
    char *within = malloc(strlen(folder) + 3), *base = NULL, *relative = NULL;

    if (real != NULL && within != NULL) {
        strcat(strcpy(within, folder), "/.");
        base = real_folder(within);
    }
    if (base != NULL) {
        const char *second = strchr(real + 1, '/');
        const size_t first_bytes = second == NULL ? 0 : (size_t) (second - real) + 1;

        relative = first_bytes == 0 || strncmp(base, real, first_bytes) != 0
                       ? spot_text_copy(real, strlen(real))
                       : relative_path(base, real);
    }
    free(real);
    free(within);
    free(base);
    return relative;
}

/* The last num_parts parts of a path, or all of it. */
static const char *last_parts(const char *path, size_t num_parts)
{
    const char *start = path + strlen(path);

    while (start > path && num_parts > 0) {
        start--;
        num_parts -= *start == '/';
    }
    return *start == '/' ? start + 1 : start;
}

/* ".../" and the fewest last parts of the path in which no other file ends. */
static char *outside_name(const spot_inputs_t *self, const char *path)
{
    size_t num_parts = 1, num_bytes;
    bool is_alone = false;
    char *name;

    while (!is_alone && last_parts(path, num_parts) > path + 1) {
        const char *tail = last_parts(path, num_parts);

        is_alone = true;
        for (size_t j = 0; j < self->num_inputs; j++) {
            is_alone =
                is_alone && (strcmp(self->inputs[j].path, path) == 0 ||
                                strcmp(last_parts(self->inputs[j].path, num_parts), tail) != 0);
        }
        num_parts += !is_alone;
    }
    num_bytes = strlen(last_parts(path, num_parts));
    name = malloc(num_bytes + 5);
    if (name != NULL) {
        memcpy(name, ".../", 4);
        memcpy(name + 4, last_parts(path, num_parts), num_bytes + 1);
    }
    return name;
}

/* Name of a file for the record. A path written in a file is the folder of that file,
 * then the text, and keeps the text. A path of the command line becomes the real
 * relative path. */
static char *input_name(const spot_inputs_t *self, const char *path, const char *base_path)
{
    const size_t base_bytes = folder_bytes(base_path);
    char *folder, *real, *name = NULL;

    if (strncmp(path, base_path, base_bytes) == 0 && path[base_bytes] != '/') {
        path = skip_dots(path + base_bytes);
        return spot_text_copy(path, strlen(path));
    }
    folder = real_folder(base_path);
    real = realpath(path, NULL);
    if (folder != NULL && real != NULL &&
        (path[0] != '/' || strncmp(real, folder, strlen(folder)) == 0)) {
        name = relative_path(folder, real);
    } else {
        name = outside_name(self, path);
    }
    free(folder);
    free(real);
    return name;
}

int spot_inputs_check(const spot_inputs_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_inputs; j++) {
        if (self->inputs[j].has_changed) {
            ret = SPOT_ERR_BAD_INPUT;
            if (diag != NULL) {
                spot_diag_error(diag, self->inputs[j].path, 0, 0,
                    "it has changed while it was being read: start again");
            }
        }
    }
    return ret;
}

int spot_inputs_name(spot_inputs_t *self, const char *base_path, spot_diag_t *diag)
{
    int ret = self->is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_inputs; j++) {
        spot_input_t *input = &self->inputs[j];

        free(input->name);
        input->name = input_name(self, input->path, base_path);
        if (input->name == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    return ret == 0 ? spot_inputs_check(self, diag) : ret;
}
