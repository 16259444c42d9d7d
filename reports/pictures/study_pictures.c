/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pictures/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HOVER_CHARS 80 /* of the name of a point */

const spot_study_picture_t *const spot_study_pictures[] = {&spot_picture_curves,
    &spot_picture_ledger, &spot_picture_pareto, &spot_picture_differences,
    &spot_picture_sensitivity, NULL};

void
spot_picture_head(spot_chart_t *chart, const spot_study_picture_t *picture,
    const spot_report_t *report, const char *title, const char *more)
{
    char note[SPOT_NOTE_BYTES];
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    if (out != NULL) {
        picture->describe(report, out);
        if (fclose(out) == 0) {
            spot_chart_describe(chart, "%s", text);
        }
        free(text);
    }
    spot_chart_title(chart, "%c%s", toupper((unsigned char) title[0]),
        title[0] == '\0' ? "" : title + 1);
    if (more != NULL) {
        spot_study_run_words(report, note);
        spot_chart_note(chart, "%s%s", note, more);
    }
}

void
spot_picture_hover(const spot_report_t *report, size_t point_id,
    const spot_shown_unit_t *shown, double value, double low, double high,
    char text[SPOT_POINT_BYTES])
{
    char point[SPOT_POINT_BYTES], words[3][SPOT_LABEL_BYTES];
    const char *unit = shown->factor == 100 ? "" : shown->unit;

    spot_point_words(report->head, point_id, HOVER_CHARS, point);
    spot_value_words(shown, value, words[0]);
    spot_value_words(shown, low, words[1]);
    spot_value_words(shown, high, words[2]);
    snprintf(text, SPOT_POINT_BYTES,
        high > low ? "%.*s%s%s%s%s (%s to %s)" : "%.*s%s%s%s%s", SPOT_POINT_BYTES / 2,
        point, point[0] == '\0' ? "" : ": ", words[0], unit[0] == '\0' ? "" : " ", unit,
        words[1], words[2]);
}

spot_chart_axis_t
spot_picture_x_axis(
    const spot_study_head_t *head, size_t axis_id, char name[SPOT_WORDS_BYTES])
{
    static const char in_s[] = " (s)";
    const bool is_time = strcmp(head->axes[axis_id].unit, "s") == 0;
    size_t num_bytes;

    spot_x_words(head, axis_id, name);
    num_bytes = strlen(name);
    if (is_time && num_bytes >= strlen(in_s) &&
        strcmp(name + num_bytes - strlen(in_s), in_s) == 0) {
        name[num_bytes - strlen(in_s)] = '\0'; /* the scale chooses s, min, h or d */
    }
    return (spot_chart_axis_t){
        .name = name, .unit = is_time ? SPOT_CHART_S : SPOT_CHART_NUMBER};
}

size_t
spot_spread(size_t place, size_t num_shown, size_t num_all)
{
    return num_shown < 2
               ? (num_all - 1) / 2
               : (place * (num_all - 1) + (num_shown - 1) / 2) / (num_shown - 1);
}
