/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/yaml_move.h"

#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/yaml.h"

typedef struct {
    const spot_yaml_move_t *move;
    const char *text, *rest; /* what of it is not written yet */
    const char *line;        /* the begin of a line, and its number */
    size_t line_id;
    FILE *out;
    bool stays; /* the folder is the same one */
    int error;  /* NO_MEMORY */
} mover_t;

/* The folder of a path: as much of it as there is before its last part. */
static bool is_same_folder(const char *file, const char *folder)
{
    const char *slash = strrchr(file, '/');
    char *own = NULL, *real = realpath(folder, NULL), *other = NULL;
    bool is_same;

    own = slash == NULL ? spot_text_copy(".", 1)
                        : spot_text_copy(file, slash == file ? 1 : (size_t) (slash - file));
    other = own == NULL ? NULL : realpath(own, NULL);
    is_same = real != NULL && other != NULL && strcmp(real, other) == 0;
    free(own);
    free(real);
    free(other);
    return is_same;
}

/* Where a scalar stands in the text; its column counts characters. */
static const char *place_of(mover_t *self, const spot_node_t *node)
{
    const char *place;

    for (; self->line_id < node->line; self->line_id++) {
        self->line = strchr(self->line, '\n') + 1;
    }
    place = self->line;
    for (size_t column = 1; column < node->column; column++) {
        place++;
        while ((*place & 0xc0) == 0x80) {
            place++;
        }
    }
    return place;
}

/* The end of a scalar, which is written on one line. */
static const char *end_of(const char *place, const spot_node_t *node)
{
    const char quote = *place;

    if (!node->is_quoted) {
        return place + strlen(node->text);
    }
    for (place++; *place != '\0'; place++) {
        if (*place == '\\' && quote == '"') {
            place += place[1] != '\0';
        } else if (*place == quote && (quote == '"' || place[1] != quote)) {
            return place + 1;
        } else if (*place == quote) {
            place++;
        }
    }
    return place;
}

/* The name of a file that was opened, from the new folder. NULL: it stays as it is. The
 * caller frees it. */
static char *new_name(mover_t *self, const char *path)
{
    const spot_yaml_move_t *move = self->move;

    for (size_t j = 0; j < move->num_moved; j++) {
        if (strcmp(move->moved[j].path, path) == 0) {
            return spot_text_copy(move->moved[j].name, strlen(move->moved[j].name));
        }
    }
    if (self->stays || *path == '/' || spot_inputs_find(move->inputs, path) == NULL) {
        return NULL;
    }
    return spot_path_from(move->folder, path);
}

static void take(mover_t *self, const spot_node_t *node)
{
    char *path, *name;

    for (size_t j = 0; j < node->num_children; j++) {
        take(self, node->children[j]);
    }
    if (node->kind != SPOT_NODE_SCALAR || *node->text == '\0') {
        return;
    }
    path = spot_node_file_path(node);
    self->error = path == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    name = path == NULL ? NULL : new_name(self, path);
    if (name != NULL) {
        const char *place = place_of(self, node);

        fwrite(self->rest, 1, (size_t) (place - self->rest), self->out);
        spot_json_quote(self->out, name, true);
        self->rest = end_of(place, node);
    }
    free(name);
    free(path);
}

const char *spot_yaml_moved(
    const spot_yaml_move_t *self, const char *text, spot_texts_t *texts, spot_diag_t *diag)
{
    mover_t mover = {.move = self,
        .text = text,
        .rest = text,
        .line = text,
        .line_id = 1,
        .stays = is_same_folder(self->file, self->folder)};
    spot_yaml_t document = {.root = NULL};
    const char *moved = NULL;

    if (spot_yaml_parse(&document, self->file, text, strlen(text), diag) == 0) {
        mover.out = spot_texts_begin(texts);
        if (mover.out != NULL) {
            take(&mover, document.root);
            fputs(mover.rest, mover.out);
        }
        moved = spot_texts_end(texts, mover.out);
    }
    spot_yaml_free(&document);
    return mover.error != 0 || texts->error != 0 ? NULL : moved;
}
