/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which value of a key wins where: what the key best of a study asks for. */
#ifndef SPOT_REPORTS_WINNER_REPORT_H
#define SPOT_REPORTS_WINNER_REPORT_H

#include "base/json.h"
#include "sim/store/winners.h"

/* A row for each combination of the other keys with the best value, the next one and by
 * how much it is ahead; then between which values the winner changes. Errors of
 * spot_winners_init(). */
SPOT_MUST_CHECK int spot_winner_table_write(const spot_store_t *store, FILE *out);

/* "best": the same. */
SPOT_MUST_CHECK int spot_winner_json(spot_json_t *json, const spot_store_t *store);

#endif
