/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_cases SPOTSIM SOURCE_DIR WORK_DIR FILE.cases [--update] [CASE...]
 *
 * Runs the cases of a file, or those that are named: each has its input files, a command line, and
 * the exit code and the bytes of stdout and stderr that are expected. The last command of a case
 * must make, change or remove no file below its folder. --update writes what was printed into
 * FILE.cases.
 *
 *     # Remarks stand before the first case and below the name of a case.
 *     -- file shared.csv               inputs before the first case are made for every case
 *     time_s,event
 *
 *     == name_of_the_case
 *     -- file study/own.yaml           all lines up to the next mark are its content
 *     study: own
 *     $ spotsim study study/own.yaml --set 'metrics=[steps]'
 *     -- exit 2
 *     -- stderr
 *     study/own.yaml:1:1: missing key "scenario"
 *
 * Marks are "== ", "-- " and "$ " at the start of a line. An empty line before "== " belongs to no
 * content. What is not given is empty, or exit code 0. A case may run several commands; inputs
 * stand before the last of them.
 *
 * Words of a command are a part of bash: bare, '...' as it stands, or $'...' with \n \r \t \\ \'
 * \xHH. Content that is no plain text says so: "-- file PATH escaped" has the same escapes, and no
 * line end where a line ends with \; "escaped repeated N" repeats it N times. "-- stdout any" takes
 * whatever is printed. Other inputs:
 *
 *     -- append PATH       like "-- file", behind what is in the file
 *     -- folder PATH       -- pipe PATH       -- remove PATH       -- rename OLD NEW
 *     -- copy FILE COPY    -- unreadable PATH (root can read all: a case with it is skipped then)
 *     -- each command      the case is run for each command that --help lists, as {command}
 *
 * A case runs in a folder of its own, beside which links lead to the repository: ../golden,
 * ../unit,
 * ../../models and ../../reports. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, MAX_COMMANDS = 256 };
enum { NOT_SPAWNED = 127 };

extern char **environ;

/* Bytes that grow; bytes ends with a NUL that is not counted. */
typedef struct {
    size_t num_bytes, max_bytes;
    char *bytes;
} text_t;

typedef enum {
    SECTION_CASE,
    SECTION_FILE,
    SECTION_APPEND,
    SECTION_FOLDER,
    SECTION_PIPE,
    SECTION_REMOVE,
    SECTION_RENAME,
    SECTION_COPY,
    SECTION_UNREADABLE,
    SECTION_EACH,
    SECTION_RUN,
    SECTION_EXIT,
    SECTION_STDOUT,
    SECTION_STDERR,
    NUM_SECTIONS
} section_kind_t;

static const struct {
    const char *name; /* behind "-- " */
    size_t min, max;  /* words behind the name */
    bool has_content;
} kinds[NUM_SECTIONS] = {
    [SECTION_CASE] = {"", 1, 1, false},
    [SECTION_FILE] = {"file", 1, 4, true},
    [SECTION_APPEND] = {"append", 1, 4, true},
    [SECTION_FOLDER] = {"folder", 1, 1, false},
    [SECTION_PIPE] = {"pipe", 1, 1, false},
    [SECTION_REMOVE] = {"remove", 1, 1, false},
    [SECTION_RENAME] = {"rename", 2, 2, false},
    [SECTION_COPY] = {"copy", 2, 2, false},
    [SECTION_UNREADABLE] = {"unreadable", 1, 1, false},
    [SECTION_EACH] = {"each", 1, 1, false},
    [SECTION_RUN] = {"", 1, MAX_WORDS, false},
    [SECTION_EXIT] = {"exit", 1, 1, false},
    [SECTION_STDOUT] = {"stdout", 0, 1, true},
    [SECTION_STDERR] = {"stderr", 0, 1, true},
};

/* A mark with its words and its content. */
typedef struct {
    section_kind_t kind;
    size_t line;
    size_t num_words;
    char *words[MAX_WORDS + 1]; /* [num_words], then NULL */
    const char *head;           /* [num_head] the mark as it stands in the file */
    size_t num_head;
    text_t content;
} section_t;

typedef struct {
    const char *spotsim, *path;
    char *out_path, *err_path; /* what a command prints */
    text_t source;             /* the file */
    size_t num_sections;
    section_t *sections; /* [num_sections] */
    size_t num_commands;
    char *commands[MAX_COMMANDS]; /* [num_commands] that --help lists */
    bool is_update;
    size_t num_cases, num_failed, num_skipped;
} suite_t;

