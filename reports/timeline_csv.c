/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_csv.h"

#include "base/csv_field.h"
#include "base/units.h"

static void
write_row(FILE *out, int64_t time_ms, const char *kind, const char *name, double value)
{
    fprintf(out, "%.3f,%s,", (double) time_ms / (double) SPOT_MS_PER_S, kind);
    spot_csv_field_text(out, name);
    spot_csv_field_number(out, value);
    fputc('\n', out);
}

static void
write_levels(const spot_timeline_t *timeline, FILE *out)
{
    const spot_timeline_segment_t *last = NULL;

    for (size_t j = 0; j < timeline->num_segments; j++) {
        const spot_timeline_segment_t *segment = &timeline->segments[j];

        for (size_t k = 0; k < timeline->num_categories; k++) {
            const double height = segment->heights[k];

            if (last == NULL || height < last->heights[k] || height > last->heights[k]) {
                write_row(out, segment->start_ms, "level", timeline->category_names[k],
                    height);
            }
        }
        last = segment;
    }
}

int
spot_timeline_csv_write(const spot_timeline_t *timeline, FILE *out)
{
    fputs("time_s,kind,name,value\n", out);
    write_levels(timeline, out);
    for (size_t j = 0; j < timeline->num_marks; j++) {
        const spot_timeline_mark_t *mark = &timeline->marks[j];

        write_row(out, mark->time_ms, "mark", timeline->mark_names[mark->mark_kind],
            (double) mark->count);
    }
    for (size_t j = 0; j < timeline->num_progress; j++) {
        write_row(out, timeline->progress[j].time_ms, "progress",
            timeline->progress_label, timeline->progress[j].value);
    }
    write_row(out, timeline->end_ms, "end", "", 0);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
