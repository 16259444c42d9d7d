/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/doc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "cli/field_text.h"
#include "cli/output.h"

spot_doc_t
spot_doc_of_terminal(FILE *out)
{
    return (spot_doc_t){.out = out, .width = spot_terminal_of_output(true).width};
}

static int
columns_of(const char *text, size_t num_bytes)
{
    return (int) spot_utf8_count(text, num_bytes);
}

/* Words from a column on, all lines but the first one indented. */
static void
wrap(const spot_doc_t *self, const char *text, int column, int indent)
{
    bool is_first = true;

    while (*text != '\0') {
        const size_t num_bytes = strcspn(text, " \n");
        const int num_columns = columns_of(text, num_bytes);

        if (!is_first && column + 1 + num_columns > self->width) {
            fprintf(self->out, "\n%*s", indent, "");
            column = indent;
        } else if (!is_first) {
            putc(' ', self->out);
            column++;
        }
        fwrite(text, 1, num_bytes, self->out);
        column += num_columns;
        is_first = false;
        text += num_bytes;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(self->out, "\n\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        text += strspn(text, " \n");
    }
    putc('\n', self->out);
}

/* With the characters escaped that roff would take for its own. */
static void
put_roff(FILE *out, const char *text)
{
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (*byte == '\\') {
            fputs("\\e", out);
        } else if (*byte == '-') {
            fputs("\\-", out);
        } else if ((*byte == '.' || *byte == '\'') &&
                   (byte == text || byte[-1] == '\n')) {
            fprintf(out, "\\&%c", *byte);
        } else if (byte[0] == '\n' && byte[1] == '\n') {
            fputs("\n.PP", out);
        } else {
            putc(*byte, out);
        }
    }
}

void
spot_doc_section(const spot_doc_t *self, const char *title)
{
    if (self->width > 0) {
        fprintf(self->out, "\n%s:\n", title);
        return;
    }
    fputs(".SH ", self->out);
    for (const char *byte = title; *byte != '\0'; byte++) {
        putc(toupper((unsigned char) *byte), self->out);
    }
    putc('\n', self->out);
}

void
spot_doc_text(const spot_doc_t *self, const char *text)
{
    if (self->width > 0) {
        wrap(self, text, 0, 0);
        return;
    }
    put_roff(self->out, text);
    putc('\n', self->out);
}

/* Whether a text has another one in it, in any case. */
static bool
contains(const char *text, const char *wanted)
{
    const size_t num_bytes = strlen(wanted);

    for (; *text != '\0'; text++) {
        if (strncasecmp(text, wanted, num_bytes) == 0) {
            return true;
        }
    }
    return num_bytes == 0;
}

void
spot_doc_item(const spot_doc_t *self, const char *name, const char *note,
    const char *text, int column)
{
    const int used = 2 + columns_of(name, strlen(name)) + columns_of(note, strlen(note));

    if (self->grep != NULL && !contains(name, self->grep) &&
        !contains(text, self->grep)) {
        return;
    }
    if (self->heading != NULL && self->heading[0] != '\0') {
        fputs(self->heading, self->out);
        self->heading[0] = '\0';
    }
    if (self->width == 0) {
        fputs(".TP\n\\fB", self->out);
        put_roff(self->out, name);
        fputs("\\fR", self->out);
        put_roff(self->out, note);
        putc('\n', self->out);
        put_roff(self->out, text);
        putc('\n', self->out);
        return;
    }
    fputs("  ", self->out);
    if (used + 2 > column && used <= self->width) {
        fprintf(self->out, "%s%s\n%*s", name, note, column, "");
    } else if (used + 2 > column) {
        fputs(name, self->out);
        wrap(self, note, used - columns_of(note, strlen(note)), SPOT_DOC_BELOW - 2);
        fprintf(self->out, "%*s", column, "");
    } else {
        fprintf(self->out, "%s%s%*s", name, note, column - used, "");
    }
    wrap(self, text, column, column);
}

void
spot_doc_lines(const spot_doc_t *self, const char *text)
{
    if (self->width > 0) {
        fputs(text, self->out);
        return;
    }
    fputs(".PP\n.nf\n", self->out);
    put_roff(self->out, text);
    fputs(".fi\n", self->out);
}

static void
put_field(const spot_doc_t *self, const spot_field_t *field, const char *name,
    const spot_node_t *value)
{
    char *type, *help, note[512];

    if (self->prefix != NULL) {
        if (strncmp(name, self->prefix, strlen(self->prefix)) == 0 &&
            strpbrk(name, "[K") == NULL) {
            fprintf(self->out, "%s=\n", name);
        }
        return;
    }
    type = spot_field_type_text(field);
    help = spot_field_help_text(field, value);
    if (type != NULL && help != NULL) {
        snprintf(note, sizeof(note), ": %s", type);
        spot_doc_item(self, name, note, help, SPOT_DOC_BELOW);
    }
    free(type);
    free(help);
}

/* The keys below a field, of the map that it has or may have. */
static const spot_field_t *
keys_below(const spot_field_t *field, const spot_node_t **node, const char **between)
{
    const spot_field_t *form = field;

    while (*node != NULL && form != NULL && form->type == SPOT_FIELD_ONE_OF) {
        form = spot_field_form(form, *node);
        if (form != NULL && form->name[0] != '\0') {
            return NULL;
        }
    }
    if (*node != NULL && form != NULL && form->table != NULL) {
        *between = ".";
        return form->table(*node);
    }
    if (*node != NULL && (*node)->kind != SPOT_NODE_MAP) {
        *node = NULL;
    }
    return spot_field_keys(field, between);
}

static void
put_fields(const spot_doc_t *self, const spot_field_t *field, const spot_field_t *until,
    const spot_node_t *map, const char *path)
{
    for (; field != NULL && field != until; field = spot_field_next(field)) {
        const spot_node_t *value = map == NULL ? NULL : spot_node_get(map, field->name);
        const char *between = "";
        const spot_field_t *keys;
        char name[128];

        snprintf(name, sizeof(name), "%s%s", path, field->name);
        put_field(self, field, name, value);
        keys = keys_below(field, &value, &between);
        if (keys != NULL && strlen(name) + strlen(between) < sizeof(name)) {
            strcat(name, between);
            put_fields(self, spot_field_first(keys), NULL,
                between[0] == '.' && between[1] == '\0' ? value : NULL, name);
        }
    }
}

void
spot_doc_fields(const spot_doc_t *self, const spot_field_t *field,
    const spot_field_t *until, const char *path)
{
    put_fields(self, field, until, NULL, path);
}

void
spot_doc_keys(const spot_doc_t *self, const spot_field_t *field, const spot_node_t *map,
    const char *path)
{
    put_fields(self, field, NULL, map, path);
}
