/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was fixed, where the numbers come from, and how to get them again. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/canonical.h"
#include "base/provenance.h"
#include "reports/page/page_internal.h"
#include "reports/words.h"

#define MAX_WRITERS 100 /* processes that are listed */
#define MAX_COMMANDS 20 /* that are shown as they were typed */

/* A table of texts: its caption and its columns, up to NULL. */
static void start_table(spot_table_t *table, const char *caption, const char *const *names)
{
    FILE *stream = spot_table_begin_text(table);

    if (stream != NULL) {
        fputs(caption, stream);
    }
    spot_table_end_caption(table, stream);
    for (; *names != NULL; names++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = *names, .kind = SPOT_TABLE_TEXT});
    }
}

/* The first bytes of a path of base/canonical as --set takes it, without \. */
static const char *shown_path(const char *path, size_t num_bytes, spot_texts_t *texts)
{
    char *shown = spot_texts_room(texts, num_bytes + 1);
    size_t num_shown = 0;

    if (shown == NULL) {
        return "";
    }
    for (size_t j = 0; j < num_bytes; j++) {
        j += path[j] == '\\' && j + 1 < num_bytes ? 1 : 0;
        shown[num_shown++] = path[j];
    }
    return shown;
}

/* ---- The scenario as every point had it ---- */

/* What the page says elsewhere, or is no parameter. */
static bool is_scenario(const char *path)
{
    static const char *const others[] = {
        "keep", "metrics", "order", "replications", "sweep", SPOT_CANONICAL_FILES};
    const size_t num_bytes = strcspn(path, ".[");

    for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], path, num_bytes) == 0) {
            return false;
        }
    }
    return true;
}

/* Bytes of the path of the list that an entry lies within, the outermost one; all of the
 * path where there is none. Brackets within a key have a \ before them. */
static size_t stem_bytes(const char *path)
{
    size_t j = 0;

    while (path[j] != '\0' && path[j] != '[') {
        j += path[j] == '\\' && path[j + 1] != '\0' ? 2 : 1;
    }
    return j;
}

/* The entry behind the last of the list that this one is in, or behind this one. */
static size_t list_end(const spot_canonical_t *self, size_t first)
{
    const char *path = self->entries[first].path;
    const size_t stem = stem_bytes(path);
    size_t end = first + 1;

    while (path[stem] == '[' && end < self->num_entries &&
           strncmp(self->entries[end].path, path, stem + 1) == 0) {
        end++;
    }
    return end;
}

/* "[3].mean = " stands before a value; in plain lists nothing. */
static void add_list(const spot_canonical_t *self, size_t first, size_t end, spot_table_t *table)
{
    const size_t stem = stem_bytes(self->entries[first].path);
    FILE *stream = spot_table_begin_text(table);

    for (size_t j = first; stream != NULL && j < end; j++) {
        const char *item = self->entries[j].path + stem;
        const bool is_plain = strcspn(item, "]") + 1 == strlen(item);

        fprintf(stream, "%s%s%s%s", j == first ? "" : ", ", is_plain ? "" : item,
            is_plain ? "" : " = ", self->entries[j].text);
    }
    spot_table_end_cell(table, stream);
}

/* A key, its value and unit; a list as a whole. */
static void add_key(const spot_canonical_t *self, const spot_study_head_t *head, size_t first,
    size_t end, spot_table_t *table, spot_texts_t *texts)
{
    const char *path = self->entries[first].path, *text = self->entries[first].text;
    size_t num_bytes;

    spot_table_add_row(table);
    spot_table_add_text(table, shown_path(path, stem_bytes(path), texts));
    if (end > first + 1) {
        add_list(self, first, end, table);
    } else {
        const char *unit = spot_key_unit(head, path, text, &num_bytes);

        spot_table_add_text(table, spot_texts_add(texts, "%.*s", (int) num_bytes, text));
        spot_table_add_text(table, unit);
    }
}

/* The text of the study as a list, to be freed; false where it cannot be read. */
static bool read_canonical(spot_canonical_t *self, const char *path, const spot_origin_t *origin,
    spot_document_t *document)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_canonical_parse(self, path, origin->canonical, &diag);
    spot_document_fail(document, ret == SPOT_ERR_BAD_INPUT ? 0 : ret);
    spot_diag_free(&diag);
    return ret == 0;
}

