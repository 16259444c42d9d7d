/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `spotsim tasks` costs on a log of 1,004,032 events, 185 MB: time and peak memory
 * of text, of JSON and of a fit, in the same run as a plain Python loop for the same
 * sections (tasks_loop.py), which must find the same figures. usage: bench_tasks
 * SPOTSIM. Prints; the only failures are a log that is not the recipe's and results that
 * differ. */
#define _DEFAULT_SOURCE /* wait4() */

#include <inttypes.h>
#include <sha256.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/unit/traces_tasks/recipe.h"

#define LOOP SPOT_SOURCE_DIR "/tests/bench/tasks_loop.py"
#define LOG "spotsim-bench-tasks.jsonl"
#define RESULTS "spotsim-bench-tasks.json"
#define NUM_ROUNDS 5

/* Writes the log of so many tasks; 1: it is not the recipe's. */
static int write_log(uint64_t num_tasks, const char *sha256)
{
    char found[SHA256_DIGEST_STRING_LENGTH] = "";
    FILE *out = fopen(LOG, "w");

    spot_bug_assert(out != NULL);
    recipe_write(out, num_tasks);
    spot_bug_assert(fclose(out) == 0);
    SHA256File(LOG, found);
    if (strcmp(found, sha256) != 0) {
        printf("the log of %" PRIu64 " tasks is another one: SHA-256 %s\n", num_tasks, found);
        return 1;
    }
    return 0;
}

typedef struct {
    double cpu_s, peak_mb;
} cost_t;

/* Runs a program with its output in a file. */
static cost_t cost_of(char *const *words, const char *output)
{
    const pid_t child = fork();
    struct rusage usage;
    int status;

    if (child == 0) {
        if (freopen(output, "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
            _exit(1);
        }
        execvp(words[0], words);
        _exit(1);
    }
    spot_bug_assert(child > 0 && wait4(child, &status, 0, &usage) == child);
    spot_bug_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (cost_t){(double) usage.ru_utime.tv_sec + (double) usage.ru_stime.tv_sec +
                        1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
        (double) usage.ru_maxrss * 1024 / 1e6};
}

/* The least of some rounds; prints it. */
static double bench(const char *what, int num_rounds, char *const *words, const char *output)
{
    cost_t best = {1e300, 0};

    for (int j = 0; j < num_rounds; j++) {
        const cost_t cost = cost_of(words, output);

        best.cpu_s = cost.cpu_s < best.cpu_s ? cost.cpu_s : best.cpu_s;
        best.peak_mb = cost.peak_mb > best.peak_mb ? cost.peak_mb : best.peak_mb;
    }
    printf("1,004,032 events, %s: %.3f s of CPU, best of %d, %.0f MB\n", what, best.cpu_s,
        num_rounds, best.peak_mb);
    fflush(stdout);
    return best.cpu_s;
}

/* Compares with Python; returns the number of figures that differ. */
static int bench_python(double json_s)
{
    FILE *in = popen("python3 " LOOP " " LOG " " RESULTS, "r");
    char line[256];
    double python_s;
    int num_wrong = 0;

    spot_bug_assert(in != NULL && fscanf(in, "%lf\n", &python_s) == 1);
    while (fgets(line, sizeof(line), in) != NULL) {
        printf("Python finds another figure: %s", line);
        num_wrong++;
    }
    num_wrong += pclose(in) != 0;
    printf(
        "Python %.1f s: %.0f times slower than JSON (at least 8)\n", python_s, python_s / json_s);
    return num_wrong;
}

int main(int argc, char **argv)
{
    char tasks[] = "tasks", fit[] = "fit", json[] = "--json", log[] = LOG;
    int num_wrong = 0;
    double json_s;

    if (argc != 2) {
        fprintf(stderr, "usage: bench_tasks SPOTSIM\n");
        return 2;
    }
    num_wrong += write_log(64, "6420ce3a87f37a319a75918f9878ec73f18dc6fda6cd7b72dce267b6e8ffb223");
    num_wrong +=
        write_log(1024, "2dcb797d56e22be7f989a24514bd366c9da5c896f0decfae8cd46310d37a060e");
    num_wrong +=
        write_log(129600, "24088fa63306b75bef6b5975af2e376512d4771b9cd63ffd760eea664e2396d4");
    bench("text (limits 1 s, 150 MB)", NUM_ROUNDS, (char *[]){argv[1], tasks, log, NULL},
        "/dev/null");
    json_s = bench("JSON (limits 1 s, 150 MB)", NUM_ROUNDS,
        (char *[]){argv[1], tasks, json, log, NULL}, RESULTS);
    bench("laws of all durations", 1, (char *[]){argv[1], tasks, fit, log, NULL}, "/dev/null");
    num_wrong += bench_python(json_s);
    remove(LOG);
    remove(RESULTS);
    return num_wrong == 0 ? 0 : 1;
}
