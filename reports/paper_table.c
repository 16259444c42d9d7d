/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/utf8.h"
#include "reports/point_table.h"
#include "reports/study_parts.h"
#include "reports/words.h"

#define QUESTION_CHARS 300 /* of a caption */

/* "How does idle time grow?", cut where it is long. */
static const char *question_of(const spot_study_head_t *head, spot_texts_t *texts)
{
    const char *title = spot_study_title(head);
    const size_t num_bytes = strlen(title);
    char *text = spot_texts_room(texts, num_bytes + 8);

    if (text == NULL) {
        return "";
    }
    memcpy(text, title, num_bytes);
    spot_utf8_cut(text, QUESTION_CHARS);
    return spot_texts_add(texts, "%s%s", text,
        num_bytes > 0 && strchr(".?!", title[num_bytes - 1]) != NULL ? "" : ".");
}

/* "Means", "Estimates" or "Differences to recovery checkpoint in the same replications;
 * means". */
static const char *content_of(
    const spot_study_head_t *head, bool is_difference, spot_texts_t *texts)
{
    const char *content = "Means";

    for (size_t j = 0; j < head->num_listed; j++) {
        if (spot_metric_estimator(&head->metrics[j]) != SPOT_ESTIMATOR_MEAN) {
            content = "Estimates";
        }
    }
    if (!is_difference) {
        return content;
    }
    return spot_texts_add(texts, "Differences to %s in the same replications; means",
        spot_words_baseline(texts, head, SPOT_POINTS_BY_WORDS));
}

static int write_table(
    const spot_report_t *report, const spot_table_dialect_t *dialect, bool is_difference, FILE *out)
{
    char file_name[SPOT_FILE_NAME_BYTES];
    spot_table_t table = {0};
    spot_texts_t *texts = &table.texts;
    int ret;

    spot_file_name(report->head->name, file_name);
    table.name = spot_texts_add(texts, "%s%s", file_name, is_difference ? "-differences" : "");
    table.caption = spot_texts_add(texts,
        "%s %s with half widths of their 95 %% confidence intervals; %s, seed %" PRIu64 ".",
        question_of(report->head, texts), content_of(report->head, is_difference, texts),
        spot_words_replications(texts, report), report->head->seed);
    spot_point_table_fill(
        &(spot_point_table_t){
            .report = report, .voice = SPOT_POINTS_BY_WORDS, .is_difference = is_difference},
        &table);
    ret = spot_table_write_paper(&table, dialect, out);
    spot_table_free(&table);
    return ret;
}

int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out)
{
    int ret;

    spot_table_write_preamble(dialect, out);
    ret = write_table(report, dialect, false, out);
    if (ret == 0 && report->pairs != NULL) {
        fputc('\n', out);
        ret = write_table(report, dialect, true, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int spot_paper_nothing_write(
    const spot_report_t *report, void (*write_text)(FILE *out, const char *text), FILE *out)
{
    spot_texts_t texts = {0};
    FILE *stream = spot_texts_begin(&texts);
    int ret = stream == NULL ? SPOT_ERR_NO_MEMORY : spot_answer_write(report, stream);

    write_text(out, spot_study_title(report->head));
    fputs("\n\n", out);
    write_text(out, spot_texts_end(&texts, stream));
    fputc('\n', out);
    ret = spot_error_first(ret, texts.error);
    spot_texts_free(&texts);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
