/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ctrl-C: the first one asks the work to stop at a good place, the second one ends it.
 */
#ifndef SPOT_CLI_INTERRUPT_H
#define SPOT_CLI_INTERRUPT_H

#include <stdatomic.h>

/* Installs the handlers of SIGINT and SIGTERM. */
void spot_interrupt_watch(void);

/* Not 0 after a signal. */
extern atomic_int spot_interrupt_stop;

#endif
