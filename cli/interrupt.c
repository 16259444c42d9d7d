/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

atomic_int spot_interrupt_stop;

static void
on_signal(int number)
{
    atomic_store(&spot_interrupt_stop, number); /* lock-free, so allowed here */
}

void
spot_interrupt_watch(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = (int) SA_RESETHAND; /* the second one has its usual effect */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
