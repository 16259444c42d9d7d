#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mutants.py PROGRAM SOURCE_DIR WORK_DIR NUM SEED: inputs of the tests with something changed in them.

Each mutant is a case of tests/cases or a line of tests/golden/run.sh whose input file has one to three
changes: bits, bytes, lines, numbers, or its end is missing. PROGRAM, best one with sanitizers, runs the
commands of the case on it. What it answers is not looked at. Wrong is a signal, a report of a sanitizer,
a failed assertion, an exit code that is none of the documented ones, and a command that an interrupt
does not end: after LIMIT_S each command gets one.

Mutant k of a seed is the same whenever it is made. The last line is "tried N, wrong M"; before it there is
a line for each wrong one, and its folder is kept in WORK_DIR. "mutants.py ... 1 SEED:K" makes mutant K again.
"""
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys

LIMIT_S = 20  # a command runs so long before it is interrupted
END_S = 20  # and may take so long to end then, with sanitizers on a busy machine
EXIT_CODES = {0, 1, 2, 3, 4, 130}
REPORTS = ("Sanitizer", "runtime error:", "spotsim: bug:", "Assertion `")
NUMBERS = ["0", "-1", "1", "1e308", "-1e308", "1e-320", "nan", "inf", "-inf", "0.1", "1e9", "65536",
           "2147483648", "-2147483649", "9223372036854775807", "-9223372036854775808",
           "18446744073709551616", "0x10", "1_000", "1e", ".", "-", "007", "1e400", "99999999999999999999999"]
TEXTS = [b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\"", b"'", b",", b";", b":", b"{", b"}", b"[", b"]",
         b"- ", b"#", b"&a ", b"*a", b"<<: ", b"|", b"\t", b"null", b"true", b"...\n---\n", b"\\", b"\xe2\x80\xae"]


class Job:
    """Commands, the files that they read, and which of these may be changed."""

    def __init__(self, name, files, steps, commands, folder=None):
        self.name, self.files, self.steps, self.commands, self.folder = name, files, steps, commands, folder


def unescape(text):
    value = re.sub(r"\\(x[0-9a-fA-F]{2}|\n|.)", lambda found: {"n": "\n", "r": "\r", "t": "\t", "\n": ""}.get(
        found[1], chr(int(found[1][1:], 16)) if found[1][0] == "x" and len(found[1]) == 3 else found[1]), text)
    return value.encode("latin-1", "replace")


def read_cases(path):
    """The jobs of a file of cases; tests/cases/run_cases.c says what stands in it."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = file.read().split("\n")
    shared, jobs, section, name = [], [], None, None
    steps, commands = shared, []

    def end_case():
        files = [j for j, step in enumerate(steps) if step[0] in ("file", "append") and len(step[2]) > 0]
        if name is not None and files and commands and not any(step[0] == "each" for step in steps):
            jobs.append(Job(os.path.basename(path) + " " + name, files, steps, commands))

    for line in lines:
        if line.startswith("== "):
            end_case()
            name, steps, commands, section = line[3:], list(shared), [], None
        elif line.startswith("-- "):
            words = line[3:].split()
            section = None
            if words[0] in ("file", "append", "folder", "pipe", "remove", "rename", "copy", "unreadable", "each"):
                steps.append([words[0], words[1:], ""])
                section = steps[-1]
        elif line.startswith("$ "):
            steps.append(["run", [], line[2:]])
            commands.append(line[2:])
            section = None
        elif section is not None and section[0] in ("file", "append"):
            section[2] += line + "\n"
    end_case()
    return jobs


def read_golden(path):
    """The jobs of tests/golden/run.sh: golden commands that name a file of tests/golden/cli."""
    folder = os.path.join(os.path.dirname(path), "cli")
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    jobs = []
    for line in text.split("\n"):
        found = re.match(r"golden \S+ (.*)$", line)
        if found is None or re.search(r"\$(?!work/|source/)|[`<>|&]", found[1]):
            continue
        command = "spotsim " + found[1]
        try:
            words = shlex.split(command)
        except ValueError:
            continue
        names = sorted({word for word in words if ".." not in word and not word.startswith("/") and
                        os.path.isfile(os.path.join(folder, word))})
        if names:
            jobs.append(Job("golden " + command, names, [], [command], folder))
    return jobs


def content_of(step):
    if "escaped" not in step[1]:
        return step[2].encode("utf-8", "surrogateescape")
    content = unescape(step[2])
    return content * int(step[1][step[1].index("repeated") + 1]) if "repeated" in step[1] else content


def change(chance, content):
    """One change. Returns the bytes and what was done."""
    kind = chance.choice(["bit", "byte", "cut", "insert", "number", "number", "number", "line", "swap", "twice", "end"])
    place = chance.randrange(len(content)) if content else 0
    lines = content.split(b"\n")
    line = chance.randrange(len(lines))
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", content))
    if kind == "number" and numbers:
        number = chance.choice(numbers)
        other = chance.choice(NUMBERS).encode()
        return content[:number.start()] + other + content[number.end():], "number %d" % number.start()
    if kind == "bit" and content:
        return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1:], "bit %d" % place
    if kind == "byte" and content:
        return content[:place] + bytes([chance.randrange(256)]) + content[place + 1:], "byte %d" % place
    if kind == "cut":
        return content[:place] + content[place + chance.randrange(1, 20):], "cut %d" % place
    if kind == "line":
        return b"\n".join(lines[:line] + lines[line + 1:]), "line %d away" % line
    if kind == "swap":
        other = chance.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
        return b"\n".join(lines), "lines %d and %d" % (line, other)
    if kind == "twice":
        return b"\n".join(lines[:line] + [lines[line]] * chance.choice([2, 3, 100]) + lines[line + 1:]), "line %d again" % line
    if kind == "end":
        return content[:place], "end at %d" % place
    return content[:place] + chance.choice(TEXTS) + content[place:], "insert at %d" % place


