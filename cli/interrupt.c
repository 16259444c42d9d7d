/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/stop.h"
#include "cli/command.h"

static atomic_int is_watched;

/* Only what a signal handler may do: lock-free atomics, unlink(), write() and
 * _exit(). */
static void on_signal(int number)
{
    static const char text[] = "spotsim: interrupted\n";
    const int error = errno;

    if (atomic_load(&is_watched) != 0 && atomic_exchange(&spot_stop, number) == 0) {
        errno = error;
        return;
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

    handle(SIGINT);
    if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
        handle(SIGHUP);
    }
    handle(SIGTERM); /* the last one: tests take it as the sign that all are set */
}

void spot_interrupt_watch(void)
{
    atomic_store(&is_watched, 1);
}
