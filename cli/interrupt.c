/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/watch.h"
#include "cli/command.h"

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
