/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/provenance.h"
#include "base/watch.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/store/store_sqlite.h"

const spot_command_t *const spot_commands[] = {
    &spot_command_run,
    &spot_command_study,
    &spot_command_compare,
    &spot_command_init,
    &spot_command_check,
    &spot_command_engine,
    &spot_command_recovery,
    &spot_command_keys,
    &spot_command_merge,
    &spot_command_export,
    &spot_command_report,
    &spot_command_advise,
    &spot_command_trace_convert,
    &spot_command_trace_describe,
    &spot_command_trace_fit,
    &spot_command_trace_generate,
    &spot_command_trace_compare,
    &spot_command_price_convert,
    &spot_command_price_describe,
    &spot_command_schedule_import,
    &spot_command_schedule_assign,
    &spot_command_schedule_check,
    &spot_command_schedule_estimate,
    &spot_command_schedule_forecast,
    &spot_command_schedule_pack_train,
    &spot_command_schedule_generate,
    &spot_command_schedule_fit,
    &spot_command_serve_plan,
    &spot_command_serve_rate,
    &spot_command_serve_frontier,
    &spot_command_serve_check,
    &spot_command_serve_compare,
    &spot_command_serve_gen,
    &spot_command_serve_fit,
    &spot_command_input_table,
    &spot_command_input_place,
    &spot_command_input_search,
    &spot_command_input_fit,
    &spot_command_input_predict,
    &spot_command_tasks,
    &spot_command_tasks_fit,
    &spot_command_profile,
    &spot_command_theory_checkpoint,
    &spot_command_model_fit,
    &spot_command_model_estimate,
    &spot_command_model_presets,
    &spot_command_completion,
    &spot_command_help,
    NULL,
};

const spot_command_t *spot_command_find(const char *name)
{
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        if (strcmp(spot_commands[j]->name, name) == 0) {
            return spot_commands[j];
        }
    }
    return NULL;
}

void spot_command_suggest(spot_suggest_t *near, const char *name)
{
    spot_suggest_init(near, name);
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        spot_suggest_offer(near, spot_commands[j]->name);
    }
}

const spot_command_t *spot_command_match(int num_words, char *const *words, int *num_used)
{
    for (*num_used = num_words < 2 ? num_words : 2; *num_used > 0; --*num_used) {
        const spot_command_t *command;
        char name[128];

        snprintf(name, sizeof(name), "%s%s%s", words[0], *num_used == 2 ? " " : "",
            *num_used == 2 ? words[1] : "");
        command = spot_command_find(name);
        if (command != NULL) {
            return command;
        }
    }
    return NULL;
}

/* before: what stands before the first of them. */
static void print_libraries(const char *before, const spot_library_t *libraries)
{
    for (const spot_library_t *library = libraries; library->name != NULL; library++) {
        printf("%s%s %s", library == libraries ? before : ", ", library->name, library->version());
    }
}

void spot_command_print_version(void)
{
    printf("spotsim %s (%s)\n", spot_build_info.version, spot_build_info.commit);
    printf("built with %s, %s\nruns with", spot_build_info.compiler, spot_build_info.build);
    print_libraries(" ", spot_base_libraries);
    print_libraries(", ", spot_store_libraries);
    putchar('\n');
}

/* ---- Calls ---- */

/* Whether all that went wrong is that the reader of standard output, such as head, has
 * seen enough. */
static bool is_reader_gone(const spot_diag_t *diag)
{
    char text[128];
    bool is_gone = diag->num_errors > 0;

    snprintf(text, sizeof(text), "standard output: cannot write: %s", strerror(EPIPE));
    for (size_t j = 0; j < diag->num_items && is_gone; j++) {
        is_gone = !diag->items[j].is_error || strcmp(diag->items[j].text, text) == 0;
    }
    return is_gone;
}

/* As others end when the reader of their output has gone. */
static void end_by_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int spot_command_close_stdout(int exit_code)
{
    const bool is_flushed = fflush(stdout) == 0;
    const int error = is_flushed ? 0 : errno;
    struct pollfd closed = {.fd = STDOUT_FILENO};

    if ((!is_flushed || ferror(stdout)) && poll(&closed, 1, 0) == 1 &&
        (closed.revents & POLLERR) != 0) {
        end_by_pipe();
    }
    if (exit_code != SPOT_EXIT_GOOD || (is_flushed && !ferror(stdout))) {
        return exit_code;
    }
    /* The reason of an earlier failure is no longer known. */
    fprintf(stderr, "standard output: cannot write%s%s\n", is_flushed ? "" : ": ",
        is_flushed ? "" : strerror(error));
    return SPOT_EXIT_FAILED;
}

/* Prints the diagnostics and turns an error into an exit code. */
static int finish(spot_call_t *self, int error)
{
    spot_diag_t *diag = &self->diag;
    const bool is_explained = diag->num_errors > 0;
    char shortage[SPOT_MEMORY_TEXT_BYTES];
    const bool is_unreadable =
        self->is_reading && error == SPOT_ERR_IO && !diag->out_of_descriptors;

    if (is_reader_gone(diag)) {
        end_by_pipe();
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
            /* what is said of input that did not fit into memory may be wrong */
            if (error < 0 && (!is_explained || error == SPOT_ERR_NO_MEMORY)) {
                fprintf(stderr, "spotsim: %s%s\n", spot_error_text(error),
                    error == SPOT_ERR_NO_MEMORY ? spot_memory_shortage(shortage) : "");
            }
            return error < 0 ? SPOT_EXIT_FAILED : error;
    }
}

/* The lists that options were stored in. */
static void free_lists(spot_call_t *self)
{
    for (const spot_option_t *option = self->command->options; option->name != NULL; option++) {
        if (option->kind == SPOT_OPTION_TEXTS || option->kind == SPOT_OPTION_ARGUMENTS) {
            spot_option_list_t *list = (void *) ((char *) self->arguments + option->offset);

            free(list->texts);
            *list = (spot_option_list_t){0};
        }
    }
}

int spot_command_call(const spot_command_t *command, int argc, char **argv)
{
    spot_call_t call = {.command = command, .argc = argc, .argv = argv};
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
        spot_memory_limit_enforce();
        call.is_reading = false;
        ret = spot_options_check_files(&call);
        if (ret == 0) {
            call.is_reading = true;
            ret = command->run(&call);
        }
        free_lists(&call);
    }
    ret = ret != 0 ? ret : call.texts.error;
    spot_texts_free(&call.texts);
    free(call.arguments);
    ret = finish(&call, ret);
    spot_diag_free(&call.diag);
    return ret;
}

/* ---- Files ---- */

int spot_command_open_store(spot_store_t **store, const char *path, spot_diag_t *diag)
{
    int ret;

    spot_interrupt_watch();
    ret = spot_store_open_sqlite_reader(store, path, diag);
    spot_interrupt_unwatch();
    if (ret == 0) {
        atomic_store(&(*store)->stop, &spot_stop);
        if (atomic_load(&spot_stop) != 0) {
            (*store)->close(*store);
            *store = NULL;
            ret = SPOT_ERR_INTERRUPTED;
        }
    }
    return ret;
}

int spot_command_close_store(spot_store_t *store, int error, spot_diag_t *diag)
{
    int flushed = 0;

    if (store != NULL) {
        flushed = store->flush(store, diag);
        store->close(store);
    }
    return flushed != 0 ? flushed : error;
}
