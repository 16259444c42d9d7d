/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/search.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/memory_limit.h"
#include "base/number.h"
#include "base/table_file.h"
#include "base/watch.h"

typedef spot_search_point_t point_t;

/* ---- Measuring a point ---- */

#define MAX_OUTPUT_BYTES 100000000
static const char log_head[] = "threads,block,seconds,stall_share,reason\n";

static int take(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    spot_measure_t *self = file->table;
    point_t point = *(const point_t *) values;

    (void) row;
    if (point.reason != NULL || isinf(point.seconds)) {
        point.reason =
            spot_texts_add(self->texts, "%s", point.reason == NULL ? "no time" : point.reason);
    }
    return SPOT_ARRAY_APPEND(self, points, point);
}

/* Sets a list that is not given to the values of a member of the rows. */
static void fill_list(spot_search_list_t *list, const spot_measure_t *self, size_t offset)
{
    int64_t next = 0;

    list->num_values = list->is_given ? list->num_values : 0;
    while (!list->is_given && next < INT64_MAX && list->num_values < SPOT_SEARCH_MAX_VALUES) {
        const int64_t last = next;

        next = INT64_MAX;
        for (size_t j = 0; j < self->num_points; j++) {
            int64_t value;

            memcpy(&value, (const char *) &self->points[j] + offset, sizeof(value));
            next = value > last && value < next ? value : next;
        }
        list->values[list->num_values] = next;
        list->num_values += next < INT64_MAX;
    }
}

static const spot_row_member_t columns[] = {
    SPOT_MEMBER_WITH(INTEGER, "threads", point_t, threads, .min = 1, .max = SPOT_LOADER_MAX_THREADS,
        .is_optional = true, .other_name = "threadpool_size"),
    SPOT_MEMBER_WITH(INTEGER, "block", point_t, block, .min = 1, .max = SPOT_LOADER_MAX_SAMPLES,
        .other_name = "block_size"),
    SPOT_MEMBER_WITH(SECONDS, "seconds", point_t, seconds, .may_be_empty = true,
        .expected = "expected seconds > 0", .other_name = "batch_completion_time"),
    SPOT_MEMBER_WITH(NUMBER, "stall_share", point_t, stall_share, .max = 1, .is_optional = true,
        .may_be_empty = true),
    SPOT_MEMBER_WITH(TEXT, "reason", point_t, reason, .is_optional = true, .may_be_empty = true)};

/* Rows are appended to it. */
static int check_log(const spot_measure_t *self)
{
    char head[sizeof(log_head)] = "";
    FILE *log = fopen(self->path, "r");
    const bool is_good = log != NULL && fgets(head, sizeof(head), log) != NULL &&
                         strcmp(head, log_head) == 0 && fseek(log, -1, SEEK_END) == 0 &&
                         getc(log) == '\n';

    if (log != NULL) {
        fclose(log);
    }
    return is_good ? 0
                   : spot_diag_error(self->diag, self->path, 0, 0,
                         "cannot go on from it: expected whole lines, the first one %.*s",
                         (int) strlen(log_head) - 1, log_head);
}

int spot_measure_read(spot_measure_t *self, spot_search_t *search)
{
    static const point_t initial = {
        .threads = 1, .seconds = (double) INFINITY, .stall_share = (double) NAN};
    static const spot_table_file_format_t format = {SPOT_TABLE_DATA(columns), .noun = "row",
        .row_bytes = sizeof(point_t), .initial = &initial, .take = take};
    struct stat status;
    const bool is_new =
        self->command != NULL &&
        (self->path == NULL || stat(self->path, &status) != 0 || status.st_size == 0);
    int ret = is_new || self->command == NULL ? 0 : check_log(self);

    if (ret == 0 && !is_new) {
        ret = spot_table_file_read(&format, self->path, self->diag, self);
    }
    if (self->command == NULL) {
        fill_list(&search->threads, self, offsetof(point_t, threads));
        fill_list(&search->blocks, self, offsetof(point_t, block));
    }
    return ret;
}

/* Takes the row of a point, or the nearest one. */
static bool look_up(const spot_measure_t *self, point_t *point)
{
    double least = (double) INFINITY;

    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *row = &self->points[j];
        const double far = fabs(log((double) row->threads / (double) point->threads)) +
                           fabs(log((double) row->block / (double) point->block));

        if (far < least && (far == 0 || (self->is_nearest && point->block > 1))) {
            least = far;
            point->seconds = row->seconds;
            point->stall_share = row->stall_share;
            point->reason = row->reason;
        }
    }
    return isfinite(least);
}

