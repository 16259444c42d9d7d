/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/output.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files.h"
#include "base/json.h"
#include "base/number.h"

/* Wider than any screen; beyond, COLUMNS is a mistake. */
#define MAX_WIDTH 10000

/* Of what zlib takes at once. */
#define MAX_PART_BYTES (1u << 30)

bool spot_has_suffix(const char *path, const char *suffix)
{
    const size_t num_bytes = strlen(path), length = strlen(suffix);

    return num_bytes >= length && strcmp(path + num_bytes - length, suffix) == 0;
}

/* That of the user, whatever the program's own locale is. */
bool spot_terminal_is_utf8(void)
{
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t) 0);
    bool is_utf8 = false;

    if (locale != (locale_t) 0) {
        const char *name = nl_langinfo_l(CODESET, locale);

        is_utf8 = strcasecmp(name, "UTF-8") == 0 || strcasecmp(name, "utf8") == 0;
        freelocale(locale);
    }
    return is_utf8;
}

static int output_width(void)
{
    const char *text = getenv("COLUMNS");
    struct winsize size;
    int64_t width = 0;

    if ((text == NULL || spot_integer_parse(text, &width) != 0 || width <= 0 ||
            width > MAX_WIDTH) &&
        (width = 0, ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)) {
        width = size.ws_col;
    }
    if (width == 0) {
        width = SPOT_TERMINAL_WIDTH;
    }
    return width < SPOT_TERMINAL_MIN_WIDTH ? SPOT_TERMINAL_MIN_WIDTH : (int) width;
}

spot_terminal_t spot_terminal_of_output(bool is_plain)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool is_dumb = term == NULL || strcmp(term, "dumb") == 0;
    const bool is_refused = is_plain || (no_colour != NULL && no_colour[0] != '\0');

    return (spot_terminal_t){.width = output_width(),
        .has_colour = !is_refused && !is_dumb && isatty(STDOUT_FILENO) == 1,
        .is_utf8 = spot_terminal_is_utf8()};
}

FILE *spot_output_begin(spot_output_t *self, const spot_target_t *target, spot_diag_t *diag)
{
    const bool is_file = target->path != NULL && !spot_files_is_dash(target->path);

    *self = (spot_output_t){.is_text = !target->is_json, .diag = diag};
    self->is_late = self->is_text && !is_file;
    self->error = self->is_late ? 0 : spot_outfile_init(&self->file, target->path, diag);
    if (self->error == 0 && self->is_text) {
        self->terminal = spot_terminal_of_output(target->is_plain || is_file);
        self->stream = open_memstream(&self->text, &self->num_bytes);
        self->error = self->stream == NULL ? SPOT_ERR_NO_MEMORY : 0;
    } else if (self->error == 0) {
        self->stream = self->file.stream;
    }
    return self->stream;
}

/* Bytes for gzip are kept, and compressed at the end. */
FILE *spot_output_bytes(spot_output_t *self, const char *path, spot_diag_t *diag)
{
    const bool is_gzip = path != NULL && spot_has_suffix(path, ".gz");

    spot_output_begin(self, &(spot_target_t){path, !is_gzip, true}, diag);
    self->is_gzip = is_gzip;
    return self->stream;
}

/* zlib closes its descriptor and so gets one of its own. */
static int write_gzip(const char *bytes, size_t num_bytes, FILE *out)
{
    const int descriptor = dup(fileno(out));
    gzFile gzip = descriptor < 0 ? NULL : gzdopen(descriptor, "wb");
    bool is_good = gzip != NULL;

    for (size_t done = 0; done < num_bytes && is_good;) {
        const size_t num_left = num_bytes - done;
        const unsigned num_part = num_left > MAX_PART_BYTES ? MAX_PART_BYTES : (unsigned) num_left;

        is_good = gzwrite(gzip, bytes + done, num_part) == (int) num_part;
        done += num_part;
    }
    if (gzip == NULL && descriptor >= 0) {
        close(descriptor);
    }
    if (gzip != NULL && gzclose(gzip) != Z_OK) {
        is_good = false;
    }
    return is_good ? 0 : SPOT_ERR_IO;
}

static int put_text(const void *text, const spot_terminal_t *terminal, FILE *out)
{
    (void) terminal;
    fputs(text, out);
    return 0;
}

