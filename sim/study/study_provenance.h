/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of a study depend on, and where they are made: what its store notes. */
#ifndef SPOT_SIM_STUDY_STUDY_PROVENANCE_H
#define SPOT_SIM_STUDY_STUDY_PROVENANCE_H

#include "base/canonical.h"
#include "sim/store/provenance.h"
#include "sim/study/study.h"

/* What the rows depend on: the scenario without the swept keys, the files that it names,
 * and of the study its name, seed, metrics, swept keys and what is kept. How many points
 * and replications there are is not part of it, nor how they are shown. inputs: the
 * journal of spot_study_read(), named. Zero *list to start; NO_MEMORY; free it even
 * then. */
SPOT_MUST_CHECK int spot_study_canonical(
    const spot_study_t *self, const spot_inputs_t *inputs, spot_canonical_t *list);

/* A provenance that owns its texts. */
typedef struct {
    spot_provenance_t provenance;
    char *canonical;
    char sha256[SPOT_SHA256_TEXT_BYTES];
    char *libraries;
    char *machine;
    char *command_line;
} spot_study_provenance_t;

/* argv: [argc] the command. shard: "I/N" or "". NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_study_provenance_init(spot_study_provenance_t *self,
    const spot_study_t *study, const spot_inputs_t *inputs, int argc, char *const *argv);
void spot_study_provenance_free(spot_study_provenance_t *self);

#endif
