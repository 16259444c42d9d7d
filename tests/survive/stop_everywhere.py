# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops commands at random instants.

stop_everywhere.py SPOTSIM NUM|all SEED [NAME...]: in the working folder. A command of the goldens
(golden_calls.py) is run whole, then three times up to a signal, INT, TERM and HUP in turn, each time
with the files as they were. Commands that take long (long_commands.py) are stopped after that;
NAME...: these alone.

Counted as wrong after a signal: an end later than a second (and SPOT_SLACK_S) in each of three tries
at the same instant, another exit code than 130 or, with all of its output, that of the whole run, 130
without one line that says so, half a line on standard output, files under way, of SQLite or in part, a
database that is not sound or from which the same command does not go on, a program of the command that
still runs. A study may leave NAME.partial, and a log of measurements the rows that are done.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import golden_calls
import long_commands
from golden_calls import SIGNALS, UNDER_WAY, content, make_alike, marks, results_of, words

INTERRUPTED = 130
STOPS_OF_EACH = 3
MOST_S = 1.0
TRIES_TO_END = 3  # a busy machine may hold up one of them
GIVEN_UP_S = 60.0
LONG_S = 6.0  # commands that take longer are stopped within that time
GOLDEN_CALLS = 800  # about as many commands are in the goldens
SLACK_S = float(os.environ.get("SPOT_SLACK_S", "0"))


# ---- Runs ----


