/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_nothing.h"

#include <stdlib.h>

#include "reports/answer.h"
#include "reports/study_words.h"

int
spot_paper_nothing_write(const spot_report_t *report,
    void (*write_text)(FILE *out, const char *text), FILE *out)
{
    char *answer = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&answer, &num_bytes);
    int ret;

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_answer_write(report, stream);
    if (fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        write_text(out, spot_study_title(report->head));
        fputs("\n\n", out);
        write_text(out, answer);
        fputc('\n', out);
    }
    free(answer);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
