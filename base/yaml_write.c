/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/yaml_write.h"

#include <string.h>

#include "base/json.h"

/* Whether a scalar means the same without quotes, in a list or map on a line too. */
static bool is_plain(const spot_node_t *scalar)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./+* ";
    const char *text = scalar->text;
    const size_t length = strlen(text);

    return !scalar->is_quoted && length > 0 && strspn(text, good) == length &&
           strchr(" *", text[0]) == NULL && text[length - 1] != ' ' &&
           (text[0] != '-' || (length > 1 && text[1] != ' '));
}

static void write_scalar(const spot_node_t *scalar, FILE *out)
{
    if (is_plain(scalar) || (!scalar->is_quoted && scalar->text[0] == '\0')) {
        fputs(scalar->text, out);
    } else {
        spot_json_quote(out, scalar->text, true);
    }
}

void spot_yaml_write_flow(const spot_node_t *node, FILE *out)
{
    if (node->kind == SPOT_NODE_SCALAR) {
        write_scalar(node, out);
        return;
    }
    fputc(node->kind == SPOT_NODE_MAP ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fputs(j == 0 ? "" : ", ", out);
        if (node->kind == SPOT_NODE_MAP) {
            write_scalar(node->keys[j], out);
            fputs(": ", out);
        }
        spot_yaml_write_flow(node->children[j], out);
    }
    fputc(node->kind == SPOT_NODE_MAP ? '}' : ']', out);
}

void spot_yaml_write_block(const spot_node_t *map, int num_blanks, FILE *out)
{
    for (size_t j = 0; j < map->num_children; j++) {
        const spot_node_t *child = map->children[j];

        fprintf(out, "%*s", num_blanks, "");
        write_scalar(map->keys[j], out);
        fputc(':', out);
        if (child->kind == SPOT_NODE_MAP && child->num_children > 0) {
            fputc('\n', out);
            spot_yaml_write_block(child, num_blanks + 4, out);
        } else {
            fputc(' ', out);
            spot_yaml_write_flow(child, out);
            fputc('\n', out);
        }
    }
}
