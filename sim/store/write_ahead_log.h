/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The write-ahead log that SQLite keeps beside a database that is in use, or whose users
 * were killed: as much of it as tells how to open the database. Internal to sim/store.
 * Format: sqlite.org/fileformat2.html, section 4.1. */
#ifndef SPOT_SIM_STORE_WRITE_AHEAD_LOG_H
#define SPOT_SIM_STORE_WRITE_AHEAD_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* The size in bytes of the file that is called as the database and an ending: "-wal" is
 * the log, "-shm" its index, which those share that have the database open. -1: there is
 * none. Where memory runs out it is taken to be there. */
int64_t spot_log_file_size(const char *database, const char *ending);

/* Whether the log is there and not empty, but has no transaction to its end: all is in
 * the database. So it lies where somebody was killed in the first transaction since
 * opening, and then its index is of an older log: SQLite 3.40 waits 10 s for somebody to
 * put that right where it may only read the index, and gives up. False where it cannot
 * be told. */
bool spot_log_is_unfinished(const char *database);

#endif
