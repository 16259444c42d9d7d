/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replications whose series the store keeps: one is shown at a time, all of them
 * where no script runs. */
#include <inttypes.h>

#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/page/page_timeline.h"
#include "reports/study_words.h"
#include "sim/store/series_rows.h"

/* A month of a busy fleet takes 300 kB. */
#define MAX_BYTES (2 << 20)
#define MAX_TIMELINES 64

/* A picture takes 0.2 s and up to 100 kB; the script draws all of them. */
#define MAX_DRAWN 1

static const char *
problem(const spot_page_t *page)
{
    return page->series->num_ids == 0 ? "the store keeps no series" : NULL;
}

static int
write_one(const spot_page_t *page, const spot_series_id_t *id, bool is_drawn, FILE *out)
{
    const spot_store_t *store = page->report->store;
    char words[SPOT_POINT_BYTES], label[SPOT_POINT_BYTES + 64];
    spot_recording_t recording;
    spot_run_series_t run = {0};
    int ret = spot_store_read_series(store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, page->head->colours);
    }
    if (ret == 0 && spot_run_series_check(&run, NULL, NULL)) {
        spot_point_words(page->head, id->point_id, 120, words);
        snprintf(label, sizeof(label), "%s%sreplication %" PRId64, words,
            words[0] == '\0' ? "" : ", ", id->replication);
        ret = spot_page_timeline_write(&run,
            &(spot_page_timeline_style_t){label, page->source->path, is_drawn, 0}, out,
            page->diag);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* Adds its bytes to *num_bytes: those of a page that goes to a pipe cannot be asked for.
 */
static int
add_one(const spot_page_t *page, const spot_series_id_t *id, bool is_drawn,
    size_t *num_bytes)
{
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    ret = spot_page_text_end(&text, write_one(page, id, is_drawn, text.stream));
    if (ret == 0) {
        fwrite(text.text, 1, text.num_bytes, page->out);
        *num_bytes += text.num_bytes;
    }
    spot_page_text_free(&text);
    return ret;
}

/* What the first run shows, in the words of its series. */
static int
write_intro(const spot_page_t *page)
{
    const spot_series_id_t *id = &page->series->ids[0];
    const char *before = "<p>Single runs over time: ";
    spot_recording_t recording;
    const int ret = spot_store_read_series(
        page->report->store, id->point_id, id->replication, &recording);

    for (size_t j = 0; ret == 0 && j < recording.num_series; j++) {
        if (recording.series[j].kind->shape != SPOT_SERIES_TABLE) {
            fputs(before, page->out);
            spot_html_text(page->out, recording.series[j].kind->help);
            before = "; ";
        }
    }
    fputs(before[0] == ';' ? ". Drag over a stretch to see more of it.</p>\n" : "",
        page->out);
    spot_recording_free(&recording);
    return ret;
}

static int
write(const spot_page_t *page)
{
    const spot_series_list_t *list = page->series;
    size_t num_written = 0, num_bytes = 0;
    int ret = write_intro(page);

    fputs("<div class=\"timelines\">\n", page->out);
    while (ret == 0 && num_written < list->num_ids && num_written < MAX_TIMELINES &&
           num_bytes < MAX_BYTES) {
        ret =
            add_one(page, &list->ids[num_written], num_written < MAX_DRAWN, &num_bytes);
        num_written++;
    }
    fputs("</div>\n", page->out);
    if (num_written < list->num_ids) {
        fprintf(page->out,
            "<p class=\"note\">The first %zu of %zu runs whose series the store "
            "keeps.</p>\n",
            num_written, list->num_ids);
    }
    return ret;
}

const spot_page_part_t spot_page_timelines = {
    "timelines", "Single runs over time", problem, write};
