/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of recovery systems, one line each. Plug-ins of share/published repeat published
 * programs, faults included: they are systems of their own, or stand in the place of a
 * system and add options to it. Built with SPOT_PUBLISHED off, the list names what they
 * have, so that a scenario that asks for it is told. A file of its own, since tests are built with
 * other lists. */
#include "sim/train/recovery/recovery.h"

#ifdef SPOT_PUBLISHED
extern const spot_recovery_t spot_recovery_bamboo;
extern const spot_recovery_t spot_recovery_parcae_throughput;
extern const spot_recovery_t spot_published_oobleck;
extern const spot_recovery_t spot_published_varuna;
#endif

/* A system of the user's own: the CMake option of that name. */
#ifdef SPOT_EXTRA_RECOVERY
extern const spot_recovery_t SPOT_EXTRA_RECOVERY;
#endif

const spot_recovery_t *const spot_recovery_systems[] = {
#ifdef SPOT_PUBLISHED
    &spot_recovery_bamboo,
#endif
    &spot_recovery_checkpoint,
    &spot_recovery_gemini,
    &spot_recovery_ideal,
    &spot_recovery_on_demand,
#ifdef SPOT_PUBLISHED
    &spot_published_oobleck,
#else
    &spot_recovery_oobleck,
#endif
    &spot_recovery_parcae,
#ifdef SPOT_PUBLISHED
    &spot_recovery_parcae_throughput,
#endif
    &spot_recovery_recycle,
#ifdef SPOT_PUBLISHED
    &spot_published_varuna,
#else
    &spot_recovery_varuna,
#endif
#ifdef SPOT_EXTRA_RECOVERY
    &SPOT_EXTRA_RECOVERY,
#endif
    NULL,
};

const spot_left_out_t spot_recovery_left_out[] = {
#ifndef SPOT_PUBLISHED
    {"bamboo", NULL},
    {"oobleck", "trains_in_pause"},
    {"oobleck", "short_pauses"},
    {"oobleck", "stale_timers"},
    {"oobleck", "idle_losses_pause"},
    {"parcae-throughput", NULL},
    {"varuna", "fault_steps_in_pause"},
    {"varuna", "fault_one_counter"},
    {"varuna", "fault_failing_checkpoints"},
    {"varuna", "fault_deep_failures"},
    {"varuna", "fault_old_pauses"},
    {"varuna", "fault_stale_timers"},
    {"varuna", "fault_idle_losses_pause"},
    {"varuna", "fault_first_restart"},
#endif
    {NULL, NULL},
};
