/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which value of a key wins where: what the key best of a study asks for. */
#pragma once

#include "base/json.h"
#include "reports/point_table.h"
#include "reports/value_label.h"
#include "sim/analysis/winners.h"

/* A row for each combination of the other keys with the best value, the next one and by
 * how much it is ahead; then between which values the winner changes. Errors of
 * spot_winners_init(), NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_winner_table_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

/* That table, of the first max_rows of them. */
void spot_winner_table_fill(const spot_winners_t *winners, spot_point_voice_t voice,
    size_t max_rows, spot_table_t *table);

/* Texts of the table are plain, without an end of line. */

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

/* "best": the same. */
SPOT_MUST_CHECK int spot_winner_json(spot_json_t *json, const spot_store_t *store);