/* What a command must print. A section that is NULL: nothing, or exit code 0. */
typedef struct {
    section_t *run, *exit, *out, *err;
} step_t;

/* Ends the runner with an error in a file. */
__attribute__((format(printf, 3, 4))) static _Noreturn void fail(
    const char *path, size_t line, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%zu: ", path, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(2);
}

static void *must(void *pointer)
{
    if (pointer == NULL) {
        fprintf(stderr, "run_cases: no memory\n");
        exit(2);
    }
    return pointer;
}

static void append(text_t *self, const char *bytes, size_t num_bytes)
{
    if (self->num_bytes + num_bytes + 1 > self->max_bytes) {
        self->max_bytes = 2 * (self->num_bytes + num_bytes + 1);
        self->bytes = must(realloc(self->bytes, self->max_bytes));
    }
    if (num_bytes > 0) {
        memcpy(self->bytes + self->num_bytes, bytes, num_bytes);
    }
    self->num_bytes += num_bytes;
    self->bytes[self->num_bytes] = '\0';
}

static text_t read_whole(const char *path)
{
    text_t text = {0};
    char buffer[65536];
    size_t num_read;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        fail(path, 0, "cannot open: %s", strerror(errno));
    }
    append(&text, "", 0);
    while ((num_read = fread(buffer, 1, sizeof(buffer), file)) > 0) {
        append(&text, buffer, num_read);
    }
    fclose(file);
    return text;
}

static void write_whole(const char *path, const char *mode, const text_t *text)
{
    FILE *file = fopen(path, mode);

    if (file == NULL || fwrite(text->bytes, 1, text->num_bytes, file) != text->num_bytes ||
        fclose(file) != 0) {
        fail(path, 0, "cannot write: %s", strerror(errno));
    }
}

/* ---- Escapes ---- */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int) (at - digits);
}

/* Appends what the escape at *text, behind its \, stands for, and moves *text behind it. Returns
 * whether it is one. */
static bool unescape(const char **text, text_t *out)
{
    const char *letters = "nrt\\'", *bytes = "\n\r\t\\'";
    const char *letter = **text == '\0' ? NULL : strchr(letters, **text);
    char byte;

    if (letter != NULL) {
        append(out, bytes + (letter - letters), 1);
        *text += 1;
        return true;
    }
    if (**text != 'x' || hex_digit((*text)[1]) < 0 || hex_digit((*text)[2]) < 0) {
        return false;
    }
    byte = (char) (16 * hex_digit((*text)[1]) + hex_digit((*text)[2]));
    append(out, &byte, 1);
    *text += 3;
    return true;
}

/* The bytes that an escaped content stands for. */
static text_t unescape_content(const suite_t *self, const section_t *section)
{
    const char *at = section->content.bytes;
    text_t out = {0};

    append(&out, "", 0);
    while (*at != '\0') {
        const size_t num_plain = strcspn(at, "\\");

        append(&out, at, num_plain);
        at += num_plain;
        if (*at == '\\' && at[1] == '\n') {
            at += 2;
        } else if (*at == '\\') {
            at++;
            if (!unescape(&at, &out)) {
                fail(self->path, section->line, "an unknown escape: \\%.3s", at);
            }
        }
    }
    return out;
}

/* Whether a line starts with a mark. */
static bool is_mark(const char *line)
{
    return strncmp(line, "== ", 3) == 0 || strncmp(line, "-- ", 3) == 0 ||
           strncmp(line, "$ ", 2) == 0;
}

/* Appends bytes as escaped content. */
static void append_escaped(text_t *self, const text_t *bytes)
{
    for (size_t j = 0; j < bytes->num_bytes; j++) {
        const char *at = bytes->bytes + j;
        const unsigned char byte = (unsigned char) *at;
        const bool is_blank_at_end = byte == ' ' && (at[1] == '\n' || at[1] == '\0');
        char escape[5];

        if ((byte == '\n' || (byte >= ' ' && byte < 127 && byte != '\\')) && !is_blank_at_end &&
            !((j == 0 || at[-1] == '\n') && is_mark(at))) {
            append(self, at, 1);
        } else {
            snprintf(escape, sizeof(escape), byte == '\\' ? "\\\\" : "\\x%02x", byte);
            append(self, escape, strlen(escape));
        }
    }
    if (bytes->num_bytes > 0 && bytes->bytes[bytes->num_bytes - 1] != '\n') {
        append(self, "\\\n", 2);
    }
}