/* The command for a point. */
static const char *command_of(const spot_measure_t *self, const point_t *point)
{
    FILE *out = spot_texts_begin(self->texts);

    for (const char *at = self->command; out != NULL && *at != '\0';) {
        const bool is_threads = strncmp(at, "{threads}", 9) == 0;

        if (is_threads || strncmp(at, "{block}", 7) == 0) {
            fprintf(out, "%lld", (long long) (is_threads ? point->threads : point->block));
            at = strchr(at, '}') + 1;
        } else {
            fputc(*at++, out);
        }
    }
    return spot_texts_end(self->texts, out);
}

/* Runs a command in a group of processes of its own, of which it leaves none. Returns
 * its status; -1: it was killed; CHILD. */
static int run(const char *command, int64_t timeout_ms, FILE *out)
{
    const double end_s = spot_clock_s() + (double) timeout_ms / 1000;
    const pid_t child = fork();
    pid_t ended = 0;
    int status = -1;

    if (child == 0) {
        setpgid(0, 0);
        spot_memory_limit_lift();
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(fileno(out), STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *) NULL);
        _exit(127);
    }
    if (child < 0) {
        return SPOT_ERR_CHILD;
    }
    setpgid(child, child); /* here too: before it is killed */
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && atomic_load(&spot_stop) == 0 &&
           spot_clock_s() < end_s && lseek(fileno(out), 0, SEEK_END) < MAX_OUTPUT_BYTES) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    kill(-child, SIGKILL);
    if (ended == 0) {
        waitpid(child, &status, 0);
    }
    return ended == 0 ? -1 : status;
}

/* The next number of a line, which goes on behind it; NAN: none. */
static double next_number(const char **line)
{
    for (const char *at = *line; *at != '\0'; at++) {
        const char *end = spot_number_end(at);

        if (end != NULL && (at == *line || !isalnum((unsigned char) at[-1]))) {
            *line = end;
            return strtod(at, NULL);
        }
    }
    return (double) NAN;
}

/* Reads what the command has printed, and why it failed. */
static void judge(const spot_measure_t *self, int status, FILE *out, point_t *point)
{
    char text[4096], last[sizeof(text)] = "", shown[SPOT_CSV_SHOWN_BYTES];
    const char *line = last;

    rewind(out);
    while (fgets(text, sizeof(text), out) != NULL) {
        if (text[strspn(text, " \t\r\n")] != '\0') {
            memcpy(last, text, sizeof(text));
            last[strcspn(last, "\r\n")] = '\0';
        }
    }
    point->seconds = next_number(&line);
    point->stall_share = next_number(&line);
    if (status != 0) {
        point->reason = status == -1 ? spot_texts_add(self->texts, "no end within %g s or 100 MB",
                                           (double) self->timeout_ms / 1000)
                        : WIFSIGNALED(status)
                            ? spot_texts_add(self->texts, "signal %d", WTERMSIG(status))
                            : spot_texts_add(self->texts, "exit code %d", WEXITSTATUS(status));
    } else if (!(point->seconds > 0 && point->seconds < 1e9) || point->stall_share < 0 ||
               point->stall_share > 1) {
        point->reason = spot_texts_add(
            self->texts, "no time, or no share of stall: %s", spot_csv_shown(last, shown));
    }
    if (point->reason != NULL) {
        point->seconds = (double) INFINITY;
        point->stall_share = (double) NAN;
    }
}

/* Appends a point to the log. */
static int keep(const spot_measure_t *self, const point_t *point)
{
    FILE *log = fopen(self->path, "a");
    bool is_good = false;

    if (log != NULL) {
        fputs(lseek(fileno(log), 0, SEEK_END) > 0 ? "" : log_head, log);
        fprintf(log, "%" PRId64 ",%" PRId64, point->threads, point->block);
        spot_csv_field_number(log, point->seconds);
        spot_csv_field_number(log, point->stall_share);
        fputc(',', log);
        spot_csv_field_text(log, point->reason == NULL ? "" : point->reason);
        fputc('\n', log);
        is_good = fflush(log) == 0 && fsync(fileno(log)) == 0;
        is_good = fclose(log) == 0 && is_good;
    }
    if (!is_good) {
        spot_diag_error(self->diag, self->path, 0, 0, "cannot write");
    }
    return is_good ? 0 : SPOT_ERR_IO;
}

