# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that are refused one allocation.

refuse_memory.py SPOTSIM SPOTSIM_SHORT NUM|all SEED: in the working folder. The goldens are run with a
program in the place of spotsim that calls this file again, with --call: it runs a command of the
goldens whole, which counts its allocations, then with one of them refused at random
(short_memory.c; of "all" REFUSED_OF_EACH of each command), with the files as they were, then lets it go
on as if nothing had been.

Counted as wrong: an end by a signal, a report of a sanitizer (a leak is one), another exit code than 1
or that of the whole run, 1 without a line that speaks of memory, the exit code of the whole run with
another output, or files under way.
"""

import json
import os
import random
import re
import subprocess
import sys

import stop_everywhere as stops

REFUSED_OF_EACH = 10
GOLDEN_CALLS = 750  # about as many commands are in the goldens
MOST_S = 120
SANITIZED = 99  # exit code of a program in which a sanitizer has found something


def run(command, scratch, **values):
    """Exit code, standard output and standard error."""
    environment = dict(os.environ, **values)
    environment["ASAN_OPTIONS"] = f"exitcode={SANITIZED}:allocator_may_return_null=1"
    environment["UBSAN_OPTIONS"] = f"exitcode={SANITIZED}:halt_on_error=1"
    paths = [os.path.join(scratch, name) for name in ("stdout", "stderr")]
    with open(paths[0], "wb") as out, open(paths[1], "wb") as errors:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                              env=environment, timeout=MOST_S, check=False).returncode
    return code, stops.content(paths[0]), stops.content(paths[1])


def changed_files(folder, before):
    return {name: stops.content(os.path.join(folder, name))
            for name, mark in stops.marks(folder).items() if before.get(name) != mark}


def judge(code, out, errors, files, whole, other):
    """What is wrong with a run, or None. other: a second whole run."""
    if code < 0 or code == SANITIZED or b"Sanitizer" in errors or b"runtime error" in errors:
        return f"exit code {code}: {errors[-1500:].decode(errors='replace')}"
    for name in files:
        if stops.UNDER_WAY.match(os.path.basename(name)):
            return f"{name} is left"
    if code == 1 and b"memory" in errors:
        return None
    if code != whole[0]:
        return f"exit code {code}: {errors[-300:].decode(errors='replace')}"
    if out == whole[1] or whole[1] != other[1]:
        return None
    return f"exit code {code}, but {len(out)} bytes of output, not {len(whole[1])}"


def refuse(command, setting, home, draw, result):
    before, scratch = os.path.join(home, "before"), os.path.join(home, "scratch")
    folder, count = setting["folder"], os.path.join(home, "count")
    os.makedirs(before, exist_ok=True)
    os.makedirs(scratch, exist_ok=True)
    stops.make_alike(before, folder)
    marks = stops.marks(before)
    whole = run(command, scratch, SPOT_COUNT=count)
    stops.make_alike(folder, before)
    other = run(command, scratch)
    stops.make_alike(folder, before)
    num_made = int(stops.content(count) or b"0")
    for _ in range(setting["of_each"] if num_made > 0 else 0):
        number = draw.randint(1, num_made)
        code, out, errors = run(command, scratch, SPOT_REFUSE=str(number))
        reason = judge(code, out, errors, changed_files(folder, marks), whole, other)
        stops.make_alike(folder, before)
        result.write(json.dumps({"command": stops.words(command), "number": number,
                                 "of": num_made, "code": code, "reason": reason}) + "\n")
        result.flush()


def call(arguments):
    """A call of spotsim in the goldens."""
    with open(os.environ["SPOT_REFUSALS"], encoding="utf-8") as file:
        setting = json.load(file)
    home = setting["home"]
    is_alone = stops.signal.getsignal(stops.signal.SIGINT) is not stops.signal.SIG_IGN
    # Commands that read a pipe, or run in the background, are tried by the goldens alone.
    is_plain = not any(re.fullmatch(r"-|.*\.fifo|/dev/.*", word) for word in arguments)
    lock = os.open(os.path.join(home, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        stops.fcntl.flock(lock, stops.fcntl.LOCK_EX | stops.fcntl.LOCK_NB)
    except BlockingIOError:
        is_alone = False
    if is_alone and is_plain:
        with open(os.path.join(home, "calls"), "a+", encoding="utf-8") as file:
            file.seek(0)
            number = len(file.read())
            file.write(".")
        draw = random.Random(f"{setting['seed']} {number}")
        if draw.random() < setting["share"]:
            with open(os.path.join(home, "results"), "a", encoding="utf-8") as file:
                refuse([setting["short"], *arguments], setting, home, draw, file)
    for number in (stops.signal.SIGPIPE, stops.signal.SIGXFSZ):
        stops.signal.signal(number, stops.signal.SIG_DFL)
    os.execv(setting["program"], [setting["program"], *arguments])


def main():
    if sys.argv[1] == "--call":
        call(sys.argv[2:])
    program, short, num, seed = sys.argv[1:5]
    for number in stops.SIGNALS:
        stops.signal.signal(number, stops.signal.SIG_DFL)  # whatever this one ignores
    is_all = num == "all"
    here = os.path.dirname(os.path.abspath(__file__))
    home, folder = os.path.abspath("refusals"), os.path.abspath("work")
    os.makedirs(home)
    os.makedirs(folder)
    with open("setting.json", "w", encoding="utf-8") as file:
        json.dump({"home": home, "folder": folder, "program": program, "short": short,
                   "share": 1.0 if is_all else int(num) / GOLDEN_CALLS, "seed": seed,
                   "of_each": REFUSED_OF_EACH if is_all else 1}, file)
    with open("spotsim", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n"
                   f"SPOT_REFUSALS='{os.path.abspath('setting.json')}' exec '{sys.executable}' -S -E "
                   f"'{os.path.abspath(__file__)}' --call \"$@\"\n")
    os.chmod("spotsim", 0o755)
    script = os.path.join(here, "..", "golden", "run.sh")
    with open("goldens.log", "wb") as log:
        code = subprocess.run(["sh", script, os.path.abspath("spotsim"), folder],
                              stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                              check=False).returncode
    results = stops.results_of(home)
    num_wrong = 0
    for result in results:
        if result["reason"]:
            num_wrong += 1
            print(f"wrong: spotsim {result['command']}: seed {seed}, allocation {result['number']} "
                  f"of {result['of']}: {result['reason']}")
    if code != 0 or not results:
        print(stops.content("goldens.log").decode(errors="replace")[-3000:])
        print("the goldens have failed")
        num_wrong += 1
    print(f"{sum(one['code'] == 1 for one in results)} ended for lack of memory")
    print(f"tried {len(results)}, wrong {num_wrong}")
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
