# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that are refused one allocation.

refuse_memory.py SPOTSIM SPOTSIM_SHORT NUM|all SEED: in the working folder. A command of the goldens
(golden_calls.py) is run whole, which counts its allocations, then with one of them refused at random
(short_memory.c; of "all" REFUSED_OF_EACH of each command), with the files as they were.

Counted as wrong: an end by a signal, a report of a sanitizer (a leak is one), another exit code than 1
or that of the whole run, 1 without a line that speaks of memory, the exit code of the whole run with
another output or other files, or files under way.
"""

import json
import os
import re
import signal
import subprocess
import sys

import golden_calls as goldens

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
    return code, goldens.content(paths[0]), goldens.content(paths[1])


def changed_files(folder, before):
    return {name: goldens.content(os.path.join(folder, name))
            for name, mark in goldens.marks(folder).items() if before.get(name) != mark}


def judge(tried, whole, other):
    """What is wrong with a run, or None. Each: exit code, output, errors, files that it has changed;
    other: a second whole run, since what two of them do not agree on says nothing."""
    code, out, errors, files = tried
    if code < 0 or code == SANITIZED or b"Sanitizer" in errors or b"runtime error" in errors:
        return f"exit code {code}: {errors[-1500:].decode(errors='replace')}"
    for name in files:
        if goldens.UNDER_WAY.match(os.path.basename(name)):
            return f"{name} is left"
    if code == 1 and b"memory" in errors:
        return None
    if code != whole[0]:
        return f"exit code {code}: {errors[-300:].decode(errors='replace')}"
    if out != whole[1] and whole[1] == other[1]:
        return f"exit code {code}, but {len(out)} bytes of output, not {len(whole[1])}"
    for name in files | whole[3]:
        if files.get(name) != whole[3].get(name) and whole[3].get(name) == other[3].get(name):
            return f"exit code {code}, but {name} is another one, or not there"
    return None


def refuse(command, setting, before, scratch, draw, result):
    command = [setting["short"], *command[1:]]
    folder, count = setting["folder"], os.path.join(setting["home"], "count")
    marks = goldens.marks(before)

    def try_once(**values):
        tried = *run(command, scratch, **values), changed_files(folder, marks)
        goldens.make_alike(folder, before)
        return tried

    whole, other = try_once(SPOT_COUNT=count), try_once()
    num_made = int(goldens.content(count) or b"0")
    for _ in range(setting["of_each"] if num_made > 0 else 0):
        number = draw.randint(1, num_made)
        tried = try_once(SPOT_REFUSE=str(number))
        result.write(json.dumps({"command": goldens.words(command), "number": number, "of": num_made,
                                 "code": tried[0], "reason": judge(tried, whole, other)}) + "\n")
        result.flush()


def is_plain(arguments):
    """Commands that read a pipe, or run in the background, are tried by the goldens alone."""
    return not any(re.fullmatch(r"-|.*\.fifo|/dev/.*", word) for word in arguments)


def main():
    if sys.argv[1] == "--call":
        goldens.call(sys.argv[2:], refuse, is_plain)
    program, short, num, seed = sys.argv[1:5]
    for number in goldens.SIGNALS:
        signal.signal(number, signal.SIG_DFL)  # whatever this one ignores
    is_all = num == "all"
    code, results = goldens.run(__file__, program, 1.0 if is_all else int(num) / GOLDEN_CALLS, seed,
                                short=short, of_each=REFUSED_OF_EACH if is_all else 1)
    num_wrong = 0
    for result in results:
        if result["reason"]:
            num_wrong += 1
            print(f"wrong: spotsim {result['command']}: seed {seed}, allocation {result['number']} "
                  f"of {result['of']}: {result['reason']}")
    if code != 0 or not results:
        print("the goldens have failed")
        num_wrong += 1
    print(f"{sum(one['code'] == 1 for one in results)} ended for lack of memory")
    print(f"tried {len(results)}, wrong {num_wrong}")
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
