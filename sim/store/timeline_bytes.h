/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A timeline as bytes, as the store on disk keeps it. All numbers are varints (see
 * base/bytes.h) unless said:
 *
 *   version (1)
 *   texts: note, title, height label, progress label
 *   number of categories, their names; number of kinds of marks, their names
 *   end in ms
 *   number of segments; of each: ms since the last one, the categories whose heights
 *     differ from the last one's (bit j: category j; all are 0 before the first), and
 *     these heights
 *   number of marks; of each: ms since the last one, kind, count (zigzag)
 *   number of points of the progress curve; of each: ms since the last one, value
 *
 * A text is its number of bytes and the bytes. A height or value that is whole and small
 * enough for a double to count is its zigzag plus 1; any other one is 0 and 8 bytes of
 * IEEE 754. Zigzag: 0, -1, 1, -2 ... as 0, 1, 2, 3 ... Internal to sim/store. */
#ifndef SPOT_SIM_STORE_TIMELINE_BYTES_H
#define SPOT_SIM_STORE_TIMELINE_BYTES_H

#include "base/bytes.h"
#include "sim/engine/timeline.h"

/* Of segments, marks and points of the curve, each. */
#define SPOT_TIMELINE_MAX_RECORDS (1 << 24)
#define SPOT_TIMELINE_MAX_MARK_KINDS 64
/* Later times are none: some 285,000 years, which a double counts. */
#define SPOT_TIMELINE_MAX_MS (INT64_C(1) << 53)

/* Appends the bytes. A text that is NULL comes back empty; colours are left out.
 * BAD_PARAM: times that are negative, fall, or are beyond the end (those of segments
 * grow, from 0 on); numbers that are not finite; more of anything than above;
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_timeline_write_bytes(
    const spot_timeline_t *self, spot_bytes_t *bytes);

/* Fills an initialised timeline, which owns its texts then. BAD_INPUT: the bytes are
 * none, they may come from a damaged file; NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_timeline_read_bytes(
    spot_timeline_t *self, const uint8_t *bytes, size_t num_bytes);

#endif
