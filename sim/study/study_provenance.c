/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_provenance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/machine.h"
#include "base/memory.h"
#include "sim/study/documents.h"

#define NUMBER_BYTES 24
#define PATH_BYTES 32

static int
add_number(spot_canonical_t *list, const char *path, uint64_t number)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    return spot_canonical_add(list, path, text);
}

static int
add_item(spot_canonical_t *list, const char *key, size_t item_id, const char *text)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s[%zu]", key, item_id);
    return spot_canonical_add(list, path, text);
}

static int
compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* In an order of their own: that of the sweep does not matter to the rows. */
static int
add_swept_keys(spot_canonical_t *list, const spot_study_head_t *head)
{
    const char **paths = spot_calloc(head->num_axes, sizeof(*paths));
    int ret = paths == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        paths[j] = head->axes[j].path;
    }
    if (ret == 0 && head->num_axes > 0) {
        qsort(paths, head->num_axes, sizeof(*paths), compare_paths);
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = add_item(list, "sweep", j, paths[j]);
    }
    free(paths);
    return ret;
}

/* What the study itself says beside the scenario. */
static int
add_study(spot_canonical_t *list, const spot_study_head_t *head)
{
    int ret = add_number(list, "replications.seed", head->seed);

    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        ret = add_item(list, "metrics", j, head->metrics[j].name);
    }
    return ret == 0 ? add_swept_keys(list, head) : ret;
}

int
spot_study_canonical(const spot_study_t *self, spot_canonical_t *list)
{
    int ret = spot_canonical_make(list, self->experiment->fields,
        spot_documents_scenario(self->documents), self->inputs);

    spot_canonical_drop(list, "scenario"); /* a name */
    for (size_t j = 0; ret == 0 && j < self->head.num_axes; j++) {
        spot_canonical_drop(list, self->head.axes[j].path);
    }
    return ret == 0 ? add_study(list, &self->head) : ret;
}

/* What a function writes, or NULL: no memory. */
static char *
written_text(void (*write)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    if (out == NULL) {
        return NULL;
    }
    write(out, context);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void
write_libraries(FILE *out, const void *context)
{
    const spot_library_t *const *rooms = context;
    const char *before = "";

    for (size_t j = 0; rooms[j] != NULL; j++) {
        for (const spot_library_t *library = rooms[j]; library->name != NULL;
             library++) {
            fprintf(out, "%s%s %s", before, library->name, library->version());
            before = ", ";
        }
    }
}

static void
write_machine(FILE *out, const void *context)
{
    const spot_machine_t *machine = context;

    fprintf(out, "%s: %" PRId64 " x %s, %.1f GB, %s %s %s", machine->host,
        machine->num_processors,
        machine->processor[0] == '\0' ? "processor" : machine->processor,
        1e-9 * (double) machine->memory_bytes, machine->system, machine->release,
        machine->architecture);
}

typedef struct {
    int argc;
    char *const *argv;
} arguments_t;

/* As a shell would read it: whatever is not plain stands in single quotes. */
static void
write_command_line(FILE *out, const void *context)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./:,@%";
    const arguments_t *arguments = context;

    for (int j = 0; j < arguments->argc; j++) {
        const char *text = arguments->argv[j];

        fputs(j > 0 ? " " : "", out);
        if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
            fputs(text, out);
            continue;
        }
        fputc('\'', out);
        for (; *text != '\0'; text++) {
            fputs(*text == '\'' ? "'\\''" : (char[2]){*text, '\0'}, out);
        }
        fputc('\'', out);
    }
}

/* The texts, and whether all of them are there. */
static bool
write_texts(spot_study_provenance_t *self, int argc, char *const *argv)
{
    const spot_library_t *const rooms[] = {
        spot_base_libraries, spot_store_libraries, NULL};
    const arguments_t arguments = {argc, argv};
    spot_machine_t machine;

    spot_machine_read(&machine);
    self->libraries = written_text(write_libraries, rooms);
    self->machine = written_text(write_machine, &machine);
    self->command_line = written_text(write_command_line, &arguments);
    return self->libraries != NULL && self->machine != NULL &&
           self->command_line != NULL;
}

int
spot_study_provenance_init(spot_study_provenance_t *self, const spot_study_t *study,
    int argc, char *const *argv)
{
    spot_canonical_t list = {0};
    int ret = spot_study_canonical(study, &list);

    memset(self, 0, sizeof(*self));
    if (ret == 0) {
        ret = spot_canonical_hash(&list, self->sha256);
    }
    if (ret == 0) {
        self->canonical = spot_canonical_text(&list);
        ret = self->canonical == NULL || !write_texts(self, argc, argv)
                  ? SPOT_ERR_NO_MEMORY
                  : 0;
    }
    spot_canonical_free(&list);
    self->provenance = (spot_provenance_t){.canonical = self->canonical,
        .canonical_sha256 = self->sha256,
        .version = spot_build_info.version,
        .commit = spot_build_info.commit,
        .compiler = spot_build_info.compiler,
        .libraries = self->libraries,
        .machine = self->machine,
        .command_line = self->command_line,
        .shard = ""};
    return ret;
}

void
spot_study_provenance_free(spot_study_provenance_t *self)
{
    free(self->canonical);
    free(self->libraries);
    free(self->machine);
    free(self->command_line);
    memset(self, 0, sizeof(*self));
}