/* Whether bytes can stand in a case file as they are. */
static bool is_plain(const text_t *bytes)
{
    bool at_start = true;

    for (size_t j = 0; j < bytes->num_bytes; j++) {
        const char *at = bytes->bytes + j;
        const unsigned char byte = (unsigned char) *at;

        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 127 ||
            (byte == '\n' && j > 0 && (at[-1] == ' ' || at[-1] == '\t')) ||
            (at_start && is_mark(at))) {
            return false;
        }
        at_start = byte == '\n';
    }
    return bytes->num_bytes == 0 || at_start;
}

/* ---- Reading a case file ---- */

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Splits a line into words. */
static void split_words(const suite_t *self, section_t *section, const char *at, const char *end)
{
    while (at < end) {
        text_t word = {0};

        append(&word, "", 0);
        while (at < end && *at != ' ') {
            const bool is_escaped = strncmp(at, "$'", 2) == 0;

            if (!is_escaped && *at != '\'') {
                if (*at == '\0' ||
                    (strchr("_./:=,+@%~^{}-", *at) == NULL && !is_alphanumeric(*at))) {
                    fail(self->path, section->line, "quote this: %.20s", at);
                }
                append(&word, at++, 1);
                continue;
            }
            at += is_escaped ? 2 : 1;
            while (at < end && *at != '\'') {
                if (!is_escaped || *at != '\\') {
                    append(&word, at++, 1);
                } else if (at++, !unescape(&at, &word)) {
                    fail(self->path, section->line, "an unknown escape: \\%.3s", at);
                }
            }
            if (at++ >= end) {
                fail(self->path, section->line, "an open quote");
            }
        }
        if (section->num_words == MAX_WORDS) {
            fail(self->path, section->line, "more than %d words", MAX_WORDS);
        }
        section->words[section->num_words++] = word.bytes;
        if (at < end && (++at == end || *at == ' ')) {
            fail(self->path, section->line, "a blank too much");
        }
    }
}

/* Makes a section of a line with a mark. */
static section_t read_mark(const suite_t *self, size_t line, const char *at, const char *end)
{
    section_t section = {.line = line, .head = at, .num_head = (size_t) (end + 1 - at)};
    size_t kind = *at == '=' ? SECTION_CASE : SECTION_RUN;

    split_words(self, &section, at + (*at == '$' ? 2 : 3), end);
    if (*at == '-') {
        kind = 0;
        while (kind < NUM_SECTIONS && (section.num_words == 0 || kinds[kind].name[0] == '\0' ||
                                          strcmp(kinds[kind].name, section.words[0]) != 0)) {
            kind++;
        }
        if (kind == NUM_SECTIONS) {
            fail(self->path, line, "an unknown mark: %.*s", (int) (end - at), at);
        }
        free(section.words[0]);
        memmove(section.words, section.words + 1, sizeof(section.words) - sizeof(section.words[0]));
        section.num_words--;
    }
    section.kind = (section_kind_t) kind;
    if (section.num_words < kinds[kind].min || section.num_words > kinds[kind].max) {
        fail(self->path, line, "%zu words, expected %zu to %zu", section.num_words, kinds[kind].min,
            kinds[kind].max);
    }
    return section;
}

/* Takes the empty line before a case from the content before it. */
static void end_case(const suite_t *self, section_t *last, size_t line)
{
    text_t *content = &last->content;
    const size_t num_bytes = content->num_bytes;

    if (num_bytes == 0 || content->bytes[num_bytes - 1] != '\n' ||
        (num_bytes > 1 && content->bytes[num_bytes - 2] != '\n')) {
        fail(self->path, line, "expected an empty line before a case");
    }
    content->bytes[--content->num_bytes] = '\0';
}

/* Whether whatever is printed will do. */
static bool is_any(const section_t *section)
{
    return section->kind >= SECTION_STDOUT && section->num_words == 1 &&
           strcmp(section->words[0], "any") == 0;
}

static void check_content(const suite_t *self, const section_t *section)
{
    const char *at = section->content.bytes;

    if (kinds[section->kind].has_content && !is_any(section)) {
        return;
    }
    while (section->kind == SECTION_CASE && *at == '#') { /* remarks */
        at = strchr(at, '\n') + 1;
    }
    if (*at != '\0') {
        fail(self->path, section->line, "unexpected below this mark: %.*s", (int) strcspn(at, "\n"),
            at);
    }
}

