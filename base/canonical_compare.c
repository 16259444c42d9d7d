/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/canonical_internal.h"

typedef struct {
    const spot_canonical_t *is; /* the later one of the two */
    const char *place;
    spot_diag_t *diag;
    size_t num_differences;
} comparison_t;

static bool is_file(const spot_canonical_entry_t *entry)
{
    return spot_canonical_is_within(entry->path, SPOT_CANONICAL_FILES);
}

/* The key whose value is the name of a file, or NULL if only another file names it. */
static const char *key_of_file(const spot_canonical_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_entries; j++) {
        if (!is_file(&self->entries[j]) && strcmp(self->entries[j].text, name) == 0) {
            return self->entries[j].path;
        }
    }
    return NULL;
}

static void report_file(comparison_t *self, const spot_canonical_entry_t *entry)
{
    const char *part = entry->path + sizeof(SPOT_CANONICAL_FILES);
    char *text = spot_canonical_key_text(part, strlen(part));
    char *name = text == NULL ? NULL : spot_canonical_scalar(text, true);
    const char *key = name == NULL ? NULL : key_of_file(self->is, name);

    if (key != NULL) {
        spot_diag_error(
            self->diag, self->place, 0, 0, "%s: its content has changed (%s)", key, name);
    } else {
        spot_diag_error(self->diag, self->place, 0, 0, "%s: its content has changed",
            name == NULL ? entry->path : name);
    }
    free(text);
    free(name);
}

static const char *shown(const spot_canonical_entry_t *entry)
{
    if (entry == NULL) {
        return "not set";
    }
    return entry->text[0] == '\0' ? "nothing" : entry->text;
}

/* One of was and is may be NULL: not set. A file that only one list has is no
 * difference. */
static void compare_entries(
    comparison_t *self, const spot_canonical_entry_t *was, const spot_canonical_entry_t *is)
{
    const spot_canonical_entry_t *entry = was == NULL ? is : was;

    if (was != NULL && is != NULL && strcmp(was->text, is->text) == 0) {
        return;
    }
    if (!is_file(entry)) {
        spot_diag_error(
            self->diag, self->place, 0, 0, "%s was %s, is %s", entry->path, shown(was), shown(is));
        self->num_differences++;
    } else if (was != NULL && is != NULL) {
        report_file(self, entry);
        self->num_differences++;
    }
}

size_t spot_canonical_compare(
    const spot_canonical_t *was, const spot_canonical_t *is, const char *place, spot_diag_t *diag)
{
    comparison_t self = {.is = is, .place = place, .diag = diag};
    size_t was_id = 0, is_id = 0;

    while (was_id < was->num_entries || is_id < is->num_entries) {
        const int order =
            was_id == was->num_entries ? 1
            : is_id == is->num_entries
                ? -1
                : spot_canonical_compare_paths(was->entries[was_id].path, is->entries[is_id].path);

        compare_entries(&self, order > 0 ? NULL : &was->entries[was_id],
            order < 0 ? NULL : &is->entries[is_id]);
        was_id += order <= 0;
        is_id += order >= 0;
    }
    return self.num_differences;
}
