/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which value of a key wins where: what the key best of a study asks for. */
#ifndef SPOT_REPORTS_WINNER_REPORT_H
#define SPOT_REPORTS_WINNER_REPORT_H

#include "base/json.h"
#include "reports/value_label.h"
#include "sim/analysis/winners.h"

/* A row for each combination of the other keys with the best value, the next one and by
 * how much it is ahead; then between which values the winner changes. Errors of
 * spot_winners_init(). */
SPOT_MUST_CHECK int spot_winner_table_write(const spot_store_t *store, FILE *out);

/* What the table is made of. Texts are plain, without an end of line. */
enum {
    SPOT_WINNER_BEST,
    SPOT_WINNER_MEAN,
    SPOT_WINNER_NEXT,
    SPOT_WINNER_LEAD,
    SPOT_WINNER_COLUMNS
};

/* A cell of a row, or of the head with winner NULL. place: an axis, or num_axes and one
 * of the columns; "-" where nobody competes. Returns text; NULL: the key that is best
 * has no column of its own. */
const char *spot_winner_cell(const spot_winners_t *winners, const spot_winner_t *winner,
    size_t place, char text[SPOT_VALUE_LABEL_BYTES]);

/* "best recovery: the highest samples_per_usd; without ideal". */
void spot_winner_title_write(const spot_study_head_t *head, FILE *out);

/* "not measured, so without bamboo (steps follow from step_factor)", after before.
 * Returns false, and writes nothing, where all was measured. */
bool spot_winner_unmeasured_write(
    const spot_study_head_t *head, const char *before, FILE *out);

/* "between trace.preemption.per_minute = 0.2 and 0.25, about 0.221, checkpoint gives way
 * to on-demand". */
void spot_winner_crossing_write(
    const spot_winners_t *winners, const spot_crossing_t *crossing, FILE *out);

/* What the mark of those ahead of all others says. */
void spot_winner_mark_write(FILE *out);

/* "best": the same. */
SPOT_MUST_CHECK int spot_winner_json(spot_json_t *json, const spot_store_t *store);

#endif
