/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"

extern char **environ;

#define MAX_MESSAGE 400 /* bytes */

/* The child under way, for signal handlers; 0: none. */
static atomic_int running;

void
spot_child_end(void)
{
    const int child = atomic_load(&running);

    if (child > 0) {
        kill((pid_t) child, SIGTERM);
    }
}

FILE *
spot_child_file(const char *path, spot_diag_t *diag)
{
    FILE *stream = tmpfile();

    if (stream == NULL) {
        spot_diag_error(
            diag, path, 0, 0, "cannot make a temporary file: %s", strerror(errno));
    }
    return stream;
}

/* Starts the program while signals wait, so that their handlers know the child as soon
 * as it is there. It has the signals of before. */
static int
start(pid_t *child, const spot_child_t *self, char *const *arguments,
    const posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t all, before;
    int error = posix_spawnattr_init(&attributes);

    if (error != 0) {
        return error;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    error = posix_spawnp(child, self->program, actions, &attributes, arguments, environ);
    if (error == 0) {
        atomic_store(&running, (int) *child);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Starts a program with its three streams; 0 or an error number. */
static int
spawn(pid_t *child, const spot_child_t *self, int input, int output, int messages)
{
    char *arguments[SPOT_CHILD_ARGUMENTS + 2];
    posix_spawn_file_actions_t actions;
    size_t num_arguments = 0;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    /* posix_spawn() does not write to them. */
    memcpy(&arguments[num_arguments++], &self->program, sizeof(char *));
    while (num_arguments <= SPOT_CHILD_ARGUMENTS &&
           self->arguments[num_arguments - 1] != NULL) {
        memcpy(&arguments[num_arguments], &self->arguments[num_arguments - 1],
            sizeof(char *));
        num_arguments++;
    }
    arguments[num_arguments] = NULL;
    error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    }
    if (error == 0) {
        error = start(child, self, arguments, &actions);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the child. Its number is withdrawn from signal handlers before it is reaped,
 * as the system may use it again afterwards. CHILD, INTERRUPTED. */
static int
wait_for(pid_t child)
{
    siginfo_t info;
    int status = -1;

    while (
        waitid(P_PID, (id_t) child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    atomic_store(&running, 0);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return SPOT_ERR_CHILD;
        }
    }
    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : SPOT_ERR_CHILD;
}

/* The last line of messages that says something, without the blanks around it. */
static void
last_message(FILE *messages, char text[MAX_MESSAGE])
{
    char line[MAX_MESSAGE];

    snprintf(text, MAX_MESSAGE, "it gives no reason");
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        const char *start = line + strspn(line, " \t\n");
        size_t num_bytes = strlen(start);

        while (num_bytes > 0 && strchr(" \t\n", start[num_bytes - 1]) != NULL) {
            num_bytes--;
        }
        if (num_bytes > 0) {
            memcpy(text, start, num_bytes);
            text[num_bytes] = '\0';
        }
    }
}

int
spot_child_run(const spot_child_t *self, FILE *input, FILE *output, const char *path,
    spot_diag_t *diag)
{
    FILE *messages = spot_child_file(path, diag);
    char reason[MAX_MESSAGE];
    int error, ret = SPOT_ERR_CHILD;
    pid_t child;

    if (messages == NULL) {
        return SPOT_ERR_IO;
    }
    if (atomic_load(&spot_stop) != 0) {
        fclose(messages);
        return SPOT_ERR_INTERRUPTED;
    }
    error = spawn(&child, self, fileno(input), fileno(output), fileno(messages));
    if (error == ENOENT) {
        spot_diag_error(diag, path, 0, 0,
            "%s is not installed: install the package %s to draw pictures",
            self->program, self->package);
    } else if (error != 0) {
        spot_diag_error(diag, path, 0, 0, "%s cannot be started: %s", self->program,
            strerror(error));
    } else if ((ret = wait_for(child)) == SPOT_ERR_CHILD) {
        last_message(messages, reason);
        spot_diag_error(diag, path, 0, 0, "%s failed: %s", self->program, reason);
    }
    fclose(messages);
    return ret;
}
