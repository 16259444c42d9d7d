/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program outside spotsim, in C and in C++: the lines of spotsim.h. */
#include <spotsim.h>

int main(int argc, char **argv)
{
    double idle = -1;
    spot_diag_t diag;
    spot_scenario_t scenario;
    spot_train_t train;

    if (argc != 2) {
        return 2;
    }
    spot_diag_init(&diag);
    if (spot_scenario_read(&scenario, argv[1], NULL, &diag) == 0) {
        if (spot_train_init(&train, &scenario) == 0 && spot_train_run(&train, 1, 0, NULL) == 0) {
            idle = spot_train_metric(&scenario, &train.result, "idle_fraction");
            printf("%.16g\n", idle);
        }
        spot_train_free(&train);
    }
    spot_diag_print(&diag, stderr);
    spot_scenario_free(&scenario);
    spot_diag_free(&diag);
    return idle < 0 ? 1 : 0;
}
