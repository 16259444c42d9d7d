/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the numbers come from, and how to get them again. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/build_info.h"
#include "base/canonical.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"

#define MAX_WRITERS 100 /* processes that are told of */
#define MAX_COMMANDS 20 /* that are shown as they were typed */
#define ID_BYTES 64

/* A table whose id is told from that of the other store, where there are two. */
static void
open_table(const spot_page_t *page, const char *id, const char *caption)
{
    char own_id[ID_BYTES];

    snprintf(own_id, sizeof(own_id), "%s%s%s", id, page->side == NULL ? "" : "-",
        page->side == NULL ? "" : page->side);
    spot_page_table_open(page->out, own_id, caption);
}

/* ---- Which processes wrote rows ---- */

/* "2026-01-31 12:00:00": as it is noted, without the fraction. */
static void
write_time(FILE *out, const char *time)
{
    const size_t day_bytes = strcspn(time, "T");

    spot_html_bytes(out, time, day_bytes);
    if (time[day_bytes] == 'T') {
        fputc(' ', out);
        spot_html_bytes(out, time + day_bytes + 1, strcspn(time + day_bytes + 1, ".Z"));
    }
}

static void
write_writer(FILE *out, const spot_provenance_t *writer, size_t number)
{
    fprintf(out, "<tr><th scope=\"row\">%zu</th>", number);
    fputs("<td>", out);
    write_time(out, writer->started);
    fputs("</td><td>", out);
    if (writer->ended != NULL) {
        write_time(out, writer->ended);
    } else {
        fputs("last seen ", out);
        write_time(out, writer->seen);
    }
    fputs("</td>", out);
    spot_html_element(
        out, "td", writer->outcome != NULL ? writer->outcome : "it runs, or was killed");
    spot_page_count_cell(out, writer->rows_added);
    spot_html_element(out, "td", writer->shard[0] == '\0' ? "all" : writer->shard);
    spot_page_count_cell(out, writer->num_threads);
    fputs("<td>", out);
    spot_html_text(out, writer->version);
    fputs(" ", out);
    spot_html_element(out, "code", writer->commit);
    fputs("</td></tr>\n", out);
}

static void
write_writers(const spot_page_t *page)
{
    const spot_origin_t *origin = page->origin;
    FILE *out = page->out;

    open_table(page, "writers-table", "Processes that added rows; times are UTC");
    spot_page_heads(out, (const char *const[]){"process", "started", "ended", "how",
                             "rows added", "shard", "threads", "version, commit", NULL});
    for (size_t j = 0; j < origin->num_writers && j < MAX_WRITERS; j++) {
        write_writer(out, &origin->writers[j], j + 1);
    }
    spot_page_table_close(out);
    if (origin->num_writers > MAX_WRITERS) {
        fprintf(out, "<p class=\"note\">The first %d of %zu processes.</p>\n",
            MAX_WRITERS, origin->num_writers);
    }
}

/* ---- What ran where: told once of all processes that are the same in it ---- */

static bool
is_same_build(const spot_provenance_t *a, const spot_provenance_t *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->commit, b->commit) == 0 &&
           strcmp(a->compiler, b->compiler) == 0 &&
           strcmp(a->libraries, b->libraries) == 0 &&
           strcmp(a->machine, b->machine) == 0;
}

/* Whether an earlier process was the same. */
static bool
is_told(const spot_origin_t *origin, size_t writer_id)
{
    for (size_t j = 0; j < writer_id; j++) {
        if (is_same_build(&origin->writers[j], &origin->writers[writer_id])) {
            return true;
        }
    }
    return false;
}

static void
write_build(const spot_origin_t *origin, size_t writer_id, FILE *out)
{
    const spot_provenance_t *writer = &origin->writers[writer_id];
    const char *before = "";

    fputs("<tr><th scope=\"row\">", out);
    for (size_t j = writer_id; j < origin->num_writers && j < MAX_WRITERS; j++) {
        if (is_same_build(writer, &origin->writers[j])) {
            fprintf(out, "%s%zu", before, j + 1);
            before = ", ";
        }
    }
    fputs("</th>", out);
    spot_html_element(out, "td", writer->compiler);
    spot_html_element(out, "td", writer->libraries);
    spot_html_element(out, "td", writer->machine);
    fputs("</tr>\n", out);
}

static void
write_builds(const spot_page_t *page)
{
    const spot_origin_t *origin = page->origin;
    FILE *out = page->out;

    open_table(page, "builds-table", "What they were built with and ran on");
    spot_page_heads(
        out, (const char *const[]){"process", "compiler", "libraries", "machine", NULL});
    for (size_t j = 0; j < origin->num_writers && j < MAX_WRITERS; j++) {
        if (!is_told(origin, j)) {
            write_build(origin, j, out);
        }
    }
    spot_page_table_close(out);
}

