/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INT, TERM and HUP. They end the program with exit code 130 and without a trace of the
 * files under way: at once, or for work that can stop at a good place the first one asks
 * it to, and the next one ends it. */
#pragma once

/* Installs the handlers. An ignored HUP stays ignored (nohup). */
void spot_interrupt_start(void);

/* From now on the first signal sets spot_stop. */
void spot_interrupt_watch(void);