int spot_measure_point(void *context, point_t *point)
{
    const spot_measure_t *self = context;
    int status;
    FILE *out;

    if (look_up(self, point)) {
        return 0;
    }
    if (self->command == NULL) {
        return point->block == 1 && point->threads == 1
                   ? SPOT_SEARCH_UNKNOWN
                   : spot_diag_error(self->diag, self->path, 0, 0,
                         "no row for threads %lld, block %lld: --nearest takes the "
                         "nearest",
                         (long long) point->threads, (long long) point->block);
    }
    out = tmpfile();
    status = out == NULL ? SPOT_ERR_CHILD : run(command_of(self, point), self->timeout_ms, out);
    if (status != SPOT_ERR_CHILD) {
        judge(self, status, out, point);
    }
    if (out != NULL) {
        fclose(out);
    }
    return atomic_load(&spot_stop) != 0 ? SPOT_ERR_INTERRUPTED
           : status == SPOT_ERR_CHILD   ? status
           : self->path == NULL         ? 0
                                        : keep(self, point);
}

/* ---- Searches ---- */

bool spot_search_is_better(const spot_search_point_t *a, const spot_search_point_t *b)
{
    return a->seconds < b->seconds || (a->seconds == b->seconds && a->id < b->id);
}

static int evaluate(spot_search_t *self, size_t id)
{
    spot_search_point_t *point = &self->points[self->num_points];
    int ret;

    *point = (spot_search_point_t){
        .threads = id == 0 ? 1 : self->threads.values[(id - 1) / self->blocks.num_values],
        .block = id == 0 ? 1 : self->blocks.values[(id - 1) % self->blocks.num_values],
        .stall_share = (double) NAN,
        .id = id};
    ret = self->measure(self->context, point);
    if (ret != 0) {
        return ret;
    }
    self->num_points++;
    if (isfinite(point->seconds) &&
        (self->best == NULL || spot_search_is_better(point, self->best))) {
        self->best = point;
    }
    if (point->stall_share <= SPOT_LOADER_STALLED) {
        self->why = "the last point does not stall";
    }
    return 0;
}

int spot_search_run(spot_search_t *self, const spot_search_method_t *method, spot_arena_t *memory)
{
    const size_t num_ids = self->threads.num_values * self->blocks.num_values;
    const bool is_in = num_ids > 0 && self->threads.values[0] == 1 && self->blocks.values[0] == 1;
    size_t num_left = num_ids - is_in;
    int ret;

    if (SPOT_ARENA_ARRAY(memory, self->points, num_ids + 1) == NULL ||
        SPOT_ARENA_ARRAY(memory, self->is_known, num_ids + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_rng_seek(&self->rng, (uint64_t) self->seed, 0, SPOT_STREAM_SEARCH, 0);
    ret = evaluate(self, is_in);
    self->is_known[is_in] = true;
    self->base = ret == 0 && isfinite(self->points->seconds) ? self->points : NULL;
    if (self->why != NULL) {
        self->why = "threads 1, block 1 does not stall: do not merge";
    }
    ret = ret == SPOT_SEARCH_UNKNOWN ? 0 : ret;
    for (size_t n = 0, id; ret == 0 && self->why == NULL; n++) {
        if (num_left == 0 || (method->is_limited && n == (size_t) self->max_evaluations) ||
            (id = method->next(self, n)) == 0) {
            self->why = self->why != NULL ? self->why : method->end;
        } else if (!self->is_known[id]) {
            ret = evaluate(self, id);
            self->is_known[id] = true;
            num_left--;
        }
    }
    return ret;
}

int spot_search_predict(void *context, spot_search_point_t *point)
{
    const spot_search_jobs_t *self = context;

    point->seconds = point->stall_share = 0;
    for (size_t j = 0; j < self->num_jobs; j++) {
        const spot_loader_work_t work = spot_input_scenario_work(&self->jobs[j]);
        spot_loader_t loader = self->jobs[j].loader;
        spot_loader_prediction_t prediction = {0};
        int ret;

        loader.threads = point->threads;
        loader.block = point->block;
        ret = spot_loader_predict(&prediction, &loader, &work);
        if (ret != 0) {
            return ret;
        }
        point->seconds += prediction.completion_s / (double) self->num_jobs;
        point->stall_share = fmax(point->stall_share, prediction.stall_share);
    }
    return 0;
}
