/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and the manual, made from the tables that parse the command line and the YAML.
 *
 * Holds the verbs that list what can be written (help, keys, engine, recovery), the overview,
 * and the manual pages of `spotsim help --man`, whose texts are in cli/manual/. Help with one
 * verb is in cli/command.h. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "reports/help.h"

/* The name of the j-th engine, or NULL behind the last. */
const char *spot_manual_engine_name(size_t j);

/* Lists the keys of the scenario at path, of its engine and of all that it chooses, with
 * its values; of a study those of its scenario, then its own. BAD_INPUT, IO with the
 * reasons in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_manual_keys(const spot_help_t *doc, const char *path, spot_diag_t *diag);

/* The name of the j-th topic, or NULL behind the last. */
const char *spot_manual_topic_name(size_t j);

/* What "spotsim --help" prints. */
void spot_manual_overview(FILE *out);

/* The verbs whose first word of two is that, such as "trace"; false: there are none.
 */
bool spot_manual_group(const char *word, FILE *out);