int spot_output_end(spot_output_t *self, int error)
{
    error = spot_error_first(self->error, error);
    if (self->is_late) {
        error = spot_error_first(error, spot_outfile_init(&self->file, NULL, self->diag));
    }
    if (self->is_text && self->stream != NULL) {
        if (fclose(self->stream) != 0) {
            error = spot_error_first(error, SPOT_ERR_NO_MEMORY);
        } else if (error != SPOT_ERR_INTERRUPTED) {
            const int ret =
                self->is_gzip
                    ? write_gzip(self->text, self->num_bytes, self->file.stream)
                    : spot_terminal_write(&self->terminal, put_text, self->text, self->file.stream);

            error = spot_error_first(error, ret);
        }
        free(self->text);
    }
    return spot_outfile_close(&self->file, error, self->diag);
}

/* ---- Tables and pictures ---- */

static const spot_dialects_t *dialects;

void spot_output_set_dialects(const spot_dialects_t *forms)
{
    dialects = forms;
}

static const spot_dialects_t *known(void)
{
    spot_bug_assert(dialects != NULL);
    return dialects;
}

int spot_output_put_table(const spot_table_t *table, const spot_terminal_t *terminal, FILE *out)
{
    return known()->table(table, terminal, out);
}

void spot_output_put_item(const char *name, const char *text, FILE *out)
{
    known()->item(name, text, out);
}

void spot_output_document(spot_document_t *self, const spot_terminal_t *terminal, FILE *out)
{
    known()->document(self, terminal, out);
}

int spot_output_chart(spot_chart_t *chart, FILE *out)
{
    return known()->chart(chart, out);
}

int spot_output_recording(const struct spot_recording_view *view, bool is_trace, const char *path,
    FILE *out, spot_diag_t *diag)
{
    return known()->recording(view, is_trace, path, out, diag);
}

int spot_output_picture(
    spot_declare_t declare, const void *context, const char *path, spot_diag_t *diag)
{
    spot_chart_t *chart = spot_chart_new();
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, path, diag);

    if (ret == 0) {
        ret = chart == NULL ? SPOT_ERR_NO_MEMORY : declare(chart, context);
    }
    if (ret == 0) {
        ret = spot_output_chart(chart, picture.stream);
    }
    spot_chart_free(chart);
    return spot_outfile_close(&picture, ret, diag);
}

static int write_tables_json(FILE *out, size_t num_tables, spot_table_t *tables)
{
    spot_json_t json;
    int ret = 0;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    for (size_t j = 0; j < num_tables && ret == 0; j++) {
        spot_json_open(&json, tables[j].name, '[');
        ret = spot_table_write_json(&tables[j], &json);
        spot_json_close(&json, ']');
    }
    spot_json_close(&json, '}');
    fputc('\n', out);
    return ret;
}

static int print_tables(
    spot_diag_t *diag, const spot_target_t *target, size_t num_tables, spot_table_t *tables)
{
    spot_output_t output;
    FILE *out = spot_output_begin(&output, target, diag);
    int ret = 0;

    if (out != NULL && target->is_json) {
        ret = write_tables_json(out, num_tables, tables);
    }
    for (size_t j = 0; j < num_tables && out != NULL && !target->is_json && ret == 0; j++) {
        if (j > 0) {
            fputc('\n', out);
        }
        ret = spot_output_put_table(&tables[j], &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

int spot_output_write(spot_diag_t *diag, const char *path,
    void (*write)(const void *what, FILE *out), const void *what)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, diag);

    if (out != NULL) {
        write(what, out);
    }
    return spot_output_end(&output, 0);
}

int spot_output_tables(spot_diag_t *diag, const spot_target_t *target, const char *path,
    void (*write)(const void *what, FILE *out), const void *what, size_t num_tables,
    spot_table_t *tables)
{
    int ret = path == NULL ? 0 : spot_output_write(diag, path, write, what);

    if (ret == 0 && (path == NULL || strcmp(path, "-") != 0)) {
        ret = print_tables(diag, target, num_tables, tables);
    }
    for (size_t j = 0; j < num_tables; j++) {
        spot_table_free(&tables[j]);
    }
    return ret;
}

void spot_output_put_csv(const void *table, FILE *out)
{
    (void) !spot_table_write_csv(table, out);
}

int spot_output_csv(spot_diag_t *diag, const char *path, const spot_table_t *table)
{
    const int ret = spot_output_write(diag, path, spot_output_put_csv, table);

    return ret != 0 ? ret : table->error;
}
