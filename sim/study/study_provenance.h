/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of a study depend on and where they were made, for its store. */
#ifndef SPOT_SIM_STUDY_STUDY_PROVENANCE_H
#define SPOT_SIM_STUDY_STUDY_PROVENANCE_H

#include "base/inputs.h"
#include "sim/store/provenance.h"
#include "sim/study/study.h"

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
