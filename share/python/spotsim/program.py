# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of the program spotsim: where it is, what it is given, what it says."""

import json
import os
import shutil
import subprocess
import warnings


class SpotsimError(Exception):
    """The program ended with an error.

    message: its standard error; exit_code: 2 for bad input, 1 for what failed outside, below 0 for
    a signal, None if it was not run; output: its standard output.
    """

    def __init__(self, message, exit_code=None, output=""):
        super().__init__(message, exit_code, output)
        self.message = message
        self.exit_code = exit_code
        self.output = output

    def __str__(self):
        return self.message


class NotFound(SpotsimError):
    """There is no program spotsim."""


def find(program=None):
    """The absolute path of the program: as named, else as SPOTSIM says, else on PATH."""
    name = os.fspath(program or os.environ.get("SPOTSIM") or "spotsim")
    path = shutil.which(name)
    if path is None:
        raise NotFound(f"{name}: no such program; the argument program or the environment variable "
                       "SPOTSIM can name it")
    return os.path.abspath(path)


def is_answer(output, errors):
    """Whether an output is a result: JSON, or lines that come with nothing but warnings."""
    try:
        json.loads(output)
    except ValueError:
        return all(line.startswith("warning: ") for line in errors if line)
    return True


VERDICTS = (1, 3, 4)  # exit codes of answers: no, a goal that is lost, undecided


def call(program, *arguments, verdicts=()):
    """Runs the program and returns its standard output. Its warnings become those of Python.

    verdicts: exit codes that are results, not errors, where the program has printed a result.
    """
    done = subprocess.run([find(program), *arguments], check=False, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", errors="replace")
    lines = done.stderr.split("\n")
    is_result = done.returncode in verdicts and is_answer(done.stdout, lines)
    if done.returncode != 0 and not is_result:
        message = done.stderr.strip() or f"spotsim ended with exit code {done.returncode}"
        raise SpotsimError(message, done.returncode, done.stdout)
    for line in lines:
        if line.startswith("warning: "):
            warnings.warn(line[len("warning: "):], stacklevel=3)
    return done.stdout


def value_text(value):
    """A value as YAML. Texts are YAML already; those of numpy become lists and numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    return os.fspath(value)


def set_options(sets, keywords):
    """The options --set of a dict of keys and of keywords, in which "__" stands for "."."""
    values = dict(sets or {})
    for name, value in keywords.items():
        key = name.replace("__", ".")
        if key in values:
            raise TypeError(f"{key} is set twice")
        values[key] = value
    return [f"--set={key}={value_text(value)}" for key, value in values.items()]


def keyword_options(keywords):
    """The options of a command of keywords: "_" stands for "-", True for a flag, None and False for
    an option that is not given, a list for several times the same one."""
    options = []
    for name, value in keywords.items():
        option = "--" + name.replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                options.append(option)
            elif item is not None and item is not False:
                options.append(f"{option}={value_text(item)}")
    return options
