/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/outfile.h"
#include "cli/command.h"
#include "models/profile.h"

typedef struct {
    const char *folder;
    const char *output_path;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "PROFILE.yaml", 0,
        "Write the profile here (default: standard output)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path =
                spot_option_file(state, "-o", text, ".yaml or .yml");
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->folder, "a folder of measurements");
    }
}

static int
write_profile(const spot_profile_t *profile, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        spot_profile_write(profile, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_profile_t profile;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_profile, argc, argv, parse, &arguments);
    ret = spot_profile_measure(&profile, arguments.folder, &diag);
    if (ret != 0) {
        exit_code = spot_command_finish_reading(&diag, ret);
    } else {
        ret = write_profile(&profile, arguments.output_path, &diag);
        exit_code = spot_command_finish(&diag, ret);
    }
    spot_profile_free(&profile);
    return exit_code;
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
    .run = run,
};