/* Inputs lie below the folder of the case. */
static void check_paths(const suite_t *self, const section_t *section)
{
    const size_t num_paths = kinds[section->kind].has_content ? 1 : section->num_words;

    for (size_t j = 0; section->kind < SECTION_EACH && j < num_paths; j++) {
        const char *path = section->words[j];

        if (path[0] == '/' || path[0] == '\0' || strcmp(path, "..") == 0 ||
            strncmp(path, "../", 3) == 0 || strstr(path, "/../") != NULL) {
            fail(self->path, section->line, "expected a path below the folder of the case");
        }
    }
}

/* A case has a name of its own, and commands of spotsim; inputs stand before the last command, and
 * of each command there is one exit code, one stdout and one stderr. Returns the end of the case.
 */
static size_t check_case(const suite_t *self, size_t first)
{
    const section_t *const named = &self->sections[first];
    bool is_seen[NUM_SECTIONS] = {false};
    size_t j = first + 1;

    for (size_t k = 0; k < first; k++) {
        if (self->sections[k].kind == SECTION_CASE &&
            strcmp(self->sections[k].words[0], named->words[0]) == 0) {
            fail(self->path, named->line, "this name is in line %zu too", self->sections[k].line);
        }
    }
    for (; j < self->num_sections && self->sections[j].kind != SECTION_CASE; j++) {
        const section_t *section = &self->sections[j];

        if (section->kind < SECTION_RUN) {
            check_paths(self, section);
        } else if (section->kind == SECTION_RUN) {
            if (strcmp(section->words[0], "spotsim") != 0) {
                fail(self->path, section->line, "expected a command of spotsim");
            }
            memset(is_seen, 0, sizeof(is_seen));
        } else if (!is_seen[SECTION_RUN] || is_seen[section->kind]) {
            fail(self->path, section->line, "expected this mark once, below a command");
        } else if (section->kind == SECTION_EXIT &&
                   section->words[0][strspn(section->words[0], "0123456789")] != '\0') {
            fail(self->path, section->line, "expected an exit code");
        }
        is_seen[section->kind] = true;
    }
    if (!is_seen[SECTION_RUN] || self->sections[j - 1].kind < SECTION_RUN) {
        fail(self->path, named->line, "expected a command at the end of the case");
    }
    return j;
}

static void check_suite(const suite_t *self)
{
    size_t j = 0;

    for (; j < self->num_sections && self->sections[j].kind != SECTION_CASE; j++) {
        if (self->sections[j].kind >= SECTION_EACH) {
            fail(self->path, self->sections[j].line, "expected an input or a case");
        }
        check_paths(self, &self->sections[j]);
    }
    while (j < self->num_sections) {
        j = check_case(self, j);
    }
}

static void read_suite(suite_t *self)
{
    size_t max_sections = 0, line = 0;
    const char *at;

    self->source = read_whole(self->path);
    if (strlen(self->source.bytes) != self->source.num_bytes) {
        fail(self->path, 1, "has a NUL");
    }
    for (at = self->source.bytes; *at != '\0';) {
        const char *end = strchr(at, '\n');

        line++;
        if (end == NULL) {
            fail(self->path, line, "the last line has no end");
        }
        if (is_mark(at)) {
            if (*at == '=' && self->num_sections > 0) {
                end_case(self, &self->sections[self->num_sections - 1], line);
            }
            if (self->num_sections == max_sections) {
                max_sections = 2 * max_sections + 64;
                self->sections =
                    must(realloc(self->sections, max_sections * sizeof(*self->sections)));
            }
            self->sections[self->num_sections] = read_mark(self, line, at, end);
            append(&self->sections[self->num_sections++].content, "", 0);
        } else if (self->num_sections > 0) {
            append(&self->sections[self->num_sections - 1].content, at, (size_t) (end + 1 - at));
        } else if (*at != '#' && *at != '\n') {
            fail(self->path, line, "expected a remark or a mark");
        }
        at = end + 1;
    }
    for (size_t j = 0; j < self->num_sections; j++) {
        check_content(self, &self->sections[j]);
    }
    check_suite(self);
}

