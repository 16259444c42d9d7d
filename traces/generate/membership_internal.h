/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files of spot_membership_t share: changes as they are made, and ahead. */
#pragma once

#include "traces/generate/membership.h"

/* Starts the generator, whose changes are made from the first one on. */
void spot_membership_start_making(spot_membership_t *self);

/* Which of events comes next; at INT64_MAX: none does. */
size_t spot_membership_next_event(spot_membership_t *self);

/* Carries out the next event; false: there is none. */
bool spot_membership_make(spot_membership_t *self, spot_change_t *change);

/* Notes the instances at time 0 on the tape; false: it has no room for them. */
bool spot_membership_begin_tape(spot_membership_t *self);

/* Makes the changes of the tape that others have made, and some more. A tape that is
 * full is left there: the rest is met as it is made. */
void spot_membership_extend_tape(spot_membership_t *self);
