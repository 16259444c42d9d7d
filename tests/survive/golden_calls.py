# SPDX-License-Identifier: GPL-3.0-or-later
"""The goldens, some of whose commands are tried before they run: stopped, or refused memory.

run() runs the goldens with a program in the place of spotsim that calls the caller's file again, with
--call and the words of a command; that hands them to call(), which tries the command if its turn has
come, with the files as they were, and lets it go on as if nothing had been. Results are lines of JSON.
"""

import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
UNDER_WAY = re.compile(r"\..*\.spotsim-[1-9][0-9]*(-[1-9][0-9]*)?$")


# ---- Folders that are put back ----


def marks(folder):
    """What tells whether a file of the folder, or a folder in it, is as it was."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            full = os.path.join(path, name)
            status = os.lstat(full)
            kind = status.st_mode
            mark = (kind, None) if os.path.isdir(full) and not os.path.islink(full) else (
                kind, status.st_size, status.st_mtime_ns)
            found[os.path.relpath(full, folder)] = mark
    return found


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.chmod(path, 0o700)
        shutil.rmtree(path)
    else:
        os.unlink(path)


def make_alike(folder, source):
    """Changes what differs in the folder, so that it is as the source."""
    wanted, there = marks(source), marks(folder)
    for name in sorted(there, reverse=True):
        if name not in wanted or wanted[name][0] != there[name][0]:
            remove(os.path.join(folder, name))
            del there[name]
    for name in sorted(wanted):
        before, after = os.path.join(source, name), os.path.join(folder, name)
        if there.get(name) == wanted[name]:
            continue
        if os.path.islink(before):
            if name in there:
                os.unlink(after)
            os.symlink(os.readlink(before), after)
            os.utime(after, ns=(os.lstat(before).st_atime_ns, os.lstat(before).st_mtime_ns),
                     follow_symlinks=False)
        elif os.path.isdir(before):
            os.makedirs(after, exist_ok=True)
            os.chmod(after, wanted[name][0] & 0o7777)
        elif os.path.isfile(before):
            if name in there:
                os.unlink(after)
            shutil.copy2(before, after)
        elif name not in there:
            os.mkfifo(after, wanted[name][0] & 0o7777)


def content(path):
    """The bytes of a file; other things have none."""
    if os.path.islink(path) or not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


# ---- Commands ----


def words(command):
    return " ".join(word if re.fullmatch(r"[\w./,=:@%+-]+", word) else f"'{word}'"
                    for word in command[1:])


def call(arguments, try_command, is_plain=lambda arguments: True):
    """A call of spotsim in the goldens. try_command(command, setting, before, scratch, draw, result):
    before is a copy of the folder of the goldens, and a line a try is added to result."""
    with open(os.environ["SPOT_SETTING"], encoding="utf-8") as file:
        setting = json.load(file)
    home, program = setting["home"], setting["program"]
    lock = os.open(os.path.join(home, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    os.set_inheritable(lock, True)  # the program itself keeps it
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_alone = True
    except BlockingIOError:
        is_alone = False
    # A command in the background, which ignores INT, is one that the goldens stop themselves.
    if is_alone and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN and is_plain(arguments):
        with open(os.path.join(home, "calls"), "a+", encoding="utf-8") as file:
            file.seek(0)
            number = len(file.read())
            file.write(".")
        draw = random.Random(f"{setting['seed']} {number}")
        if draw.random() < setting["share"]:
            before, scratch = os.path.join(home, "before"), os.path.join(home, "scratch")
            os.makedirs(before, exist_ok=True)
            os.makedirs(scratch, exist_ok=True)
            make_alike(before, setting["folder"])
            with open(os.path.join(home, "results"), "a", encoding="utf-8") as file:
                try_command([program, *arguments], setting, before, scratch, draw, file)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, [program, *arguments])


def results_of(home):
    try:
        with open(os.path.join(home, "results"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def run(script, program, share, seed, **more):
    """Runs the goldens, whose commands are tried by script; returns their exit code and the results.
    share: of the commands that are tried; more: of the setting."""
    home, folder = os.path.abspath("goldens"), os.path.abspath("work")
    os.makedirs(home)
    os.makedirs(folder)
    with open("setting.json", "w", encoding="utf-8") as file:
        json.dump({"home": home, "folder": folder, "program": program, "share": share,
                   "seed": seed, **more}, file)
    with open("spotsim", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n"
                   f"SPOT_SETTING='{os.path.abspath('setting.json')}' exec '{sys.executable}' -S -E "
                   f"'{os.path.abspath(script)}' --call \"$@\"\n")
    os.chmod("spotsim", 0o755)
    goldens = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "run.sh")
    with open("goldens.log", "wb") as log:
        code = subprocess.run(["sh", goldens, os.path.abspath("spotsim"), folder],
                              stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                              check=False).returncode
    if code != 0:
        print(content("goldens.log").decode(errors="replace")[-3000:])
    return code, results_of(home)
