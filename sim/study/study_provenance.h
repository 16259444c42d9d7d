/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of a study depend on and where they were made, for its store. */
#ifndef SPOT_SIM_STUDY_STUDY_PROVENANCE_H
#define SPOT_SIM_STUDY_STUDY_PROVENANCE_H

#include "base/canonical.h"
#include "sim/store/provenance.h"
#include "sim/study/study.h"

/* Lists what the rows depend on: the scenario without its name and the swept keys, the
 * files that it names, and the seed, metrics and swept keys of the study. The numbers of
 * points and replications and the form of reports are not in the list. Zero *list to
 * start; NO_MEMORY; free it even then. */
SPOT_MUST_CHECK int spot_study_canonical(
    const spot_study_t *self, spot_canonical_t *list);

/* A provenance that owns its texts. */
typedef struct {
    spot_provenance_t provenance;
    char *canonical;
    char sha256[SPOT_SHA256_TEXT_BYTES];
    char *texts; /* the libraries, the machine and the command line */
} spot_study_provenance_t;

/* argv: [argc] the command. The caller fills in threads and shard. NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_study_provenance_init(spot_study_provenance_t *self,
    const spot_study_t *study, int argc, char *const *argv);
void spot_study_provenance_free(spot_study_provenance_t *self);

#endif
