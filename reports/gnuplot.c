/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Script and messages go through files without a name, not through pipes: no deadlock
 * and no SIGPIPE, whatever gnuplot does. */
#include "reports/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"

extern char **environ;

#define MAX_MESSAGE 400 /* bytes */

/* Starts gnuplot with its three streams; 0 or an error number. */
static int
spawn_gnuplot(pid_t *child, int script, int picture, int messages)
{
    char program[] = "gnuplot", default_settings[] = "-d";
    char *arguments[] = {program, default_settings, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    }
    if (error == 0) {
        error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Whether the child ended well. */
static bool
wait_for(pid_t child)
{
    int status = -1;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The last line of messages that says something, without the blanks around it and the
 * number that gnuplot gives all lines of its standard input. */
static void
last_message(FILE *messages, char text[MAX_MESSAGE])
{
    static const char number[] = "line 0: ";
    char line[MAX_MESSAGE];

    snprintf(text, MAX_MESSAGE, "it gives no reason");
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        const char *start = line + strspn(line, " \t\n");
        size_t num_bytes;

        if (strncmp(start, number, strlen(number)) == 0) {
            start += strlen(number);
        }
        num_bytes = strlen(start);
        while (num_bytes > 0 && strchr(" \t\n", start[num_bytes - 1]) != NULL) {
            num_bytes--;
        }
        if (num_bytes > 0 && strspn(start, "^") < num_bytes) {
            memcpy(text, start, num_bytes);
            text[num_bytes] = '\0';
        }
    }
}

/* Draws what the rewound script says into picture. */
static int
draw(FILE *script, FILE *picture, FILE *messages, const char *path, spot_diag_t *diag)
{
    char reason[MAX_MESSAGE];
    pid_t child;
    const int error =
        spawn_gnuplot(&child, fileno(script), fileno(picture), fileno(messages));

    if (error == ENOENT) {
        spot_diag_error(diag, path, 0, 0,
            "gnuplot is not installed: install the package gnuplot-nox (or gnuplot) to "
            "draw pictures");
        return SPOT_ERR_CHILD;
    }
    if (error != 0) {
        spot_diag_error(
            diag, path, 0, 0, "gnuplot cannot be started: %s", strerror(error));
        return SPOT_ERR_CHILD;
    }
    if (!wait_for(child)) {
        last_message(messages, reason);
        spot_diag_error(diag, path, 0, 0, "gnuplot failed: %s", reason);
        return SPOT_ERR_CHILD;
    }
    return 0;
}

/* A nameless file, or NULL with the reason in diag. */
static FILE *
open_nameless(const char *path, spot_diag_t *diag)
{
    FILE *stream = tmpfile();

    if (stream == NULL) {
        spot_diag_error(
            diag, path, 0, 0, "cannot make a temporary file: %s", strerror(errno));
    }
    return stream;
}

static void
close_if_open(FILE *stream)
{
    if (stream != NULL) {
        fclose(stream);
    }
}

/* Whether a picture is whole: gnuplot itself takes no notice of a full disk. */
static bool
ends_as_picture(FILE *drawn)
{
    static const char end[] = "</svg>";
    char tail[32];
    size_t num_bytes;

    if (fseek(drawn, -(long) sizeof(tail), SEEK_END) != 0) {
        return false;
    }
    num_bytes = fread(tail, 1, sizeof(tail), drawn);
    while (num_bytes > 0 && strchr(" \n", tail[num_bytes - 1]) != NULL) {
        num_bytes--;
    }
    return num_bytes >= strlen(end) &&
           memcmp(tail + num_bytes - strlen(end), end, strlen(end)) == 0;
}

static int
copy_picture(FILE *drawn, FILE *picture, const char *path, spot_diag_t *diag)
{
    char bytes[8192];
    size_t num_bytes;

    if (!ends_as_picture(drawn)) {
        spot_diag_error(diag, path, 0, 0,
            "gnuplot drew no whole picture: is there space for temporary files?");
        return SPOT_ERR_CHILD;
    }
    rewind(drawn);
    while ((num_bytes = fread(bytes, 1, sizeof(bytes), drawn)) > 0) {
        (void) fwrite(bytes, 1, num_bytes, picture); /* its error shows at the commit */
    }
    return 0;
}

int
spot_gnuplot_draw(spot_gnuplot_script_t script, const void *context, FILE *picture,
    const char *path, spot_diag_t *diag)
{
    FILE *script_file = open_nameless(path, diag);
    FILE *messages = open_nameless(path, diag);
    FILE *drawn = open_nameless(path, diag);
    int ret = SPOT_ERR_IO;

    if (script_file == NULL || messages == NULL || drawn == NULL) {
        goto out;
    }
    ret = script(context, NULL, script_file);
    if (ret != 0) {
        goto out;
    }
    if (fflush(script_file) != 0 || fseek(script_file, 0, SEEK_SET) != 0) {
        spot_diag_error(diag, path, 0, 0, "cannot keep the script: %s", strerror(errno));
        ret = SPOT_ERR_IO;
        goto out;
    }
    ret = draw(script_file, drawn, messages, path, diag);
    if (ret == 0) {
        ret = copy_picture(drawn, picture, path, diag);
    }
out:
    close_if_open(script_file);
    close_if_open(messages);
    close_if_open(drawn);
    return ret;
}

int
spot_gnuplot_run(spot_gnuplot_script_t script, const void *context,
    const char *picture_path, spot_diag_t *diag)
{
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, picture_path, diag);

    if (ret == 0) {
        ret = spot_gnuplot_draw(script, context, picture.stream, picture_path, diag);
    }
    if (ret == 0) {
        ret = spot_outfile_commit(&picture, diag);
    }
    spot_outfile_free(&picture);
    return ret;
}