/* The content as bytes: unescaped, repeated, {command} replaced. */
static text_t content_bytes(const suite_t *self, const section_t *section, const char *command)
{
    const size_t first = section->kind <= SECTION_APPEND ? 1 : 0; /* behind the path */
    const size_t num_flags = section->num_words - first;
    const char *const *flags = (const char *const *) section->words + first;
    long num_times = num_flags == 3 ? strtol(flags[2], NULL, 10) : 1;
    text_t once = {0}, bytes = {0};
    const char *at, *next;

    if (num_flags > 0 && (num_flags == 2 || strcmp(flags[0], "escaped") != 0 || num_times < 1 ||
                             (num_flags == 3 && strcmp(flags[1], "repeated") != 0))) {
        fail(self->path, section->line, "expected: escaped [repeated N]");
    }
    append(&bytes, "", 0);
    if (num_flags > 0) {
        once = unescape_content(self, section);
    } else {
        append(&once, section->content.bytes, section->content.num_bytes);
    }
    if (command == NULL) {
        while (num_times-- > 0) {
            append(&bytes, once.bytes, once.num_bytes);
        }
    } else {
        for (at = once.bytes; (next = strstr(at, "{command}")) != NULL; at = next + 9) {
            append(&bytes, at, (size_t) (next - at));
            append(&bytes, command, strlen(command));
        }
        append(&bytes, at, strlen(at));
    }
    free(once.bytes);
    return bytes;
}

/* ---- Inputs ---- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void) status;
    (void) type;
    (void) place;
    return remove(path);
}

static void remove_tree(const char *path)
{
    (void) chmod(path, 0700);
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT) {
        fail(path, 0, "cannot remove: %s", strerror(errno));
    }
}

static void make_folders(const char *path)
{
    char *copy = must(strdup(path));

    for (char *at = strchr(copy + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void) mkdir(copy, 0777);
        *at = '/';
    }
    free(copy);
}

static void make_input(const suite_t *self, const section_t *section)
{
    const char *path = section->words[0];
    text_t bytes;
    bool is_made = true;

    make_folders(path);
    switch (section->kind) {
        case SECTION_FILE:
        case SECTION_APPEND:
            bytes = content_bytes(self, section, NULL);
            write_whole(path, section->kind == SECTION_FILE ? "wb" : "ab", &bytes);
            free(bytes.bytes);
            break;
        case SECTION_FOLDER:
            is_made = mkdir(path, 0777) == 0;
            break;
        case SECTION_PIPE:
            is_made = mkfifo(path, 0666) == 0;
            break;
        case SECTION_REMOVE:
            is_made = access(path, F_OK) == 0;
            remove_tree(path);
            break;
        case SECTION_RENAME:
            is_made = rename(path, section->words[1]) == 0;
            break;
        case SECTION_COPY:
            bytes = read_whole(path);
            make_folders(section->words[1]);
            write_whole(section->words[1], "wb", &bytes);
            free(bytes.bytes);
            break;
        case SECTION_UNREADABLE:
            is_made = chmod(path, 0) == 0;
            break;
        default:
            fail(self->path, section->line, "this mark is no input");
    }
    if (!is_made) {
        fail(self->path, section->line, "cannot make it: %s", strerror(errno));
    }
}

static text_t listing; /* of nftw(), which has no argument for it */