def mutate(chance, content):
    done = []
    for _ in range(chance.choice([1, 1, 2, 3])):
        content, what = change(chance, content)
        done.append(what)
    return content, ", ".join(done)


def make(folder, job, chance):
    """The inputs of a job, one of them changed, up to its first command. Returns what was changed, and
    the steps from there on."""
    if job.folder is not None:
        shutil.copytree(job.folder, folder, dirs_exist_ok=True)
        name = chance.choice(job.files)
        with open(os.path.join(folder, name), "rb") as file:
            content, what = mutate(chance, file.read())
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
        return name + ": " + what, [["run", [], job.commands[0]]]
    chosen = chance.choice(job.files)
    content, what = mutate(chance, content_of(job.steps[chosen]))
    steps = [[*step, content if j == chosen else None] for j, step in enumerate(job.steps)]
    return job.steps[chosen][1][0] + ": " + what, steps


def prepare(folder, step):
    kind, words = step[0], step[1]
    paths = [os.path.join(folder, word) for word in words]
    if kind in ("file", "append"):
        os.makedirs(os.path.dirname(paths[0]), exist_ok=True)
        with open(paths[0], "wb" if kind == "file" else "ab") as file:
            file.write(step[3] if step[3] is not None else content_of(step))
    elif kind == "folder":
        os.makedirs(paths[0], exist_ok=True)
    elif kind == "pipe":
        os.mkfifo(paths[0])
    elif kind == "remove":
        os.remove(paths[0])
    elif kind == "rename":
        os.rename(paths[0], paths[1])
    elif kind == "copy":
        shutil.copyfile(paths[0], paths[1])
    elif kind == "unreadable":
        os.chmod(paths[0], 0)


def run(folder, command, environment):
    """Returns what is wrong with a command, or None."""
    with open(os.path.join(folder, ".out"), "wb") as out, open(os.path.join(folder, ".err"), "wb") as err:
        process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        problem = None
        try:
            code = process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            try:
                code = process.wait(END_S)
            except subprocess.TimeoutExpired:
                problem = "an interrupt does not end it"
                os.killpg(process.pid, signal.SIGKILL)
                code = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    with open(os.path.join(folder, ".err"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    for line in text.split("\n"):
        if any(report in line for report in REPORTS):
            return line.strip()
    if problem is None and (code if code >= 0 else 130 if code == -signal.SIGINT else code) not in EXIT_CODES:
        problem = "exit code %d" % code
    return problem


def try_one(jobs, seed, number, folder, environment):
    """Mutant number of a seed. Returns its name and what is wrong with it."""
    chance = random.Random("%s:%d" % (seed, number))
    job = chance.choice(jobs)
    os.makedirs(folder)
    what, steps = make(folder, job, chance)
    for step in steps:
        if step[0] != "run":
            try:
                prepare(folder, step)
            except OSError:  # a command before it did not make its file
                pass
            continue
        problem = run(folder, step[2].replace("$work", folder).replace("$source", environment["SOURCE"]), environment)
        if problem is not None:
            return job.name + ": " + what, step[2] + ": " + problem
    return job.name + ": " + what, None


def main():
    program, source, work, num, seed = sys.argv[1:]
    source, work, program = os.path.abspath(source), os.path.abspath(work), os.path.abspath(program)
    first = 0
    if ":" in seed:
        seed, first = seed.split(":")[0], int(seed.split(":")[1])
    cases = os.path.join(source, "tests", "cases")
    jobs = [job for name in sorted(os.listdir(cases)) if name.endswith(".cases")
            for job in read_cases(os.path.join(cases, name))]
    jobs += read_golden(os.path.join(source, "tests", "golden", "run.sh"))
    if len(jobs) < 200:
        sys.exit("mutants.py: only %d inputs were found" % len(jobs))
    # What cases name beside and above their folder.
    top = os.path.join(work, "tests", "mutants")
    os.makedirs(top, exist_ok=True)
    for link, target in [("tests/golden", "tests/golden"), ("tests/unit", "tests/unit"), ("tests/mutants/golden", "tests/golden"),
                         ("tests/mutants/unit", "tests/unit"), ("models", "models"), ("reports", "reports")]:
        if not os.path.lexists(os.path.join(work, link)):
            os.symlink(os.path.join(source, target), os.path.join(work, link))
    tools = os.path.join(work, "bin")
    os.makedirs(tools, exist_ok=True)
    copy = os.path.join(tools, "spotsim")  # stays the same whatever is built meanwhile
    if os.path.lexists(copy):
        os.remove(copy)
    shutil.copy2(program, copy)
    environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], SOURCE=source, LC_ALL="C",
                       ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:hard_rss_limit_mb=3000:malloc_context_size=10",
                       UBSAN_OPTIONS="exitcode=99:print_stacktrace=1")
    num_tried = num_wrong = 0
    try:
        for number in range(first, first + int(num)):
            folder = os.path.join(top, "%s-%d" % (seed, number))
            shutil.rmtree(folder, ignore_errors=True)
            name, problem = try_one(jobs, seed, number, folder, environment)
            num_tried += 1
            if problem is None:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                num_wrong += 1
                print("wrong: seed %s:%d: %s\n    %s" % (seed, number, name, problem), flush=True)
    except KeyboardInterrupt:
        pass
    print("tried %d, wrong %d" % (num_tried, num_wrong), flush=True)
    return 1 if num_wrong > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
