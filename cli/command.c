/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/build_info.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "cli/interrupt.h"
#include "sim/store/origin.h"
#include "sim/store/store_sqlite.h"

const spot_command_t *const spot_commands[] = {
    &spot_command_run,
    &spot_command_study,
    &spot_command_compare,
    &spot_command_engine,
    &spot_command_recovery,
    &spot_command_keys,
    &spot_command_merge,
    &spot_command_export,
    &spot_command_report,
    &spot_command_trace_convert,
    &spot_command_trace_describe,
    &spot_command_trace_fit,
    &spot_command_trace_generate,
    &spot_command_trace_compare,
    &spot_command_profile,
    &spot_command_theory_checkpoint,
    &spot_command_model_fit,
    &spot_command_completion,
    &spot_command_help,
    NULL,
};

const spot_command_t *
spot_command_find(const char *name)
{
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        if (strcmp(spot_commands[j]->name, name) == 0) {
            return spot_commands[j];
        }
    }
    return NULL;
}

/* before: what stands before the first of them. */
static void
print_libraries(const char *before, const spot_library_t *libraries)
{
    for (const spot_library_t *library = libraries; library->name != NULL; library++) {
        printf("%s%s %s", library == libraries ? before : ", ", library->name,
            library->version());
    }
}

void
spot_command_print_version(void)
{
    printf("spotsim %s (%s)\n", spot_build_info.version, spot_build_info.commit);
    printf(
        "built with %s, %s\nruns with", spot_build_info.compiler, spot_build_info.build);
    print_libraries(" ", spot_base_libraries);
    print_libraries(", ", spot_store_libraries);
    putchar('\n');
}

/* ---- Calls ---- */

/* Whether all that went wrong is that the reader of standard output, such as head, has
 * seen enough. */
static bool
is_reader_gone(const spot_diag_t *diag)
{
    char text[128];
    bool is_gone = diag->num_errors > 0;

    snprintf(text, sizeof(text), "standard output: cannot write: %s", strerror(EPIPE));
    for (size_t j = 0; j < diag->num_items && is_gone; j++) {
        is_gone = !diag->items[j].is_error || strcmp(diag->items[j].text, text) == 0;
    }
    return is_gone;
}

void
spot_command_end_by_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

/* Prints the diagnostics and turns an error into an exit code. */
static int
finish(spot_call_t *self, int error)
{
    spot_diag_t *diag = &self->diag;
    const bool is_explained = diag->num_errors > 0;
    const bool is_unreadable =
        self->is_reading && error == SPOT_ERR_IO && !diag->out_of_descriptors;

    if (is_reader_gone(diag)) {
        spot_command_end_by_pipe();
    }
    if (self->is_quiet) {
        spot_diag_drop_warnings(diag);
    }
    spot_diag_close_file(diag);
    spot_diag_print(diag, stderr);
    switch (is_unreadable ? SPOT_ERR_BAD_INPUT : error) {
        case SPOT_ERR_BAD_INPUT:
        case SPOT_ERR_CANNOT_RUN:
            return SPOT_EXIT_BAD_INPUT;
        case SPOT_ERR_INTERRUPTED:
            fprintf(stderr, "spotsim: interrupted\n");
            return SPOT_EXIT_INTERRUPTED;
        default:
            if (error < 0 && !is_explained) {
                fprintf(stderr, "spotsim: %s\n", spot_error_text(error));
            }
            return error < 0 ? SPOT_EXIT_FAILED : error;
    }
}

/* The lists that options were stored in. */
static void
free_lists(spot_call_t *self)
{
    for (const spot_option_t *option = self->command->options; option->name != NULL;
         option++) {
        if (option->kind == SPOT_OPTION_TEXTS || option->kind == SPOT_OPTION_ARGUMENTS) {
            spot_option_list_t *list =
                (void *) ((char *) self->arguments + option->offset);

            free(list->texts);
            *list = (spot_option_list_t){0};
        }
    }
}

int
spot_command_call(const spot_command_t *command, int argc, char **argv)
{
    spot_call_t call = {
        .command = command, .argc = argc, .argv = argv, .is_reading = true};
    char name[64];
    int ret = SPOT_ERR_NO_MEMORY;

    snprintf(name, sizeof(name), "spotsim %s", command->name);
    argv[0] = name; /* for what notes the command line */
    spot_diag_init(&call.diag);
    call.arguments = spot_calloc(1, command->arguments_bytes);
    if (call.arguments != NULL) {
        if (command->initial != NULL) {
            memcpy(call.arguments, command->initial, command->arguments_bytes);
        }
        spot_options_parse(&call);
        ret = command->run(&call);
        free_lists(&call);
    }
    free(call.arguments);
    ret = finish(&call, ret);
    spot_diag_free(&call.diag);
    return ret;
}

/* ---- Files ---- */

static bool
is_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

static bool
is_same_file(const char *path, const char *other)
{
    struct stat a, b;

    return is_file(path) && is_file(other) && stat(path, &a) == 0 &&
           stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Results may lie in it that took days. */
static bool
is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    FILE *stream = is_file(path) ? fopen(path, "rb") : NULL;
    char bytes[sizeof(magic)] = "";
    size_t num_bytes = 0;

    if (stream != NULL) {
        num_bytes = fread(bytes, 1, sizeof(bytes), stream);
        fclose(stream);
    }
    return num_bytes == sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* NULL: nothing. */
static const char *
why_not_there(spot_command_files_t inputs, spot_command_files_t outputs, size_t id)
{
    const char *path = outputs.paths[id];

    for (size_t j = 0; j < inputs.num_paths; j++) {
        if (is_same_file(path, inputs.paths[j]) ||
            (is_file(path) && is_file(inputs.paths[j]) &&
                strcmp(path, inputs.paths[j]) == 0)) {
            return "is an input, which the output would replace: expected another file";
        }
    }
    if (is_database(path)) {
        return "is a database, which the output would replace: expected another file";
    }
    for (size_t j = 0; j < id; j++) {
        if (is_file(path) && outputs.paths[j] != NULL &&
            strcmp(path, outputs.paths[j]) == 0 && strncmp(path, "/dev/", 5) != 0) {
            return "two outputs cannot go to one file";
        }
    }
    return NULL;
}

int
spot_command_check_outputs(
    spot_command_files_t inputs, spot_command_files_t outputs, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; j < outputs.num_paths && ret == 0; j++) {
        const char *reason = why_not_there(inputs, outputs, j);

        if (reason != NULL) {
            spot_diag_error(diag, outputs.paths[j], 0, 0, "%s", reason);
            ret = SPOT_ERR_BAD_INPUT;
        } else if (is_file(outputs.paths[j])) {
            ret = spot_outfile_check(outputs.paths[j], diag);
        }
    }
    return ret;
}

int
spot_command_open_store(spot_store_t **store, const char *path, spot_diag_t *diag)
{
    int ret;

    spot_interrupt_watch();
    ret = spot_store_open_sqlite_reader(store, path, diag);
    if (ret == 0) {
        atomic_store(&(*store)->stop, &spot_stop);
    }
    return ret;
}

int
spot_command_close_store(spot_store_t *store, int error, spot_diag_t *diag)
{
    int flushed = 0;

    if (store != NULL) {
        flushed = store->flush(store, diag);
        store->close(store);
    }
    return flushed != 0 ? flushed : error;
}

int
spot_command_write(const char *path, int (*write)(const void *context, FILE *out),
    const void *context, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = write(context, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}
