/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the slow twin need of each other. */
#pragma once

#include "tests/unit/serve/serve_twin.h"

/* By phase: up to TWIN_DELIVER, up to TWIN_LAUNCHED, the rest. */
enum {
    TWIN_SOURCE,
    TWIN_RETURN,
    TWIN_FREE,
    TWIN_DELIVER,
    TWIN_NOTICE,
    TWIN_PREEMPT,
    TWIN_READY,
    TWIN_LAUNCHED,
    TWIN_DISPATCH,
    TWIN_TAKE
};

/* ---- serve_twin.c: events ---- */

twin_event_t *twin_schedule(
    twin_t *self, int32_t kind, int64_t time_ns, int32_t stage_id, int32_t slot);
void twin_cancel(twin_t *self, int32_t kind, int32_t stage_id, int32_t slot);
const spot_stage_option_t *twin_option(const twin_t *self, int32_t stage_id);
const spot_service_time_t *twin_time(const twin_t *self, int32_t stage_id);

/* ---- serve_twin_flow.c: queries ---- */

void twin_mark(twin_t *self, int32_t stage_id);
void twin_open_span(const twin_t *self, twin_stage_t *stage, int32_t slot, bool is_serving);
void twin_close_span(const twin_t *self, size_t num_spans, twin_span_t *spans, int32_t owner);
void twin_insert(twin_t *self, int32_t stage_id, int32_t place, int32_t id);
void twin_lose(twin_t *self, int32_t id);
void twin_hand_on(twin_t *self, size_t num_children, const spot_serve_pipeline_link_t *children,
    int32_t num_ids, const int32_t *ids);
void twin_deliver(twin_t *self, int32_t stage_id, int32_t num_ids, const int32_t *ids);
void twin_see_dispatch(twin_t *self, int32_t stage_id);
void twin_see_take(twin_t *self, int32_t stage_id, int32_t slot);

/* ---- serve_twin_fleet.c: replicas ---- */

void twin_see_return(twin_t *self, int32_t stage_id, int32_t slot_id);
void twin_see_notice(twin_t *self, int32_t stage_id, int32_t slot_id, int64_t preempted_ns);
void twin_see_preemption(twin_t *self, int32_t stage_id, int32_t slot_id);
void twin_see_ready(twin_t *self, int32_t stage_id, int32_t slot_id);
void twin_see_launched(twin_t *self, int32_t stage_id, int32_t slot_id);
