/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/picture_files.h"
#include "reports/point_table.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#include <stdlib.h>

#define QUESTION_CHARS 300 /* of a caption */

/* "How does idle time grow? ", cut where it is long. NO_MEMORY. */
static int
write_question(const spot_study_head_t *head, FILE *out)
{
    const char *title = spot_study_title(head);
    const size_t num_bytes = strlen(title);
    char *text = spot_calloc(num_bytes + 8, 1);

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(text, title, num_bytes);
    spot_utf8_cut(text, QUESTION_CHARS);
    fprintf(out, "%s%s ", text,
        num_bytes > 0 && strchr(".?!", title[num_bytes - 1]) != NULL ? "" : ".");
    free(text);
    return 0;
}

static bool
has_means_alone(const spot_study_head_t *head)
{
    for (size_t j = 0; j < head->num_listed; j++) {
        if (spot_metric_estimator(&head->metrics[j]) != SPOT_ESTIMATOR_MEAN) {
            return false;
        }
    }
    return true;
}

static int
write_caption(const spot_report_t *report, bool is_difference, FILE *out)
{
    const spot_study_head_t *head = report->head;
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];
    const int ret = write_question(head, out);

    if (is_difference) {
        for (size_t j = 0; j <= head->num_more_baselines; j++) {
            const spot_axis_value_t value = spot_study_baseline(head, j);
            const spot_axis_t *axis = &head->axes[value.axis_id];

            spot_key_words(axis, words);
            fprintf(out, "%s%s %s", j == 0 ? "Differences to " : ", ", words,
                spot_value_label(axis, value.value_id, label));
        }
        fputs(" in the same replications; means", out);
    } else {
        fputs(has_means_alone(head) ? "Means" : "Estimates", out);
    }
    spot_replications_words(head, report->min_rows, report->max_rows, words);
    fprintf(out,
        " with half widths of their 95 %% confidence intervals; %s, seed %" PRIu64 ".",
        words, head->seed);
    return ret;
}

static int
write_table(const spot_report_t *report, const spot_table_dialect_t *dialect,
    bool is_difference, FILE *out)
{
    char file_name[SPOT_PICTURE_NAME_BYTES], name[SPOT_PICTURE_NAME_BYTES + 16];
    spot_table_t table = {.name = name};
    FILE *caption = spot_table_begin_text(&table);
    int ret = caption == NULL ? 0 : write_caption(report, is_difference, caption);

    spot_table_end_caption(&table, caption);
    spot_picture_file_name(report->head->name, file_name);
    snprintf(name, sizeof(name), "%s%s", file_name, is_difference ? "-differences" : "");
    if (ret == 0) {
        spot_point_table_fill(&(spot_point_table_t){.report = report,
                                  .voice = SPOT_POINTS_BY_WORDS,
                                  .is_difference = is_difference},
            &table);
        ret = spot_table_write_paper(&table, dialect, out);
    }
    spot_table_free(&table);
    return ret;
}

int
spot_paper_table_write(
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
