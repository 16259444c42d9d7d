/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as aligned text that fits the width of a terminal. */
#pragma once

#include <stdio.h>

#include "base/verb/table.h"

/* One line a row. Prose goes on several lines where room is short; columns that do not
 * fit beside the others follow in a block below with the keys again; where not even one
 * fits beside the keys, each row is a block of "name  value". No line is wider than the
 * terminal unless a single word or number is. Control characters are shown as \xHH.
 * Caption before, notes behind. Error of the table, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_table_write_terminal(
    const spot_table_t *self, const spot_terminal_t *terminal, FILE *out);