void spot_page_fixed_write(const char *path, const spot_study_head_t *head,
    const spot_origin_t *origin, spot_document_t *document)
{
    spot_table_t table = {.name = "fixed"};
    spot_canonical_t canonical = {0};

    if (origin->canonical == NULL) {
        return;
    }
    if (read_canonical(&canonical, path, origin, document)) {
        spot_document_fold(document, "What was fixed");
        start_table(&table, "The scenario of all points, defaults included, without the keys above",
            (const char *const[]){"key", "value", "unit", NULL});
        for (size_t j = 0, end; j < canonical.num_entries; j = end) {
            end = list_end(&canonical, j);
            if (is_scenario(canonical.entries[j].path)) {
                add_key(&canonical, head, j, end, &table, &document->texts);
            }
        }
        spot_document_table(document, "fixed-table", &table);
        spot_document_end_fold(document);
    } else {
        spot_document_note(document,
            "The text of the study in the database cannot be read; it stands at the end "
            "of this page as it is.");
    }
    spot_canonical_free(&canonical);
}

/* ---- Which processes wrote rows ---- */

/* Whether no earlier process is the same in what the call compares. */
static bool is_first(const spot_origin_t *origin, size_t writer_id,
    bool (*is_same)(const spot_provenance_t *a, const spot_provenance_t *b))
{
    for (size_t j = 0; j < writer_id; j++) {
        if (is_same(&origin->writers[j], &origin->writers[writer_id])) {
            return false;
        }
    }
    return true;
}

static bool is_same_program(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->commit, b->commit) == 0;
}

static bool is_same_build(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return is_same_program(a, b) && strcmp(a->compiler, b->compiler) == 0 &&
           strcmp(a->libraries, b->libraries) == 0 && strcmp(a->machine, b->machine) == 0;
}

static bool is_same_command(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return strcmp(a->command_line, b->command_line) == 0;
}

/* "2026-01-31 12:00:00": as it is noted, without the fraction. */
static const char *time_words(const char *time, spot_texts_t *texts)
{
    const int day_bytes = (int) strcspn(time, "T");
    const char *clock = time[day_bytes] == 'T' ? time + day_bytes + 1 : "";

    return spot_texts_add(texts, "%.*s%s%.*s", day_bytes, time, clock[0] == '\0' ? "" : " ",
        (int) strcspn(clock, ".Z"), clock);
}

static void add_writer(
    const spot_provenance_t *writer, size_t number, spot_table_t *table, spot_texts_t *texts)
{
    spot_table_add_row(table);
    spot_table_add_text(table, spot_texts_add(texts, "%zu", number));
    spot_table_add_text(table, time_words(writer->started, texts));
    spot_table_add_text(table, writer->ended != NULL ? time_words(writer->ended, texts)
                                                     : spot_texts_add(texts, "last seen %s",
                                                           time_words(writer->seen, texts)));
    spot_table_add_text(
        table, writer->outcome != NULL ? writer->outcome : "it runs, or was killed");
    spot_table_add_count(table, writer->rows_added);
    spot_table_add_text(table, writer->shard[0] == '\0' ? "all" : writer->shard);
    spot_table_add_count(table, writer->num_threads);
    spot_table_add_text(table, spot_texts_add(texts, "%s %s", writer->version, writer->commit));
}

/* One row of all processes that are the same in what they were built with and ran on. */
static void add_build(const spot_origin_t *origin, size_t writer_id, spot_table_t *table)
{
    const spot_provenance_t *writer = &origin->writers[writer_id];
    FILE *stream;

    spot_table_add_row(table);
    stream = spot_table_begin_text(table);
    for (size_t j = writer_id; stream != NULL && j < origin->num_writers && j < MAX_WRITERS; j++) {
        if (is_same_build(writer, &origin->writers[j])) {
            fprintf(stream, "%s%zu", j == writer_id ? "" : ", ", j + 1);
        }
    }
    spot_table_end_cell(table, stream);
    spot_table_add_text(table, writer->compiler);
    spot_table_add_text(table, writer->libraries);
    spot_table_add_text(table, writer->machine);
}

