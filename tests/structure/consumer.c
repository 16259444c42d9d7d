/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program outside spotsim: one replication of a scenario through the library. */
#include <spotsim.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
    spot_diag_t diag;
    spot_scenario_t scenario;
    spot_train_t train;

    spot_diag_init(&diag);
    if (argc != 2 || spot_scenario_read(&scenario, argv[1], NULL, &diag) != 0 ||
        spot_train_init(&train, &scenario) != 0 ||
        spot_train_run(&train, 1, 0, NULL) != 0) {
        spot_diag_print(&diag, stderr);
        return 1;
    }
    printf("%.16g\n", spot_train_metric(&scenario, &train.result, "idle_fraction"));
    spot_train_free(&train);
    spot_scenario_free(&scenario);
    spot_diag_free(&diag);
    return 0;
}