/* Two programs may give other numbers for the same study. */
static void
write_doubt(const spot_page_t *page)
{
    const spot_origin_t *origin = page->origin;
    bool is_mixed = false;

    for (size_t j = 1; j < origin->num_writers; j++) {
        is_mixed = is_mixed ||
                   strcmp(origin->writers[0].version, origin->writers[j].version) != 0 ||
                   strcmp(origin->writers[0].commit, origin->writers[j].commit) != 0;
    }
    if (is_mixed) {
        fputs(
            "<p><strong>Not all rows are of the same program:</strong> another version "
            "or commit may give other numbers for the same replication.</p>\n",
            page->out);
    }
}

/* ---- What the rows depend on ---- */

static int
write_files(const spot_page_t *page)
{
    static const char prefix[] = SPOT_CANONICAL_FILES ".";
    spot_canonical_t canonical = {0};
    FILE *out = page->out;
    bool is_open = false;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_canonical_parse(
        &canonical, page->source->path, page->origin->canonical, &diag);
    for (size_t j = 0; ret == 0 && j < canonical.num_entries; j++) {
        const spot_canonical_entry_t *entry = &canonical.entries[j];

        if (strncmp(entry->path, prefix, sizeof(prefix) - 1) != 0) {
            continue;
        }
        if (!is_open) {
            open_table(page, "files-table", "Files that the study read");
            spot_page_heads(out, (const char *const[]){"file", "SHA-256", NULL});
            is_open = true;
        }
        fputs("<tr>", out);
        fputs("<th scope=\"row\">", out);
        spot_page_path(out, entry->path + sizeof(prefix) - 1,
            strlen(entry->path) - (sizeof(prefix) - 1));
        fputs("</th><td>", out);
        spot_html_element(out, "code", entry->text);
        fputs("</td>", out);
        fputs("</tr>\n", out);
    }
    if (is_open) {
        spot_page_table_close(out);
    }
    spot_canonical_free(&canonical);
    spot_diag_free(&diag);
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
}

static int
write_canonical(const spot_page_t *page)
{
    const spot_origin_t *origin = page->origin;
    FILE *out = page->out;
    int ret;

    if (origin->canonical == NULL) {
        return 0;
    }
    fputs("<details>\n<summary>What the rows depend on</summary>\n", out);
    ret = write_files(page);
    fputs("<p>The study as one text, with all defaults. Its SHA-256 is ", out);
    spot_html_element(out, "code", origin->canonical_sha256);
    fputs(": two databases with the same one, made by the same version, have the same "
          "rows, as far as both go.</p>\n",
        out);
    spot_html_element(out, "pre class=\"scroll\" tabindex=\"0\"", origin->canonical);
    fputs("\n</details>\n", out);
    return ret;
}

/* ---- How to repeat it ---- */

/* The name without its folder, which is of no use to others. */
static const char *
file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* As a shell reads it: whatever is not plain stands in single quotes. */
static void
write_shell_word(FILE *out, const char *word)
{
    const size_t num_plain = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_.,@%+="
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ:-");

    if (word[0] != '\0' && word[0] != '-' && word[num_plain] == '\0') {
        fputs(word, out);
        return;
    }
    fputs(word[0] == '-' ? "./'" : "'", out);
    for (; *word != '\0'; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, out);
    }
    fputc('\'', out);
}

/* The program calls itself by two words, which stand in quotes as if they were one. */
static void
write_command_line(const char *command_line, FILE *out)
{
    static const char start[] = "'spotsim ";
    const char *end = strchr(command_line + 1, '\'');

    if (strncmp(command_line, start, sizeof(start) - 1) != 0 || end == NULL) {
        fputs(command_line, out);
        return;
    }
    fprintf(out, "%.*s%s", (int) (end - command_line - 1), command_line + 1, end + 1);
}

/* Whether an earlier process was started in the same way. */
static bool
is_command_told(const spot_origin_t *origin, size_t writer_id)
{
    for (size_t j = 0; j < writer_id; j++) {
        if (strcmp(origin->writers[j].command_line,
                origin->writers[writer_id].command_line) == 0) {
            return true;
        }
    }
    return false;
}