static void write_writers(
    const spot_origin_t *origin, const char *suffix, spot_document_t *document)
{
    spot_table_t writers = {.name = "writers"}, builds = {.name = "builds"};
    spot_texts_t *texts = &document->texts;
    bool is_mixed = false;

    start_table(&writers, "Processes that added rows; times are UTC",
        (const char *const[]){"process", "started", "ended", "how", "rows added", "shard",
            "threads", "version, commit", NULL});
    start_table(&builds, "What they were built with and ran on",
        (const char *const[]){"process", "compiler", "libraries", "machine", NULL});
    for (size_t j = 0; j < origin->num_writers; j++) {
        is_mixed = is_mixed || !is_same_program(&origin->writers[0], &origin->writers[j]);
        if (j < MAX_WRITERS) {
            add_writer(&origin->writers[j], j + 1, &writers, texts);
        }
        if (j < MAX_WRITERS && is_first(origin, j, is_same_build)) {
            add_build(origin, j, &builds);
        }
    }
    if (origin->num_writers > MAX_WRITERS) {
        spot_table_add_note(&writers, "",
            spot_texts_add(
                texts, "The first %d of %zu processes.", MAX_WRITERS, origin->num_writers));
    }
    if (is_mixed) {
        spot_document_paragraph(document,
            "Not all rows are of the same program: another version or commit may give "
            "other numbers for the same replication.");
    }
    spot_document_fold(document, "What made the rows, and when");
    spot_document_table(document, spot_texts_add(texts, "writers-table%s", suffix), &writers);
    spot_document_table(document, spot_texts_add(texts, "builds-table%s", suffix), &builds);
    spot_document_end_fold(document);
}

/* ---- What the rows depend on ---- */

/* A text as it is, in a place that scrolls. */
static void write_verbatim(const char *text, spot_document_t *document)
{
    spot_document_end_list(document);
    spot_html_element(document->out, "pre class=\"scroll\" tabindex=\"0\"", text);
    fputc('\n', document->out);
}

static void write_files(
    const char *path, const spot_origin_t *origin, const char *suffix, spot_document_t *document)
{
    static const char prefix[] = SPOT_CANONICAL_FILES ".";
    const size_t num_bytes = sizeof(prefix) - 1;
    spot_texts_t *texts = &document->texts;
    spot_table_t table = {.name = "files"};
    spot_canonical_t canonical = {0};
    const bool is_read = read_canonical(&canonical, path, origin, document);

    start_table(
        &table, "Files that the study read", (const char *const[]){"file", "SHA-256", NULL});
    for (size_t j = 0; is_read && j < canonical.num_entries; j++) {
        const spot_canonical_entry_t *entry = &canonical.entries[j];

        if (strncmp(entry->path, prefix, num_bytes) == 0) {
            const char *name = entry->path + num_bytes;

            spot_table_add_row(&table);
            spot_table_add_text(&table, shown_path(name, strlen(name), texts));
            spot_table_add_text(&table, entry->text);
        }
    }
    if (table.num_rows > 0) {
        spot_document_table(document, spot_texts_add(texts, "files-table%s", suffix), &table);
    }
    spot_table_free(&table);
    spot_canonical_free(&canonical);
}

/* ---- How to repeat it ---- */

/* The name without its folder, which is of no use to others. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* As a shell reads it: whatever is not plain stands in single quotes. */
static const char *shell_word(const char *word, spot_texts_t *texts)
{
    const size_t num_plain = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_.,@%+="
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ:-");
    FILE *stream;

    if (word[0] != '\0' && word[0] != '-' && word[num_plain] == '\0') {
        return word;
    }
    stream = spot_texts_begin(texts);
    if (stream != NULL) {
        fputs(word[0] == '-' ? "./'" : "'", stream);
        for (; *word != '\0'; word++) {
            fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, stream);
        }
        fputc('\'', stream);
    }
    return spot_texts_end(texts, stream);
}

/* One line a command, each once. The program calls itself by two words, which stand in
 * quotes as if they were one. */
