/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The write-ahead log that SQLite keeps beside a database that is in use, or whose users
 * were killed: as much of it as tells how to open the database. Internal to sim/store.
 * Format: sqlite.org/fileformat2.html, section 4.1. */
#ifndef SPOT_SIM_STORE_WRITE_AHEAD_LOG_H
#define SPOT_SIM_STORE_WRITE_AHEAD_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* The size in bytes of the log, the file "-wal" beside the database; -1: there is none,
 * or none with a transaction to its end, and all is in the database. A log without one
 * lies where somebody was killed in the first transaction since opening, and then its
 * index is of an older log: SQLite 3.40 waits 10 s for somebody to put that right where
 * it may only read the index, and gives up. Where memory runs out the log is taken to be
 * there, and where it cannot be read to be whole. */
int64_t spot_log_size(const char *database);

/* Whether the index of the log is there, the file "-shm", which those share that have
 * the database open. Where memory runs out it is taken to be there. */
bool spot_log_has_index(const char *database);

#endif
