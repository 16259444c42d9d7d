/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that writes: transactions of what has gathered in the queue. A transaction
 * is never open while the thread waits. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sim/store/store_sqlite_internal.h"

/* A process without work says at least this often that it is alive. */
#define NOTE_PIECES 20 /* waits of the queue */

/* How long a run that is stopped still waits for a lock: other spotsims hold it for
 * less. */
#define STOP_S 5
#define MAX_PAUSE_MS 50 /* between two tries */

/* As text of a format, and as text. */
#define NOW_TEXT "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
#define NOW "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now')"

/* Changes what is noted of this process, and the digest of it. */
static int
note(spot_sqlite_work_t *self, const char *ended, const char *outcome, int64_t num_added)
{
    return spot_db_run(&self->db,
        "UPDATE provenance SET seen = " NOW ", ended = %s, outcome = %Q, rows_added = "
        "%lld WHERE writer = %Q;"
        "UPDATE provenance SET digest = " SPOT_PROVENANCE_DIGEST " WHERE writer = %Q",
        ended, outcome, (long long) num_added, self->writer, self->writer);
}

int
spot_sqlite_enter(spot_sqlite_work_t *self, const spot_provenance_t *provenance)
{
    unsigned char name[16];
    int ret;

    sqlite3_randomness(sizeof(name), name);
    for (size_t j = 0; j < sizeof(name); j++) {
        snprintf(&self->writer[2 * j], 3, "%02x", name[j]);
    }
    ret = spot_db_run(&self->db,
        "INSERT INTO provenance VALUES (%Q, %lld, " NOW ", " NOW
        ", NULL, NULL, 0, %Q, %Q, %Q, %Q, %Q, %Q, %Q, %lld, %Q, 0)",
        self->writer, (long long) getpid(), provenance->canonical_sha256,
        provenance->version, provenance->commit, provenance->compiler,
        provenance->libraries, provenance->machine, provenance->command_line,
        (long long) provenance->num_threads, provenance->shard);
    return ret == 0 ? note(self, "NULL", NULL, 0) : ret;
}

static int
write_piece(spot_sqlite_work_t *self, const spot_queued_t *piece)
{
    const int64_t first = piece->first_replication;
    const spot_rows_t rows = {
        .number = self->there.numbers[piece->point_id],
        .batch_first = first - first % self->there.batch_size,
        .first = first,
        .num_rows = piece->num_rows,
        .rows = piece->rows,
        .warnings = piece->warnings,
    };

    return piece->num_rows == 0
               ? spot_series_write(&self->db, rows.number, first, piece->recording)
               : spot_row_writer_add(&self->rows, &self->db, &rows);
}

/* Pieces from the first of the queue on. With none of them: a sign of life. */
static int
write_pieces(spot_sqlite_work_t *self, size_t num_pieces)
{
    const spot_queue_t *queue = &self->queue;
    int64_t num_added = self->num_added;
    int ret = spot_db_run(&self->db, "BEGIN IMMEDIATE");

    if (ret != 0) {
        return ret;
    }
    ret = spot_db_check_place(&self->db);
    for (size_t j = 0; ret == 0 && j < num_pieces; j++) {
        const spot_queued_t *piece =
            &queue->slots[(queue->first + j) % queue->num_slots];

        ret = write_piece(self, piece);
        num_added += (int64_t) piece->num_rows;
    }
    if (ret == 0) {
        ret = note(self, "NULL", NULL, num_added);
    }
    ret = spot_db_end(&self->db, ret);
    if (ret == 0) {
        self->num_added = num_added;
    }
    return ret;
}

static void *
write_all(void *context)
{
    spot_sqlite_work_t *self = context;
    spot_queue_t *queue = &self->queue;
    int num_waits = 0;
    int ret = 0;

    pthread_mutex_lock(&queue->lock);
    while (ret == 0) {
        const size_t num_pieces = spot_queue_take(queue);

        if (num_pieces == 0 && queue->is_closing) {
            break;
        }
        num_waits = num_pieces == 0 ? num_waits + 1 : 0;
        if (num_pieces == 0 && num_waits % NOTE_PIECES != 0) {
            continue;
        }
        pthread_mutex_unlock(&queue->lock);
        ret = write_pieces(self, num_pieces);
        pthread_mutex_lock(&queue->lock);
        if (ret == 0) {
            spot_queue_pop(queue, num_pieces);
        } else {
            spot_queue_fail(queue, ret);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* Whether to try once more to get a lock that another holds. */
static int
wait_for_lock(void *context, int num_tries)
{
    spot_sqlite_work_t *self = context;
    const atomic_int *stop = atomic_load(&self->store->stop);
    const struct timespec pause = {
        .tv_nsec = 1000000L * (num_tries < MAX_PAUSE_MS ? num_tries + 1 : MAX_PAUSE_MS)};
    const double now_s = spot_clock_s();

    if (num_tries == 0) {
        self->wait_started_s = now_s;
        self->stop_seen_s = 0;
    }
    if (self->stop_seen_s == 0 && stop != NULL && atomic_load(stop) != 0) {
        self->stop_seen_s = now_s;
    }
    if (now_s - self->wait_started_s > self->timeout_s ||
        (self->stop_seen_s > 0 && now_s - self->stop_seen_s > STOP_S)) {
        return 0;
    }
    nanosleep(&pause, NULL);
    return 1;
}

int
spot_sqlite_writer_start(
    spot_sqlite_work_t *self, const spot_store_t *store, double timeout_s)
{
    int ret = spot_row_writer_init(&self->rows, &self->db, &self->columns);

    self->store = store;
    self->timeout_s = timeout_s;
    sqlite3_busy_handler(self->db.handle, wait_for_lock, self);
    if (ret != 0) {
        return ret;
    }
    self->has_writer = pthread_create(&self->thread, NULL, write_all, self) == 0;
    return self->has_writer ? 0 : SPOT_ERR_NO_MEMORY;
}

/* What the provenance says of how it went: the writer's own failure, or outcome. */
static const char *
describe_end(const spot_sqlite_work_t *self, const char *outcome, char text[200])
{
    if (self->queue.error != 0) {
        snprintf(text, 200, "failed: %s",
            self->db.sentence == NULL ? "out of memory" : self->db.sentence);
        return text;
    }
    return outcome == NULL ? "failed" : outcome;
}

void
spot_sqlite_writer_stop(spot_sqlite_work_t *self, const char *outcome)
{
    char text[200];

    if (self->has_writer) {
        pthread_mutex_lock(&self->queue.lock);
        self->queue.is_closing = true;
        pthread_cond_signal(&self->queue.has_work);
        pthread_mutex_unlock(&self->queue.lock);
        pthread_join(self->thread, NULL);
        if (self->queue.error != 0) { /* whatever it waited for, it waited once */
            sqlite3_busy_timeout(self->db.handle, 0);
        }
        /* Where this fails there is nobody left to tell, and no row is lost. */
        if (spot_db_run(&self->db, "BEGIN IMMEDIATE") != 0 ||
            spot_db_end(
                &self->db, note(self, NOW_TEXT, describe_end(self, outcome, text),
                               self->num_added)) != 0) {
            spot_db_forget(&self->db);
        }
    }
    spot_row_writer_free(&self->rows);
    self->has_writer = false;
}
