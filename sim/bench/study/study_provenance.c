/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/provenance.h"
#include "sim/bench/study/reading.h"

#define PATH_BYTES 32

/* Adds what rows depend on besides the scenario. The swept keys are sorted, as rows do
 * not depend on their order. */
static int add_study(spot_canonical_t *list, const spot_study_head_t *head)
{
    char path[PATH_BYTES], seed[PATH_BYTES];
    int ret;

    snprintf(seed, sizeof(seed), "%" PRIu64, head->seed);
    ret = spot_canonical_add(list, "replications.seed", seed);
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        snprintf(path, sizeof(path), "metrics[%zu]", j);
        ret = spot_canonical_add(list, path, head->metrics[j].name);
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        size_t rank = 0;

        for (size_t k = 0; k < head->num_axes; k++) {
            rank += strcmp(head->axes[k].path, head->axes[j].path) < 0;
        }
        snprintf(path, sizeof(path), "sweep[%zu]", rank);
        ret = spot_canonical_add(list, path, head->axes[j].path);
    }
    return ret;
}

/* Lists what the rows depend on: the scenario without its name and the swept keys, the
 * files that it names, and the seed, metrics and swept keys of the study. The numbers of
 * points and replications and the form of reports are not in the list. */
static int make_canonical(const spot_study_t *self, spot_canonical_t *list)
{
    int ret = spot_canonical_make(
        list, self->experiment->fields, self->template->scenario.root, self->inputs);

    spot_canonical_drop(list, "scenario"); /* a name */
    for (size_t j = 0; ret == 0 && j < self->head.num_axes; j++) {
        spot_canonical_drop(list, self->head.axes[j].path);
    }
    return ret == 0 ? add_study(list, &self->head) : ret;
}

/* As a shell reads it: an argument with special characters stands in single quotes. */
static void write_argument(const char *text, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'\\''" : (char[2]){*text, '\0'}, out);
    }
    fputc('\'', out);
}

/* Writes the libraries, the machine and the command line into one block. */
static int write_texts(spot_study_provenance_t *self, int argc, char *const *argv)
{
    const spot_library_t *const rooms[] = {spot_base_libraries, spot_store_libraries};
    spot_machine_t machine;
    size_t num_bytes;
    FILE *out = open_memstream(&self->texts, &num_bytes);

    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sizeof(rooms) / sizeof(rooms[0]); j++) {
        for (size_t k = 0; rooms[j][k].name != NULL; k++) {
            fprintf(
                out, "%s%s %s", j + k == 0 ? "" : ", ", rooms[j][k].name, rooms[j][k].version());
        }
    }
    fputc('\0', out);
    spot_machine_read(&machine);
    fprintf(out, "%s: %" PRId64 " x %s, %.1f GB, %s %s %s", machine.host, machine.num_processors,
        machine.processor[0] == '\0' ? "processor" : machine.processor,
        1e-9 * (double) machine.memory_bytes, machine.system, machine.release,
        machine.architecture);
    fputc('\0', out);
    for (int j = 0; j < argc; j++) {
        fputs(j > 0 ? " " : "", out);
        write_argument(argv[j], out);
    }
    if (fclose(out) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->provenance.libraries = self->texts;
    self->provenance.machine = self->texts + strlen(self->texts) + 1;
    self->provenance.command_line = self->provenance.machine + strlen(self->provenance.machine) + 1;
    return 0;
}

int spot_study_provenance_init(
    spot_study_provenance_t *self, const spot_study_t *study, int argc, char *const *argv)
{
    spot_canonical_t list = {0};
    int ret = make_canonical(study, &list);

    memset(self, 0, sizeof(*self));
    self->provenance = (spot_provenance_t){.canonical_sha256 = self->sha256,
        .version = spot_build_info.version,
        .commit = spot_build_info.commit,
        .compiler = spot_build_info.compiler,
        .shard = ""};
    ret = ret == 0 ? spot_canonical_hash(&list, self->sha256) : ret;
    self->canonical = ret == 0 ? spot_canonical_text(&list) : NULL;
    self->provenance.canonical = self->canonical;
    if (ret == 0) {
        ret = self->canonical == NULL ? SPOT_ERR_NO_MEMORY : write_texts(self, argc, argv);
    }
    spot_canonical_free(&list);
    return ret;
}

void spot_study_provenance_free(spot_study_provenance_t *self)
{
    free(self->canonical);
    free(self->texts);
    memset(self, 0, sizeof(*self));
}