def runs_in_group(group):
    """Whether a program of the process group runs; one that has ended may wait for its parent."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    state, _, found = file.read().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(found) == group and state not in "ZX":
                return True
    return False


class Run:
    """What a command did, and for how long."""

    def __init__(self, command, scratch, stdin=subprocess.DEVNULL):
        self.command = command
        self.out_path = os.path.join(scratch, "stdout")
        self.error_path = os.path.join(scratch, "stderr")
        with open(self.out_path, "wb") as out, open(self.error_path, "wb") as errors:
            self.process = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=errors,
                                            start_new_session=True)

    def wait_until_it_listens(self):
        """Until TERM has a handler, the last one to be set, or the command has ended."""
        bit = 1 << (signal.SIGTERM - 1)
        while self.process.poll() is None:
            try:
                with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
                    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", file.read(), re.MULTILINE)
            except OSError:
                caught = None
            if caught and int(caught.group(1), 16) & bit:
                return
            time.sleep(0.0005)

    def wait(self, for_s):
        """Whether it ended in that time."""
        try:
            self.process.wait(for_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self):
        self.code = self.process.returncode
        self.out, self.errors = content(self.out_path), content(self.error_path)

    def has_others(self):
        """Whether a program that it started still runs a second later."""
        for _ in range(100):
            if not runs_in_group(self.process.pid):
                return False
            time.sleep(0.01)
        os.killpg(self.process.pid, signal.SIGKILL)
        return True


def run_whole(command, scratch, most_s=None):
    """A run to its end, or for that long at most: then its exit code is None."""
    run = Run(command, scratch)
    run.wait_until_it_listens()
    began = time.monotonic()
    if not run.wait(most_s):
        run.process.kill()
        run.process.wait()
        run.process.returncode = None
    run.took_s = time.monotonic() - began
    run.end()
    return run


def run_stopped(command, scratch, number, after_s):
    run = Run(command, scratch)
    run.wait_until_it_listens()
    run.wait(after_s)
    run.is_stopped = run.process.poll() is None
    began = time.monotonic()
    if run.is_stopped:
        run.process.send_signal(number)
    run.is_ended = run.wait(GIVEN_UP_S)
    run.delay_s = time.monotonic() - began if run.is_stopped else 0.0
    if not run.is_ended:
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()
    run.end()
    return run


class Stops:
    """A command that is stopped in a folder, which is put back each time."""

    def __init__(self, command, folder, before, scratch):
        self.command, self.folder, self.before, self.scratch = command, folder, before, scratch
        self.marks = marks(before)
        self.whole = None
        self.again = None

    def put_back(self):
        make_alike(self.folder, self.before)

    def files(self):
        """What the command has written or changed, by name."""
        changed = {}
        for name, mark in marks(self.folder).items():
            if self.marks.get(name) != mark:
                changed[name] = content(os.path.join(self.folder, name))
        return changed

    def run_whole(self, most_s=None):
        whole = run_whole(self.command, self.scratch, most_s)
        whole.files = self.files()
        self.put_back()
        return whole

    def other(self):
        """A second whole run, for what is not the same in each, such as times."""
        if self.again is None:
            self.put_back()
            self.again = self.run_whole()
        return self.again

    def judge_output(self, run):
        whole = self.whole
        if run.out and not run.out.endswith(b"\n"):
            if run.code != whole.code or not whole.out or whole.out.endswith(b"\n"):
                return f"standard output ends with {run.out[-60:]!r}"
        if whole.code is None or whole.out.startswith(run.out):
            return None
        # Words that two whole runs do not share are not compared, nor are those of measured times.
        mine, one, two = run.out.split(), whole.out.split(), self.other().out.split()
        if "--plan" in self.command:
            mine, one, two = [[re.sub(rb"[0-9.]+", b"0", word) for word in words]
                              for words in (mine, one, two)]
        for j, (word, first, second) in enumerate(zip(mine, one, two)):
            if j + 1 == len(mine) and word + b"," == first and "--json" in self.command:
                continue  # it was not known whether an item follows
            if first == second and word != first:
                return f"standard output has {word!r} where the whole run has {first!r}"
        return None

    def judge_code(self, run):
        lines = [line for line in run.errors.splitlines() if b"interrupted" in line]
        if run.code == INTERRUPTED:
            return None if lines == [b"spotsim: interrupted"] else f"says {run.errors!r}"
        if self.whole.code is None or run.code != self.whole.code:
            return f"exit code {run.code}: {run.errors[-300:]!r}"
        if len(run.out) != len(self.whole.out) and len(run.out.split()) != len(
                self.other().out.split()):
            return f"exit code {run.code}, and {len(run.out)} bytes of output"
        return None

    def judge_database(self, name, run):
        """A database that is neither as before nor whole is sound, and goes on."""
        program, path = self.command[0], os.path.join(self.folder, name)
        checked = subprocess.run([program, "check", path], stdin=subprocess.DEVNULL,
                                 capture_output=True, check=False)
        if checked.returncode != 0:
            return f"{name}: check says {checked.stderr!r}"
        if self.whole.code is None:
            return None
        on = run_whole(self.command, self.scratch)
        if on.code != self.whole.code:
            return f"{name}: the same command goes on with exit code {on.code}: {on.errors!r}"
        on.is_resumed = True
        return self.judge_output(on)

    def judge_files(self, run):
        whole = self.whole
        left = self.files()
        databases = []
        for name, found in left.items():
            base = os.path.basename(name)
            if UNDER_WAY.match(base) or re.search(r"-(wal|shm|journal)$", base):
                return f"{name} is left"
            if os.path.isdir(os.path.join(self.folder, name)):
                continue
            if found.startswith(b"SQLite format 3\0"):
                databases.append(name)
            elif base.endswith(".partial") or (whole.code is None and (
                    found.endswith(b"\n") or base.endswith(".gz"))) or (
                    whole.code is not None and whole.files.get(name) == found):
                continue
            elif whole.code is not None and name in whole.files and (
                    "--log" in self.command and whole.files[name].startswith(found)):
                continue
            elif whole.code is not None and name in whole.files and (
                    self.other().files.get(name) != whole.files[name] and
                    len(found) > len(whole.files[name]) * 0.99 - 9):
                continue  # no two runs write the same
            else:
                return f"{name} is left, of {len(found)} bytes"
        for name in self.marks:
            if not os.path.lexists(os.path.join(self.folder, name)) and (
                    whole.code is None or os.path.basename(name)[0] != "."):
                return f"{name} is gone"
        for name in databases:
            reason = self.judge_database(name, run)
            if reason:
                return reason
        return None

    def stop(self, number, after_s):
        """The run, and what is wrong with it, or None."""
        run = run_stopped(self.command, self.scratch, number, after_s)
        for _ in range(TRIES_TO_END - 1):
            if not run.is_ended or run.delay_s <= MOST_S + SLACK_S:
                break
            self.put_back()
            run = run_stopped(self.command, self.scratch, number, after_s)
        reason = None
        if not run.is_ended:
            reason = f"does not end within {GIVEN_UP_S:g} s"
        elif run.delay_s > MOST_S + SLACK_S:
            reason = f"ends {run.delay_s:.2f} s after the signal"
        elif run.has_others():
            reason = "a program of it still runs"
        reason = reason or self.judge_code(run) or self.judge_output(run) or self.judge_files(run)
        self.put_back()
        return run, reason


def write_result(result, command, number, at, delay_s, is_stopped, reason):
    result.write(json.dumps({
        "command": words(command), "signal": number.name, "at": at, "delay_s": delay_s,
        "is_stopped": is_stopped, "reason": reason}) + "\n")
    result.flush()


def stop_at_instants(stops, draw, result, most_s=None, signals=SIGNALS):
    """Stops of a command by each of the signals; adds a line for each to the file of results."""
    stops.put_back()
    stops.whole = stops.run_whole(most_s)
    for number in signals:
        share = draw.random()
        run, reason = stops.stop(number, share * stops.whole.took_s)
        if stops.whole.code == 2 and most_s is not None:  # nothing was tried
            reason = f"exit code {stops.whole.code}: {stops.whole.errors[-300:]!r}"
        write_result(result, stops.command, number, f"{share:.4f} of {stops.whole.took_s:.3f} s",
                     run.delay_s, run.is_stopped and run.code == INTERRUPTED, reason)


# ---- Commands of the goldens ----


def stop_command(command, setting, before, scratch, draw, result):
    stop_at_instants(Stops(command, setting["folder"], before, scratch), draw, result)


def stop_goldens(program, share, seed):
    """Runs the goldens, whose commands are stopped; returns the results."""
    code, results = golden_calls.run(__file__, program, share, seed)
    if code != 0:
        results.append({"command": "all", "signal": "none", "at": "the end", "delay_s": 0.0,
                        "is_stopped": False, "reason": "the goldens have failed, see goldens.log"})
    return results


# ---- Commands that take long ----


def stop_long(program, num, seed, names):
    """Stops num of the commands once, or all of them three times; returns the results."""
    draw = random.Random(f"{seed} long")
    os.makedirs("long/scratch")
    os.makedirs("long/before")
    os.chdir("long")
    long_commands.make_inputs(program, 1 if num is None else 0.03)
    if num is not None:
        names = [draw.choice(names) for _ in range(num)]
    with open("results", "w", encoding="utf-8") as file:
        for j, name in enumerate(names):
            stops = Stops(long_commands.command(program, name), "out", "before", "scratch")
            if num is None:
                stop_at_instants(stops, draw, file, LONG_S)
            else:
                stop_at_instants(stops, draw, file, LONG_S / 3, [SIGNALS[j % len(SIGNALS)]])
        stop_unread(program, file)
    os.chdir("..")
    return results_of("long")


def stop_unread(program, result):
    """A command whose output nobody reads, and which so waits, ends all the same."""
    command = [program, "export", "study.db", "--jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(1)
        began = time.monotonic()
        process.terminate()
        try:
            process.wait(GIVEN_UP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        delay_s = time.monotonic() - began
        errors = process.stderr.read()
        is_good = process.returncode == INTERRUPTED and delay_s <= MOST_S + SLACK_S
    write_result(result, command, signal.SIGTERM, "a full pipe", delay_s, is_good,
                 None if is_good else f"exit code {process.returncode}, {errors!r}")


def main():
    if sys.argv[1] == "--call":
        golden_calls.call(sys.argv[2:], stop_command)
    program, seed, names = sys.argv[1], sys.argv[3], sys.argv[4:]
    num = None if sys.argv[2] == "all" else int(sys.argv[2])
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)  # whatever this one ignores
    results = []
    if not names:
        share = 1.0 if num is None else 0.6 * num / STOPS_OF_EACH / GOLDEN_CALLS
        results = stop_goldens(program, share, seed)
    num_left = None if num is None else max(num - len(results) - 1, 0)
    results += stop_long(program, num_left, seed, names or list(long_commands.COMMANDS))
    num_wrong = 0
    for result in results:
        if result["reason"]:
            num_wrong += 1
            print(f"wrong: spotsim {result['command']}: seed {seed}, {result['signal']} at "
                  f"{result['at']}: {result['reason']}")
    slowest = sorted(results, key=lambda one: -one["delay_s"])[:len(results) if names else 5]
    print(f"{sum(one['is_stopped'] for one in results)} were interrupted; the last ones to end:")
    for one in slowest:
        print(f"{one['delay_s']:.3f} s: spotsim {one['command']}, {one['at']}")
    print(f"tried {len(results)}, wrong {num_wrong}")
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