static int list_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    char line[64];

    (void) place;
    append(&listing, path, strlen(path));
    if (type == FTW_F) { /* folders change with what is in them */
        snprintf(line, sizeof(line), " %lld bytes, of %lld.%09ld", (long long) status->st_size,
            (long long) status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
        append(&listing, line, strlen(line));
    }
    append(&listing, "\n", 1);
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* What lies below the working folder, a line each: a path, and size and time of a file. */
static text_t list_files(void)
{
    size_t num_lines = 0;
    const char **lines;
    text_t sorted = {0};
    char *at;

    listing = (text_t){0};
    (void) nftw(".", list_entry, 16, FTW_PHYS);
    lines = must(malloc((listing.num_bytes + 1) * sizeof(*lines)));
    for (at = listing.bytes; at != NULL && *at != '\0'; at++) {
        lines[num_lines++] = at;
        at = strchr(at, '\n');
        *at = '\0';
    }
    qsort(lines, num_lines, sizeof(*lines), compare_lines);
    append(&sorted, "", 0);
    for (size_t j = 0; j < num_lines; j++) {
        append(&sorted, lines[j], strlen(lines[j]));
        append(&sorted, "\n", 1);
    }
    free(lines);
    free(listing.bytes);
    return sorted;
}

/* ---- Running ---- */

/* Runs a command, its output to the two files. Returns its exit code, or 128 + its signal. */
static int spawn(const suite_t *self, char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    int status = 0, code = NOT_SPAWNED;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(
        &actions, 1, self->out_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(
        &actions, 2, self->err_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (posix_spawn(&child, self->spotsim, &actions, NULL, arguments, environ) == 0 &&
        waitpid(child, &status, 0) == child) {
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void list_commands(suite_t *self)
{
    char program[] = "spotsim", option[] = "--help";
    char *arguments[] = {program, option, NULL};
    text_t help;
    char *line;

    if (spawn(self, arguments) != 0) {
        fail(self->spotsim, 0, "--help fails");
    }
    help = read_whole(self->out_path);
    line = strstr(help.bytes, "\nCommands:");
    for (line = line == NULL ? NULL : strchr(line + 1, '\n'); line != NULL && line[1] == ' ';
         line = strchr(line + 1, '\n')) {
        const char *name = line + 3; /* blanks: the help of the command before goes on */
        size_t num_bytes = strcspn(name, "\n");
        const char *gap = strstr(name, "  ");

        if (gap != NULL && gap < name + num_bytes) {
            num_bytes = (size_t) (gap - name);
        }
        if (num_bytes > 0 && self->num_commands < MAX_COMMANDS) {
            self->commands[self->num_commands++] = must(strndup(name, num_bytes));
        }
    }
    free(help.bytes);
    if (self->num_commands < 20) {
        fail(self->spotsim, 0, "--help lists %zu commands", self->num_commands);
    }
}

/* The words of a command; {command} becomes one or several. */
static size_t expand(const section_t *run, const char *command, char **words)
{
    size_t num_words = 0;

    for (size_t j = 0; j < run->num_words; j++) {
        if (command == NULL || strcmp(run->words[j], "{command}") != 0) {
            words[num_words++] = must(strdup(run->words[j]));
            continue;
        }
        for (const char *at = command; *at != '\0' && num_words < MAX_WORDS;
             at += at[strcspn(at, " ")] == ' ' ? strcspn(at, " ") + 1 : strlen(at)) {
            words[num_words++] = must(strndup(at, strcspn(at, " ")));
        }
    }
    words[num_words] = NULL;
    return num_words;
}

static bool is_expected(const suite_t *self, const section_t *section, const char *command,
    const char *what, const text_t *got)
{
    text_t expected = {0};
    bool is_equal;

    if (section != NULL && is_any(section)) {
        return true;
    }
    append(&expected, "", 0);
    if (section != NULL) {
        free(expected.bytes);
        expected = content_bytes(self, section, command);
    }
    is_equal = expected.num_bytes == got->num_bytes &&
               memcmp(expected.bytes, got->bytes, got->num_bytes) == 0;
    if (!is_equal && !self->is_update) {
        text_t shown = {0};

        append_escaped(&shown, &expected);
        printf("expected on %s:\n%sgot:\n", what, shown.num_bytes == 0 ? "" : shown.bytes);
        shown.num_bytes = 0;
        append_escaped(&shown, got);
        printf("%.10000s", shown.num_bytes == 0 ? "" : shown.bytes);
        free(shown.bytes);
    }
    free(expected.bytes);
    return is_equal;
}

/* Puts what was printed in the place of what was expected. */
static void update(section_t *section, const text_t *got)
{
    if (section == NULL || is_any(section)) {
        return;
    }
    if (section->num_words > 0) {
        free(section->words[0]);
    }
    section->content.num_bytes = 0;
    if (is_plain(got)) {
        section->num_words = 0;
        append(&section->content, got->bytes, got->num_bytes);
    } else {
        section->num_words = 1;
        section->words[0] = must(strdup("escaped"));
        append_escaped(&section->content, got);
    }
}

static bool run_step(const suite_t *self, step_t *step, const char *command, bool is_last)
{
    char *words[2 * MAX_WORDS + 1];
    const size_t num_words = expand(step->run, command, words);
    const int expected_code = step->exit == NULL ? 0 : atoi(step->exit->words[0]);
    text_t before = list_files(), after, out, err;
    const int code = spawn(self, words);
    bool is_good = code == expected_code;

    after = list_files();
    out = read_whole(self->out_path);
    err = read_whole(self->err_path);
    if (!is_good) {
        printf("exit code %d, expected %d\n", code, expected_code);
    }
    is_good &= is_expected(self, step->out, command, "stdout", &out);
    is_good &= is_expected(self, step->err, command, "stderr", &err);
    if (!is_good && self->is_update) {
        if (step->exit != NULL) {
            free(step->exit->words[0]);
            step->exit->words[0] = must(calloc(12, 1));
            snprintf(step->exit->words[0], 12, "%d", code);
        }
        if ((step->out == NULL && out.num_bytes > 0) || (step->err == NULL && err.num_bytes > 0) ||
            (step->exit == NULL && code != 0) || command != NULL) {
            printf("%s:%zu: not updated: write the marks exit, stdout and stderr first\n",
                self->path, step->run->line);
        } else {
            update(step->out, &out);
            update(step->err, &err);
        }
    }
    if (is_last && (before.num_bytes != after.num_bytes ||
                       memcmp(before.bytes, after.bytes, after.num_bytes) != 0)) {
        printf("files before:\n%sand after:\n%s", before.bytes, after.bytes);
        is_good = false;
    }
    for (size_t j = 0; j < num_words; j++) {
        free(words[j]);
    }
    free(before.bytes);
    free(after.bytes);
    free(out.bytes);
    free(err.bytes);
    return is_good;
}

/* Runs the sections [first, end) of a case, once. */
static bool run_once(
    const suite_t *self, const char *work, size_t first, size_t end, const char *command)
{
    bool is_good = true;

    if (chdir("/") != 0) {
        fail(work, 0, "cannot leave it: %s", strerror(errno));
    }
    remove_tree(work);
    if (mkdir(work, 0777) != 0 || chdir(work) != 0) {
        fail(work, 0, "cannot make it: %s", strerror(errno));
    }
    for (size_t j = 0; j < self->num_sections && self->sections[j].kind != SECTION_CASE; j++) {
        make_input(self, &self->sections[j]);
    }
    for (size_t j = first; j < end; j++) {
        step_t step = {0};

        if (self->sections[j].kind < SECTION_EACH) {
            make_input(self, &self->sections[j]);
            continue;
        }
        if (self->sections[j].kind == SECTION_EACH) {
            continue;
        }
        step.run = &self->sections[j];
        for (; j + 1 < end && self->sections[j + 1].kind > SECTION_RUN; j++) {
            section_t *next = &self->sections[j + 1];
            section_t **place = next->kind == SECTION_EXIT     ? &step.exit
                                : next->kind == SECTION_STDOUT ? &step.out
                                                               : &step.err;

            *place = next;
        }
        is_good &= run_step(self, &step, command, j + 1 == end);
    }
    return is_good;
}

static void run_case(suite_t *self, const char *work, size_t first, size_t end)
{
    const section_t *section = &self->sections[first];
    const char *none = NULL;
    const char *const *commands = &none;
    size_t num_commands = 1;

    for (size_t j = first; j < end; j++) {
        if (self->sections[j].kind == SECTION_UNREADABLE && geteuid() == 0) {
            printf("%s: skipped: root reads all\n", section->words[0]);
            self->num_skipped++;
            return;
        }
        if (self->sections[j].kind == SECTION_EACH) {
            if (self->num_commands == 0) {
                list_commands(self);
            }
            commands = (const char *const *) self->commands;
            num_commands = self->num_commands;
        }
    }
    for (size_t j = 0; j < num_commands; j++) {
        self->num_cases++;
        if (!run_once(self, work, first + 1, end, commands[j])) {
            self->num_failed++;
            printf("%s:%zu: case %s%s%s failed\n\n", self->path, section->line, section->words[0],
                commands[j] == NULL ? "" : " of ", commands[j] == NULL ? "" : commands[j]);
        }
    }
}

static void write_updated(const suite_t *self)
{
    const char *first_mark = self->num_sections == 0 ? self->source.bytes : self->sections[0].head;
    text_t text = {0};

    append(&text, self->source.bytes, (size_t) (first_mark - self->source.bytes));
    for (size_t j = 0; j < self->num_sections; j++) {
        const section_t *section = &self->sections[j];

        if (section->kind == SECTION_EXIT || section->kind == SECTION_STDOUT ||
            section->kind == SECTION_STDERR) {
            append(&text, "-- ", 3);
            append(&text, kinds[section->kind].name, strlen(kinds[section->kind].name));
            if (section->num_words > 0) {
                append(&text, " ", 1);
                append(&text, section->words[0], strlen(section->words[0]));
            }
            append(&text, "\n", 1);
        } else {
            append(&text, section->head, section->num_head);
        }
        append(&text, section->content.bytes, section->content.num_bytes);
        if (j + 1 < self->num_sections && self->sections[j + 1].kind == SECTION_CASE) {
            append(&text, "\n", 1);
        }
    }
    write_whole(self->path, "wb", &text);
    free(text.bytes);
}

/* Makes tests/cases in a working folder of this file alone, and links to what lies beside it in the
 * repository. Returns its path. */
static char *make_work(const char *work, const char *source)
{
    static const char *const links[] = {"tests/golden", "tests/unit", "models", "reports"};
    text_t folder = {0}, from = {0}, to = {0};

    remove_tree(work);
    append(&folder, work, strlen(work));
    append(&folder, "/tests/cases", 12);
    make_folders(folder.bytes);
    for (size_t j = 0; j < sizeof(links) / sizeof(links[0]); j++) {
        from.num_bytes = to.num_bytes = 0;
        append(&from, work, strlen(work));
        append(&from, "/", 1);
        append(&from, links[j], strlen(links[j]));
        append(&to, source, strlen(source));
        append(&to, "/", 1);
        append(&to, links[j], strlen(links[j]));
        if (symlink(to.bytes, from.bytes) != 0) {
            fail(from.bytes, 0, "cannot make it: %s", strerror(errno));
        }
    }
    free(from.bytes);
    free(to.bytes);
    return folder.bytes;
}

/* Whether the case is one of those that are named, or none is. */
static bool is_wanted(const char *name, int num_names, char *const *names)
{
    bool is_named = num_names == 0;

    for (int j = 0; j < num_names; j++) {
        is_named |= strcmp(names[j], name) == 0;
    }
    return is_named;
}

static void free_suite(suite_t *self)
{
    for (size_t j = 0; j < self->num_sections; j++) {
        for (size_t k = 0; k < self->sections[j].num_words; k++) {
            free(self->sections[j].words[k]);
        }
        free(self->sections[j].content.bytes);
    }
    for (size_t j = 0; j < self->num_commands; j++) {
        free(self->commands[j]);
    }
    free(self->sections);
    free(self->source.bytes);
    free(self->out_path);
    free(self->err_path);
}

/* The concatenation of three texts; free it. */
static char *join(const char *first, const char *second, const char *third)
{
    text_t text = {0};

    append(&text, first, strlen(first));
    append(&text, second, strlen(second));
    append(&text, third, strlen(third));
    return text.bytes;
}

int main(int num_arguments, char **arguments)
{
    suite_t self = {0};
    char *root, *work;
    bool is_failed;
    int first_name = 5;

    if (num_arguments < 5 || arguments[1][0] != '/' || arguments[3][0] != '/' ||
        arguments[4][0] != '/') {
        fprintf(stderr, "usage: run_cases SPOTSIM SOURCE_DIR WORK_DIR FILE.cases [--update] "
                        "[CASE...], with absolute paths\n");
        return 2;
    }
    self.spotsim = arguments[1];
    self.path = arguments[4];
    self.is_update = num_arguments > 5 && strcmp(arguments[5], "--update") == 0;
    first_name += self.is_update;
    /* The program's messages, whatever the terminal and the language of the tester. */
    unsetenv("COLUMNS");
    setenv("LC_ALL", "C", 1);
    read_suite(&self);
    root = join(arguments[3], strrchr(self.path, '/'), ".work"); /* WORK_DIR/FILE.cases.work */
    work = make_work(root, arguments[2]);
    self.out_path = join(root, "/stdout", "");
    self.err_path = join(root, "/stderr", "");
    for (size_t j = 0; j < self.num_sections;) {
        size_t end = j + 1;

        while (end < self.num_sections && self.sections[end].kind != SECTION_CASE) {
            end++;
        }
        if (self.sections[j].kind == SECTION_CASE &&
            is_wanted(
                self.sections[j].words[0], num_arguments - first_name, arguments + first_name)) {
            run_case(&self, work, j, end);
        }
        j = end;
    }
    if (self.is_update) {
        write_updated(&self);
    }
    printf(
        "%zu cases, %zu failed, %zu skipped\n", self.num_cases, self.num_failed, self.num_skipped);
    is_failed = self.num_failed > 0 || self.num_cases == 0;
    if (!is_failed && chdir("/") == 0) {
        remove_tree(root);
    }
    free(root);
    free(work);
    free_suite(&self);
    return is_failed;
}
