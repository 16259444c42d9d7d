/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that writes: transactions of what has gathered in the queue. A transaction
 * is never open while the thread waits, so other processes come to write in between. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sim/store/store_sqlite_internal.h"

/* A process without work says at least this often that it is alive. */
#define NOTE_PIECES 20 /* waits of the queue */

/* How long a run that is stopped still waits for a lock: other spotsims hold it for
 * less. */
#define STOP_S 5
#define MAX_PAUSE_MS 50 /* between two tries */

#define NOW "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now')"

int
spot_sqlite_enter(spot_sqlite_work_t *self, const spot_provenance_t *provenance)
{
    unsigned char name[16];

    sqlite3_randomness(sizeof(name), name);
    for (size_t j = 0; j < sizeof(name); j++) {
        snprintf(&self->writer[2 * j], 3, "%02x", name[j]);
    }
    return spot_db_run(&self->db,
        "INSERT INTO provenance VALUES (%Q, " NOW ", " NOW
        ", NULL, NULL, 0, %Q, %Q, %Q, %Q, %Q, %Q, %Q, %lld, %Q)",
        self->writer, provenance->canonical_sha256, provenance->version,
        provenance->commit, provenance->compiler, provenance->libraries,
        provenance->machine, provenance->command_line,
        (long long) provenance->num_threads, provenance->shard);
}

/* Where others have committed since, what they did is there too. */
static int
see_others(spot_sqlite_work_t *self)
{
    bool is_row;
    int64_t version = 0;
    int ret = spot_db_step_row(&self->db, self->data_version, &is_row);

    if (ret == 0 && is_row) {
        version = sqlite3_column_int64(self->data_version, 0);
    }
    sqlite3_reset(self->data_version);
    if (ret == 0 && version != self->seen_version) {
        self->seen_version = version;
        pthread_mutex_lock(&self->queue.lock);
        ret = spot_there_load(&self->there, &self->db, self->newer);
        pthread_mutex_unlock(&self->queue.lock);
    }
    return ret;
}

static int
write_piece(spot_sqlite_work_t *self, const spot_queued_t *piece, int64_t *num_added)
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
    int64_t num_rows;
    int ret;

    if (piece->num_rows == 0) {
        return spot_series_write(&self->db, rows.number, first, piece->recording);
    }
    ret = spot_row_writer_add(&self->rows, &self->db, &rows, &num_rows);
    *num_added += num_rows;
    return ret;
}

static int
note(spot_sqlite_work_t *self, int64_t num_added)
{
    sqlite3_bind_int64(self->note, 1, num_added);
    sqlite3_bind_text(self->note, 2, self->writer, -1, SQLITE_STATIC);
    return spot_db_step_done(&self->db, self->note);
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
    if (ret == 0) {
        ret = see_others(self);
    }
    for (size_t j = 0; ret == 0 && j < num_pieces; j++) {
        ret = write_piece(
            self, &queue->slots[(queue->first + j) % queue->num_slots], &num_added);
    }
    if (ret == 0) {
        ret = note(self, num_added);
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
        self->generation++;
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
    if (ret == 0) {
        ret = spot_db_prepare(&self->db, &self->data_version, "PRAGMA data_version");
    }
    if (ret == 0) {
        ret = spot_db_prepare(&self->db, &self->note,
            "UPDATE provenance SET seen = " NOW ", rows_added = ? WHERE writer = ?");
    }
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
        if (spot_db_run(&self->db,
                "UPDATE provenance SET seen = " NOW ", ended = " NOW
                ", outcome = %Q, rows_added = %lld WHERE writer = %Q",
                describe_end(self, outcome, text), (long long) self->num_added,
                self->writer) != 0) {
            spot_db_forget(&self->db);
        }
    }
    spot_row_writer_free(&self->rows);
    sqlite3_finalize(self->newer);
    sqlite3_finalize(self->data_version);
    sqlite3_finalize(self->note);
    self->newer = self->data_version = self->note = NULL;
    self->has_writer = false;
}
