/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/draw.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "base/outfile.h"
#include "base/watch.h"
#include "reports/chart/svg.h"

/* ---- The palette ---- */

#define NUM_FILLED (SPOT_CHART_NUM_MARKERS - 1)
#define NUM_COMBINATIONS (2 * NUM_FILLED - 1)

/* Whether word stands in name between its ends or underscores. */
static bool has_word(const char *name, const char *word)
{
    const size_t num_bytes = strlen(word);

    for (const char *place = strstr(name, word); place != NULL; place = strstr(place + 1, word)) {
        if ((place == name || place[-1] == '_') &&
            (place[num_bytes] == '\0' || place[num_bytes] == '_')) {
            return true;
        }
    }
    return false;
}

const char *spot_palette_colour(const spot_colour_t *colours, const char *name, size_t place)
{
    for (; colours != NULL && colours->word != NULL; colours++) {
        if (has_word(name, colours->word)) {
            return colours->colour;
        }
    }
    return spot_chart_fill(place);
}

const char *spot_palette_line_colour(size_t place)
{
    static const char *const lines[SPOT_NUM_LINE_COLOURS] = {"#0072b2", "#d55e00", "#2f9e77",
        "#cc79a7", "#e0a100", "#57606a", "#56b4e9", "#7a4fa3", "#8c564b", "#17a2a2"};

    return lines[place % SPOT_NUM_LINE_COLOURS];
}

bool spot_series_is_bound(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    return head->best.is_asked && head->best.axis_id == axis_id &&
           !spot_study_value_competes(head, value_id);
}

spot_chart_series_t spot_series_look(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    /* Of nine combinations the last four markers are hollow, so that they meet another
     * colour when they come again. */
    const size_t place = value_id % NUM_COMBINATIONS;
    const bool is_bound = spot_series_is_bound(head, axis_id, value_id);

    return (spot_chart_series_t){
        .colour = is_bound ? SPOT_INK_OTHER : spot_palette_line_colour(value_id),
        .marker = (spot_chart_marker_t) (SPOT_CHART_CIRCLE + (int) (place % NUM_FILLED)),
        .is_hollow = place >= NUM_FILLED,
        .dash = is_bound ? SPOT_CHART_DASHED : SPOT_CHART_SOLID};
}

/* ---- Formats ---- */

extern char **environ;

#define MAX_EDGE 32     /* bytes that are looked at */
#define MAX_MESSAGE 400 /* bytes */
#define PAUSE_NS 2000000

/* Blanks and ends of lines may follow the last bytes of a text. rsvg-convert keeps the
 * layout of the SVG and embeds its font in a PDF. */
static const struct {
    const char *suffix;
    const char *first;
    size_t num_first;
    const char *last;
    size_t num_last;
    char arguments[3][16]; /* of rsvg-convert */
} formats[SPOT_NUM_FORMATS] = {
    [SPOT_FORMAT_SVG] = {"svg", "<", 1, "</svg>", 6, {""}},
    [SPOT_FORMAT_PNG] = {"png", "\x89PNG\r\n\x1a\n", 8, "\0\0\0\0IEND\xae\x42\x60\x82", 12,
        {"rsvg-convert", "--format=png", "--zoom=2"}},
    [SPOT_FORMAT_PDF] = {"pdf", "%PDF-", 5, "%%EOF", 5,
        {"rsvg-convert", "--format=pdf", "--zoom=1"}},
};

const char *spot_format_suffix(spot_picture_format_t format)
{
    return formats[format].suffix;
}

bool spot_format_is_whole(spot_picture_format_t format, FILE *drawn)
{
    const size_t num_first = formats[format].num_first;
    const size_t num_last = formats[format].num_last;
    char bytes[MAX_EDGE];
    size_t num_bytes;

    rewind(drawn);
    num_bytes = fread(bytes, 1, num_first, drawn);
    if (num_bytes < num_first || memcmp(bytes, formats[format].first, num_first) != 0 ||
        fseek(drawn, -(long) sizeof(bytes), SEEK_END) != 0) {
        return false;
    }
    num_bytes = fread(bytes, 1, sizeof(bytes), drawn);
    while (num_bytes > 0 && (bytes[num_bytes - 1] == ' ' || bytes[num_bytes - 1] == '\n')) {
        num_bytes--;
    }
    return num_bytes >= num_last &&
           memcmp(bytes + num_bytes - num_last, formats[format].last, num_last) == 0;
}

/* ---- rsvg-convert ---- */

/* Its input, output and messages go through files without a name, not through pipes: no
 * deadlock and no SIGPIPE, whatever it does. */
enum { INPUT, OUTPUT, MESSAGES, NUM_STREAMS };