static void write_commands(const spot_origin_t *origin, spot_document_t *document)
{
    FILE *stream = spot_texts_begin(&document->texts);
    size_t num_commands = 0;

    for (size_t j = 0; stream != NULL && j < origin->num_writers && j < MAX_WRITERS; j++) {
        static const char start[] = "'spotsim ";
        const char *line = origin->writers[j].command_line;
        const char *end = line[0] == '\0' ? NULL : strchr(line + 1, '\'');

        if (line[0] == '\0' || !is_first(origin, j, is_same_command) ||
            num_commands++ >= MAX_COMMANDS) {
            continue;
        }
        if (strncmp(line, start, sizeof(start) - 1) == 0 && end != NULL) {
            fprintf(stream, "%.*s%s\n", (int) (end - line - 1), line + 1, end + 1);
        } else {
            fprintf(stream, "%s\n", line);
        }
    }
    if (num_commands > MAX_COMMANDS) {
        fprintf(stream, "# ... and %zu more\n", num_commands - MAX_COMMANDS);
    }
    spot_document_paragraph(document, "Commands that made the rows:");
    write_verbatim(spot_texts_end(&document->texts, stream), document);
}

static const char *maker_words(spot_texts_t *texts)
{
    return spot_texts_add(
        texts, "This page, made by spotsim %s %s", spot_build_info.version, spot_build_info.commit);
}

/* Of one store; suffix: of the ids of its tables where there is another store. */
static void write_origin(
    const char *path, const spot_origin_t *origin, const char *suffix, spot_document_t *document)
{
    const bool is_alone = suffix[0] == '\0';
    spot_texts_t *texts = &document->texts;
    const char *name = shell_word(file_name(path), texts);
    const char *export_line = spot_texts_add(texts, "spotsim export %s -o rows.csv\n", name);

    spot_document_paragraph(document, "All of %s is made from the database %s.",
        is_alone ? "this page" : "it", file_name(path));
    if (origin->num_writers > 0) {
        write_writers(origin, suffix, document);
    }
    spot_document_fold(document, "How to repeat it");
    spot_document_paragraph(document,
        "With the same version (spotsim --version prints yours), the same study and "
        "files. The results do not depend on the number of threads or parts.");
    if (origin->num_writers > 0) {
        write_commands(origin, document);
    }
    if (is_alone) {
        spot_document_paragraph(document, "%s, and the rows as CSV:", maker_words(texts));
        write_verbatim(
            spot_texts_add(texts, "spotsim report %s -o report.html\n%s", name, export_line),
            document);
    } else {
        spot_document_paragraph(document, "The rows as CSV:");
        write_verbatim(export_line, document);
    }
    spot_document_end_fold(document);
    if (origin->canonical != NULL) {
        spot_document_fold(document, "What the rows depend on");
        write_files(path, origin, suffix, document);
        spot_document_paragraph(document,
            "The study as one text, with all defaults. Its SHA-256 is %s: two databases "
            "with the same one, made by the same version, have the same rows, as far as "
            "both go.",
            origin->canonical_sha256);
        write_verbatim(origin->canonical, document);
        spot_document_end_fold(document);
    }
}

void spot_page_origin_write(
    const char *path, const spot_origin_t *origin, spot_document_t *document)
{
    write_origin(path, origin, "", document);
}

/* Where both files have the same name only their folders differ. */
void spot_page_origins_write(
    const char *const paths[2], const spot_origin_t origins[2], spot_document_t *document)
{
    const char *first = file_name(paths[0]), *second = file_name(paths[1]);
    const bool is_same = strcmp(first, second) == 0;
    spot_texts_t *texts = &document->texts;

    spot_document_section(document, "origin-a", "Where A comes from, and how to repeat it");
    write_origin(paths[0], &origins[0], "-a", document);
    spot_document_section(document, "origin-b", "Where B comes from, and how to repeat it");
    write_origin(paths[1], &origins[1], "-b", document);
    spot_document_section(document, "origin-page", "How to repeat this page");
    spot_document_paragraph(document, "%s:", maker_words(texts));
    write_verbatim(spot_texts_add(texts, "spotsim report %s %s -o report.html\n",
                       shell_word(is_same ? paths[0] : first, texts),
                       shell_word(is_same ? paths[1] : second, texts)),
        document);
}
