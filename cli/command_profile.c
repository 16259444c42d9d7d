/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "models/profile.h"

typedef struct {
    const char *folder;
    const char *output_path;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a folder of measurements", 0, "FOLDER", folder, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "PROFILE.yaml", output_path,
        "Write the profile here (default: standard output)", .endings = ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_profile_t profile;
    spot_output_t output;
    FILE *out;
    int ret = spot_profile_measure(&profile, arguments->folder, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        out = spot_output_bytes(&output, arguments->output_path, &call->diag);
        if (out != NULL) {
            spot_profile_write(&profile, out);
        }
        ret = spot_output_end(&output, 0);
    }
    spot_profile_free(&profile);
    return ret;
}

const spot_command_t spot_command_profile = {
    .name = "profile",
    .arguments = "FOLDER",
    .summary = "Turn a folder of measured times into a profile of means",
    .doc = "FOLDER holds four CSV files with times in seconds: reconfig.csv "
           "(ws,start,end,elapsed, with a header row), loop_times_0.csv (ws,step,loop "
           "start,loop end,train time,start chkpt thread,total loop time), "
           "async-checkpoint_0.csv (elapsed) and load_times_0.csv (ws,step,elapsed). A "
           "scenario takes the means by {profile: FILE} in place of a duration.",
    .examples = "  spotsim profile measured/ -o profile.yaml\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