/* Starts it; 0 or an error number. */
static int start(pid_t *child, spot_picture_format_t format, FILE *const *streams)
{
    char arguments[3][16];
    char *list[] = {arguments[0], arguments[1], arguments[2], NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    memcpy(arguments, formats[format].arguments, sizeof(arguments));
    for (int j = 0; error == 0 && j < NUM_STREAMS; j++) {
        error = posix_spawn_file_actions_adddup2(&actions, fileno(streams[j]), j);
    }
    if (error == 0) {
        spot_memory_limit_lift();
        error = posix_spawnp(child, list[0], &actions, NULL, list, environ);
        spot_memory_limit_enforce();
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the child, and ends it when this process is stopped. */
static int wait_for(pid_t child)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int status = 0;
    pid_t ended;

    atomic_store(&spot_stop_child, (int) child);
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        if (atomic_load(&spot_stop) != 0) {
            kill(child, SIGTERM);
        }
        nanosleep(&pause, NULL);
    }
    atomic_store(&spot_stop_child, 0);
    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : SPOT_ERR_CHILD;
}

/* The last line of messages that says something. */
static void last_message(FILE *messages, char text[MAX_MESSAGE])
{
    char line[MAX_MESSAGE];

    strcpy(text, "it gives no reason");
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        const char *words = line + strspn(line, " \t\n");

        if (*words != '\0') {
            snprintf(text, MAX_MESSAGE, "%.*s", (int) strcspn(words, "\n"), words);
        }
    }
}

static int convert(
    spot_picture_format_t format, FILE *const *streams, const char *path, spot_diag_t *diag)
{
    char reason[MAX_MESSAGE];
    int error, ret = SPOT_ERR_CHILD;
    pid_t child;

    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    error = start(&child, format, streams);
    if (error == ENOENT) {
        spot_diag_error(diag, path, 0, 0,
            "rsvg-convert is not installed: install the package librsvg2-bin to draw "
            "pictures");
    } else if (error != 0) {
        spot_diag_error(diag, path, 0, 0, "rsvg-convert cannot be started: %s", strerror(error));
    } else if ((ret = wait_for(child)) == SPOT_ERR_CHILD) {
        last_message(streams[MESSAGES], reason);
        spot_diag_error(diag, path, 0, 0, "rsvg-convert failed: %s", reason);
    }
    return ret;
}

static int copy_picture(
    spot_picture_format_t format, FILE *drawn, FILE *out, const char *path, spot_diag_t *diag)
{
    char bytes[8192];
    size_t num_bytes;

    if (!spot_format_is_whole(format, drawn)) {
        spot_diag_error(diag, path, 0, 0,
            "rsvg-convert drew no whole picture: is there space for temporary files?");
        return SPOT_ERR_CHILD;
    }
    rewind(drawn);
    while ((num_bytes = fread(bytes, 1, sizeof(bytes), drawn)) > 0) {
        (void) fwrite(bytes, 1, num_bytes, out); /* its error shows at the commit */
    }
    return 0;
}

/* ---- Drawing ---- */

/* The chart of a declaration, or NULL with an error. */
static spot_chart_t *declare_chart(spot_declare_t declare, const void *context, int *error)
{
    spot_chart_t *chart = spot_chart_new();

    *error = chart == NULL ? SPOT_ERR_NO_MEMORY : declare(chart, context);
    if (*error == 0) {
        *error = spot_chart_error(chart);
    }
    if (*error != 0) {
        spot_chart_free(chart);
        return NULL;
    }
    return chart;
}

static int write_svg(spot_declare_t declare, const void *context, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out);
    }
    spot_chart_free(chart);
    return ret;
}

/* To an open stream; path is what messages call it. */
static int draw_stream(spot_declare_t declare, const void *context, spot_picture_format_t format,
    FILE *out, const char *path, spot_diag_t *diag)
{
    FILE *streams[NUM_STREAMS] = {NULL};
    int ret = 0;

    if (format == SPOT_FORMAT_SVG) {
        return write_svg(declare, context, out);
    }
    for (int j = 0; ret == 0 && j < NUM_STREAMS; j++) {
        streams[j] = tmpfile();
        ret = streams[j] == NULL ? SPOT_ERR_IO : 0;
    }
    if (ret == 0) {
        ret = write_svg(declare, context, streams[INPUT]);
    }
    if (ret == SPOT_ERR_IO ||
        (ret == 0 && (fflush(streams[INPUT]) != 0 || fseek(streams[INPUT], 0, SEEK_SET) != 0))) {
        spot_diag_error(diag, path, 0, 0, "cannot make a temporary file: %s", strerror(errno));
        ret = SPOT_ERR_IO;
    }
    if (ret == 0) {
        ret = convert(format, streams, path, diag);
    }
    if (ret == 0) {
        ret = copy_picture(format, streams[OUTPUT], out, path, diag);
    }
    for (int j = 0; j < NUM_STREAMS && streams[j] != NULL; j++) {
        fclose(streams[j]);
    }
    return ret;
}

int spot_draw_file(spot_declare_t declare, const void *context, spot_picture_format_t format,
    const char *path, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, path, diag);

    if (ret == 0) {
        ret = draw_stream(declare, context, format, picture.stream,
            path == NULL ? "standard output" : path, diag);
    }
    if (ret == SPOT_ERR_IO && diag->num_errors > num_errors) {
        spot_outfile_free(&picture); /* its cause is known */
        return ret;
    }
    return spot_outfile_close(&picture, ret, diag);
}

int spot_draw_page(spot_declare_t declare, const void *context, bool has_title, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_WIDE_PX, has_title, out);
    }
    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_NARROW_PX, has_title, out);
    }
    spot_chart_free(chart);
    return ret;
}
