/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "base/outfile.h"
#include "base/utf8.h"

/* ---- Wrong command lines ---- */

void spot_usage_error(const spot_call_t *call, const char *format, ...)
{
    spot_texts_t texts = {0};
    va_list arguments;

    fprintf(stderr, "spotsim %s: ", call->verb->name);
    va_start(arguments, format);
    spot_utf8_print(stderr, spot_texts_vadd(&texts, format, arguments));
    va_end(arguments);
    fprintf(stderr, "\nTry 'spotsim %s --help'.\n", call->verb->name);
    spot_texts_free(&texts);
    exit(SPOT_EXIT_BAD_INPUT);
}

void spot_usage_refuse(const spot_call_t *call, bool is_wrong, const char *message)
{
    if (is_wrong) {
        spot_usage_error(call, "%s", message);
    }
}

const char *spot_option_hint(spot_call_t *call, const spot_suggest_t *near)
{
    return near->nearest == NULL
               ? ""
               : spot_texts_add(&call->texts, ", did you mean \"%s\"?", near->nearest);
}

/* Whether a word of a list such as ".svg or .html" is the text, in any case. */
static bool is_among(const char *text, const char *words)
{
    const size_t length = strlen(text);

    while (*words != '\0') {
        const size_t num_bytes = strcspn(words, " ");

        if (num_bytes == length && strncasecmp(words, text, length) == 0) {
            return true;
        }
        words += num_bytes + strspn(words + num_bytes, " ");
    }
    return false;
}

void spot_option_check_ending(
    const spot_call_t *call, const char *option, const char *path, const char *endings)
{
    static const char formats[] =
        ".csv .tsv .json .jsonl .ndjson .yaml .yml .html .htm .svg .png .pdf .jpg .jpeg "
        ".gif .webp .eps .ps .gnuplot .tex .md .db .sqlite .sqlite3 .xls .xlsx .ods .parquet "
        ".feather .xml .gz .bz2 .xz .zst .zip .tar";
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    const char *dot = path == NULL ? NULL : strrchr(slash == NULL ? path : slash, '.');

    if (dot == NULL || !is_among(dot, formats) || is_among(dot, endings)) {
        return;
    }
    if (endings[0] == '\0') {
        spot_usage_error(call, "%s: expected a text file, got \"%s\"", option, path);
    }
    spot_usage_error(
        call, "%s: expected a file that ends in %s, got \"%s\"", option, endings, path);
}

/* ---- Lists ---- */

void spot_option_reserve(void *items, size_t *max_items, size_t num_items, size_t item_bytes)
{
    if (spot_array_reserve(items, max_items, num_items, item_bytes) != 0) {
        char shortage[SPOT_MEMORY_TEXT_BYTES];

        fprintf(stderr, "spotsim: out of memory%s\n", spot_memory_shortage(shortage));
        exit(SPOT_EXIT_FAILED);
    }
}

void spot_option_list_add(spot_option_list_t *self, const char *text)
{
    spot_option_reserve(&self->texts, &self->max_texts, self->num_texts + 1, sizeof(*self->texts));
    self->texts[self->num_texts++] = text;
}

/* ---- Signals ---- */

static atomic_int num_watches;
static atomic_bool is_ending;

/* Whether standard output takes bytes now. A reader that does not read, such as a pager, keeps
 * the program in write() for as long as it likes. */
static bool is_output_ready(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&output, 1, 0) != 0;
}

/* Only what a signal handler may do: lock-free atomics, poll(), kill(), unlink(), write() and
 * _exit(). */
static void on_signal(int number)
{
    static const char text[] = "spotsim: interrupted\n";
    const int error = errno;
    const bool is_printing = spot_outfile_is_printing() || atomic_load(&is_ending);

    if ((is_printing ? is_output_ready() : atomic_load(&num_watches) > 0) &&
        atomic_exchange(&spot_stop, number) == 0) {
        errno = error;
        return;
    }
    if (atomic_load(&spot_stop_child) > 0) {
        kill((pid_t) atomic_load(&spot_stop_child), SIGTERM);
    }
    spot_outfile_remove_all();
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        /* Nothing can be done about it. */
    }
    _exit(SPOT_EXIT_INTERRUPTED);
}

static void handle(int number)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void spot_interrupt_start(void)
{
    struct sigaction action;

    /* What a signal cuts off are whole lines. */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    handle(SIGINT);
    if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
        handle(SIGHUP);
    }
    handle(SIGTERM); /* the last one: tests take it as the sign that all are set */
}

void spot_interrupt_watch(void)
{
    atomic_fetch_add(&num_watches, 1);
}

void spot_interrupt_unwatch(void)
{
    atomic_fetch_sub(&num_watches, 1);
}

void spot_interrupt_print_rest(void)
{
    atomic_store(&is_ending, true);
}

/* ---- Progress ---- */

#define TOLD_EVERY_S 0.2

static void show_units(void *context, int64_t num_done, int64_t num_total)
{
    spot_counter_t *self = context;
    const double now_s = spot_clock_s();

    if (num_done > 0 && now_s - self->told_s >= TOLD_EVERY_S) {
        const double units_per_s = (double) num_done / (now_s - self->started_s);

        self->told_s = now_s;
        self->is_shown = true;
        fprintf(stderr, "\r%5.1f %%  %" PRId64 " of %" PRId64 " %s, %.0f/s, %.0f s left\033[K",
            100 * (double) num_done / (double) num_total, num_done, num_total, self->unit,
            units_per_s, (double) (num_total - num_done) / units_per_s);
        fflush(stderr);
    }
}

spot_watch_t spot_counter_watch(spot_counter_t *self, const char *unit, bool is_quiet)
{
    const bool is_watched = !is_quiet && isatty(STDERR_FILENO) == 1;
    const double now_s = spot_clock_s();

    *self = (spot_counter_t){.unit = unit, .started_s = now_s, .told_s = now_s};
    return (spot_watch_t){&spot_stop, is_watched ? show_units : NULL, self};
}

void spot_counter_finish(spot_counter_t *self)
{
    if (self->is_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        self->is_shown = false;
    }
}
