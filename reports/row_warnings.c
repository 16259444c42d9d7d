/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/row_warnings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "reports/unable.h"

_Static_assert(SPOT_MAX_WARNINGS <= 26, "a letter for each warning");

int64_t
spot_warning_count(const spot_store_t *store, size_t warning_id)
{
    int64_t num_warned = 0;

    for (size_t j = 0; j < store->head->num_points; j++) {
        num_warned += store->num_warned(store, j, warning_id);
    }
    return num_warned;
}

/* Letters go to those that were met, so that the first one is always a. */
char
spot_warning_letter(const spot_store_t *store, size_t warning_id)
{
    int num_before = 0;

    for (size_t j = 0; j < warning_id; j++) {
        num_before += spot_warning_count(store, j) > 0;
    }
    return (char) ('a' + num_before);
}

int
spot_row_marks(const spot_store_t *store, spot_row_marks_t **marks)
{
    const spot_study_head_t *head = store->head;

    *marks = NULL;
    for (size_t j = 0; j < head->num_warnings; j++) {
        const char letter = spot_warning_letter(store, j);

        if (spot_warning_count(store, j) == 0) {
            continue;
        }
        if (*marks == NULL) {
            *marks = spot_calloc(head->num_points, sizeof(**marks));
        }
        if (*marks == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        for (size_t k = 0; k < head->num_points; k++) {
            if (store->num_warned(store, k, j) > 0) {
                char *mark = (*marks)[k].letters;

                while (*mark != '\0') {
                    mark++;
                }
                *mark = letter;
            }
        }
    }
    return 0;
}

void
spot_point_warnings_json(spot_json_t *json, const spot_store_t *store, size_t point_id)
{
    const spot_study_head_t *head = store->head;

    spot_json_open(json, "warnings", '{');
    for (size_t j = 0; j < head->num_warnings; j++) {
        const int64_t num_warned = store->num_warned(store, point_id, j);

        if (num_warned > 0) {
            spot_json_integer(json, head->warnings[j].name, num_warned);
        }
    }
    spot_json_close(json, '}');
}

/* The names of the warnings that have a count, and with has_counts that behind them.
 * counts: [num_warnings]. */
static int
write_csv(
    const spot_study_head_t *head, const int64_t *counts, bool has_counts, FILE *out)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    const char *before = "";

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_warnings; j++) {
        if (counts[j] > 0) {
            fprintf(stream, "%s%s", before, head->warnings[j].name);
            before = ";";
        }
        if (counts[j] > 0 && has_counts) {
            fprintf(stream, ":%" PRId64, counts[j]);
        }
    }
    if (fclose(stream) != 0) {
        free(text);
        return SPOT_ERR_NO_MEMORY;
    }
    spot_csv_field_text(out, text);
    free(text);
    return 0;
}

int
spot_point_warnings_csv(const spot_store_t *store, size_t point_id, FILE *out)
{
    const char *cannot_run = spot_study_cannot_run(store->head, point_id);
    int64_t counts[SPOT_MAX_WARNINGS] = {0};

    if (cannot_run != NULL) {
        char text[SPOT_UNABLE_BYTES];

        snprintf(text, sizeof(text), "cannot run: %s", cannot_run);
        spot_csv_field_text(out, text);
        return 0;
    }
    for (size_t j = 0; j < store->head->num_warnings; j++) {
        counts[j] = store->num_warned(store, point_id, j);
    }
    return write_csv(store->head, counts, true, out);
}

int
spot_row_warnings_csv(const spot_study_head_t *head, uint32_t mask, FILE *out)
{
    int64_t counts[SPOT_MAX_WARNINGS] = {0};

    for (size_t j = 0; j < head->num_warnings; j++) {
        counts[j] = mask >> j & 1;
    }
    return write_csv(head, counts, false, out);
}
