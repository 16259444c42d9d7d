/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replications whose series the store keeps: one is shown at a time. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/page/page_timeline.h"
#include "reports/study_words.h"
#include "sim/store/series_rows.h"

/* Of all data: a run of some hours takes 6 kB, a month of a busy fleet 300 kB. */
#define MAX_BYTES 70000

static const char *
problem(const spot_page_t *page)
{
    return page->series->num_ids == 0 ? "the store keeps no series" : NULL;
}

/* The number of events of a run, 0 where nothing can be drawn. */
static int
count_events(const spot_page_t *page, const spot_series_id_t *id, size_t *num_events)
{
    spot_recording_t recording;
    spot_run_series_t run = {0};
    int ret = spot_store_read_series(
        page->report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, NULL);
    }
    *num_events =
        ret == 0 && run.events != NULL && spot_run_series_check(&run, NULL, NULL)
            ? run.events->num_rows
            : 0;
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* The run that is shown first: in the middle of those that had events, else the first.
 */
static int
choose_first(const spot_page_t *page, size_t *first_id)
{
    const spot_series_list_t *list = page->series;
    size_t *lively = spot_calloc(list->num_ids, sizeof(*lively)), num_lively = 0;
    int ret = lively == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < list->num_ids; j++) {
        size_t num_events;

        ret = count_events(page, &list->ids[j], &num_events);
        if (ret == 0 && num_events > 0) {
            lively[num_lively++] = j;
        }
    }
    *first_id = ret == 0 && num_lively > 0 ? lively[num_lively / 2] : 0;
    free(lively);
    return ret;
}

static int
write_one(const spot_page_t *page, const spot_series_id_t *id, bool is_first, FILE *out)
{
    const spot_store_t *store = page->report->store;
    char words[SPOT_POINT_BYTES], label[SPOT_POINT_BYTES + 64];
    const spot_page_timeline_style_t style = {label, page->source->path, false, 0};
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
        ret = is_first ? spot_page_timeline_write(&run, &style, out, page->diag)
                       : spot_page_timeline_data(&run, &style, out);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* Adds its bytes to *num_bytes. */
static int
add_one(const spot_page_t *page, const spot_series_id_t *id, bool is_first,
    size_t *num_bytes)
{
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    ret = spot_page_text_end(&text, write_one(page, id, is_first, text.stream));
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
    const char *before =
        "<details>\n<summary>What is shown</summary>\n<p>Runs over time: ";
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
    fputs(before[0] == ';' ? ".</p>\n</details>\n" : "", page->out);
    spot_recording_free(&recording);
    return ret;
}

static int
write(const spot_page_t *page)
{
    const spot_series_list_t *list = page->series;
    size_t num_written = 0, num_bytes = 0, first_id = 0;
    int ret = write_intro(page);

    if (ret == 0) {
        ret = choose_first(page, &first_id);
    }
    fputs("<div class=\"timelines\">\n", page->out);
    if (ret == 0) {
        ret = add_one(page, &list->ids[first_id], true, &num_bytes);
        num_written++;
    }
    for (size_t j = 0; ret == 0 && j < list->num_ids && num_bytes < MAX_BYTES; j++) {
        if (j != first_id) {
            ret = add_one(page, &list->ids[j], false, &num_bytes);
            num_written++;
        }
    }
    fputs("</div>\n", page->out);
    if (num_written < list->num_ids) {
        fprintf(page->out,
            "<p class=\"note\">The page has %zu of %zu runs whose series the store "
            "keeps; <code>spotsim run --set KEY=VALUE --replication R --plot "
            "run.html</code> makes a page of another one.</p>\n",
            num_written, list->num_ids);
    }
    return ret;
}

const spot_page_part_t spot_page_timelines = {
    "timelines", "Single runs over time", problem, write};