/* One line a command, each once. */
static void
write_study_commands(const spot_page_t *page, FILE *out)
{
    const spot_origin_t *origin = page->origin;
    size_t num_commands = 0;

    for (size_t j = 0; j < origin->num_writers && j < MAX_WRITERS; j++) {
        const char *command_line = origin->writers[j].command_line;

        if (command_line[0] == '\0' || is_command_told(origin, j)) {
            continue;
        }
        if (num_commands++ < MAX_COMMANDS) {
            write_command_line(command_line, out);
            fputc('\n', out);
        }
    }
    if (num_commands > MAX_COMMANDS) {
        fprintf(out, "# ... and %zu more\n", num_commands - MAX_COMMANDS);
    }
}

static void
write_export_command(const spot_page_t *page, FILE *out)
{
    fputs("spotsim export ", out);
    write_shell_word(out, file_name(page->source->path));
    fputs(" -o rows.csv\n", out);
}

static void
write_page_commands(const spot_page_t *page, FILE *out)
{
    fputs("spotsim report ", out);
    write_shell_word(out, file_name(page->source->path));
    fputs(" -o report.html\n", out);
    write_export_command(page, out);
}

/* Where both files have the same name only their folders tell them apart. */
static void
write_two_command(const spot_page_t *pages, FILE *out)
{
    const char *first = pages[0].source->path, *second = pages[1].source->path;
    const bool is_same = strcmp(file_name(first), file_name(second)) == 0;

    fputs("spotsim report ", out);
    write_shell_word(out, is_same ? first : file_name(first));
    fputc(' ', out);
    write_shell_word(out, is_same ? second : file_name(second));
    fputs(" -o report.html\n", out);
}

/* Commands to be typed, in a place that scrolls. */
static int
write_commands(
    const spot_page_t *page, void (*write_text)(const spot_page_t *page, FILE *out))
{
    spot_page_text_t text;
    const int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    write_text(page, text.stream);
    return spot_page_text_element(
        &text, page->out, "pre class=\"scroll\" tabindex=\"0\"");
}

/* "This page, made by spotsim 1.0 abc1234". */
static void
write_maker(FILE *out)
{
    fputs("<p>This page, made by spotsim ", out);
    spot_html_text(out, spot_build_info.version);
    fputs(" ", out);
    spot_html_element(out, "code", spot_build_info.commit);
}

static int
write_repeat(const spot_page_t *page)
{
    FILE *out = page->out;
    int ret;

    fputs("<details>\n<summary>How to repeat it</summary>\n<p>With the same version "
          "(<code>spotsim "
          "--version</code> tells yours), the same study and files. The results do not "
          "depend on the number of threads or parts.</p>\n",
        out);
    if (page->origin->num_writers > 0) {
        fputs("<p>Commands that made the rows:</p>\n", out);
        ret = write_commands(page, write_study_commands);
        if (ret != 0) {
            return ret;
        }
    }
    if (page->side != NULL) {
        fputs("<p>The rows as CSV:</p>\n", out);
        return write_commands(page, write_export_command);
    }
    write_maker(out);
    fputs(", and the rows as CSV:</p>\n", out);
    return write_commands(page, write_page_commands);
}

static int
write(const spot_page_t *page)
{
    int ret;

    fputs(page->side == NULL ? "<p>All of this page is made from the database "
                             : "<p>All of it is made from the database ",
        page->out);
    spot_html_element(page->out, "code", file_name(page->source->path));
    fputs(".</p>\n", page->out);
    if (page->origin->num_writers > 0) {
        write_doubt(page);
        fputs("<details>\n<summary>What made the rows, and when</summary>\n", page->out);
        write_writers(page);
        write_builds(page);
        fputs("</details>\n", page->out);
    }
    ret = write_repeat(page);
    fputs("</details>\n", page->out);
    return ret == 0 ? write_canonical(page) : ret;
}

const spot_page_part_t spot_page_origin = {
    "origin", "Where it comes from, and how to repeat it", NULL, write};

/* ---- Of two stores ---- */

int
spot_page_origin_of_two(const spot_page_t pages[2])
{
    static const struct {
        const char *id;
        const char *title;
    } sections[] = {{"origin-a", "Where A comes from, and how to repeat it"},
        {"origin-b", "Where B comes from, and how to repeat it"}};
    FILE *out = pages[0].out;
    int ret = 0;

    for (int j = 0; ret == 0 && j < 2; j++) {
        spot_page_section_open(out, sections[j].id, sections[j].title);
        ret = write(&pages[j]);
        fputs("</section>\n", out);
    }
    if (ret == 0) {
        spot_page_section_open(out, "origin-page", "How to repeat this page");
        write_maker(out);
        fputs(":</p>\n", out);
        ret = write_commands(pages, write_two_command);
        fputs("</section>\n", out);
    }
    return ret;
}
