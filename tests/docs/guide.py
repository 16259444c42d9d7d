# SPDX-License-Identifier: GPL-3.0-or-later
"""guide.py SOURCE_DIR SPOTSIM WORK_DIR GUIDE: the code blocks of a guide, run in their order in a
fresh copy of what the repository has for users, whose build/release holds the program.
docs/developers.md says what each kind of block is for. Links, sizes and the kinds themselves are
checked too, and that files which the commands write anew are those that are committed."""

import doctest
import filecmp
import importlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

NOT_RUN = {"build", "test", "install", "cluster"}
SHOWN_ONLY = {"", "c", "yaml", "text", "csv", "sql"}
SIZES = {"README.md": (3000, 11776), "docs/keys.md": (3000, 100000), "docs/metrics.md": (3000, 40000)}
# in bytes; all others:
GUIDE_SIZES = (3000, 12288)
COPIED = ("README.md", "docs/", "models/sample/", "reports/studies/", "share/")

# What the program prints of defaults that decide time or money. Scenarios of guides have none of
# them; values of the command line, and what an advice tries, may.
ASSUMED = "assumed, not from your file"
OWN_VALUES = ("--over", "--set", "--recovery", "spotsim advise", ".advice.yaml")

# The program in blocks that show no figure: studies and comparisons have few replications, unless the
# command says how many.
FEW = """#!/bin/sh
command=$1
study=
for word; do
    case $word in
        --replications* | --shard* | *replications[.=]*) command= ;;
        *.yaml) [ -n "$study" ] || [ ! -e "$word" ] || study=$word ;;
    esac
done
case $command in
    study)
        if grep -q '^optimise:' "$study"; then
            # so few show nothing of conditions: 4 is undecided
            {program} "$@" --set replications.min=8 --set replications.max=8
            code=$?
            [ $code = 4 ] && code=0
            exit $code
        else
            set -- "$@" --set replications.count=8
        fi
        ;;
    compare) set -- "$@" --replications 8 ;;
esac
exec {program} "$@"
"""


class Block:
    """A fenced block: its line in the guide, its kind (words behind the fence) and its text."""

    def __init__(self, line, words, text):
        self.line, self.text = line, text
        self.language, self.purpose = (words.split() + ["", ""])[:2]


def blocks_of(text):
    """The blocks of a guide, and its lines outside of them as (number, line)."""
    blocks, prose, fence = [], [], None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is None and line.startswith("```"):
            fence = (number, line[3:], [])
        elif fence is not None and line == "```":
            blocks.append(Block(fence[0], fence[1], "\n".join(fence[2]) + "\n"))
            fence = None
        elif fence is not None:
            fence[2].append(line)
        else:
            prose.append((number, line))
    assert fence is None, f"line {fence[0]}: a block without an end"
    return blocks, prose


def anchors_of(path):
    """The anchors that GitHub makes of the headings of a file."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_prose(guide, prose, tracked, source):
    """Links lead to tracked files and to headings; commands stand in fences."""
    errors = []
    for number, line in prose:
        if line.startswith("    "):
            errors.append(f"line {number}: code without a fence is not run")
        for target in re.findall(r"\]\(([^)]*)\)", line):
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(guide), name)) if name else guide
            if "://" in target:
                continue
            if path not in tracked:
                errors.append(f"line {number}: there is no {path}")
            elif anchor and anchor not in anchors_of(source / path):
                errors.append(f"line {number}: {path} has no heading {anchor}")
    return errors


class Runner:
    """Runs blocks in the copy; folder, PATH and names of Python go on from block to block."""

    def __init__(self, guide, copy, work, program):
        self.guide, self.copy, self.work, self.program = guide, copy, work, program
        self.installed = copy / "build/release/spotsim"
        self.installed.parent.mkdir(parents=True)
        self.installed.symlink_to(program)
        self.folder, self.output, self.names = copy, "", {}
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(work), "LC_ALL": "C.UTF-8",
                            "TERM": "dumb"}
        self.environment.update((name, os.environ[name]) for name in ("ASAN_OPTIONS", "CCACHE_DIR")
                                if name in os.environ)
        if guide != "README.md":  # whose first commands do this
            self.environment["PATH"] = f"{copy}/build/release:" + os.environ["PATH"]

    def shell_with_few(self, text):
        """The same with few replications."""
        self.installed.unlink()
        self.installed.write_text(FEW.replace("{program}", shlex.quote(str(self.program))), "utf-8")
        self.installed.chmod(0o755)
        error = self.shell(text)
        self.installed.unlink()
        self.installed.symlink_to(self.program)
        return error

    def shell(self, text):
        """Commands as typed, one after the other until one fails."""
        state = self.work / "state"
        script = f'{text}\n{{ pwd && printf %s "$PATH"; }} >"{state}"\n'
        done = subprocess.run(["sh", "-eux", "-c", script], cwd=self.folder, check=False,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0:
            return f"exit code {done.returncode}\n{self.output[-3000:]}"
        if ASSUMED in self.output and not any(word in text for word in OWN_VALUES):
            return f"what a guide runs assumes nothing\n{self.output[-3000:]}"
        folder, self.environment["PATH"] = state.read_text("utf-8").split("\n")
        self.folder = pathlib.Path(folder)
        return None

    def has_printed(self, text):
        """The lines of a block stand in the output of the commands before it, in their order,
        wherever that breaks its lines and however wide its columns are."""
        printed, at = " ".join(self.output.split()), 0
        for line in text.split("\n"):
            wanted = " ".join(line.split())
            at = printed.find(wanted, at)
            if at < 0:
                return f"was not printed: {line}\n{self.output[-6000:]}"
            at += len(wanted)
        return None

    def python(self, block):
        """The lines behind >>> print what stands below them."""
        if ">>>" not in block.text:
            return "a block of Python without >>> is not run"
        os.environ["PATH"] = self.environment["PATH"]
        os.chdir(self.folder)
        test = doctest.DocTestParser().get_doctest(block.text, self.names, self.guide, self.guide,
                                                   block.line)
        runner = doctest.DocTestRunner()
        runner.run(test, clear_globs=False)
        self.names = test.globs
        return "see above" if runner.failures else None

    def python_with_pandas(self, block):
        """The same with pandas; what python() returns, and False where it is not installed."""
        del sys.modules["pandas"]
        try:
            importlib.import_module("pandas")
            return self.python(block), True
        except ImportError:
            return None, False
        finally:
            sys.modules["pandas"] = None

    def sql(self, database, text):
        """A statement that a database answers with rows, or with none."""
        if shutil.which("sqlite3") is None:
            return None
        done = subprocess.run(["sqlite3", "-readonly", database], input=text, cwd=self.folder,
                              check=False, encoding="utf-8", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout if done.returncode != 0 or "Error" in done.stdout else None

    def run(self, block):
        """None, or what is wrong; and whether the block did something."""
        language, purpose = block.language, block.purpose
        if language == "sh" and purpose in NOT_RUN:
            return None, False
        if language == "sh" and purpose.startswith("needs-"):
            if shutil.which(purpose[len("needs-"):]) is None:
                return None, False
            return self.shell(block.text), True
        if language == "sh" and purpose == "few":
            return self.shell_with_few(block.text), True
        if language == "sh" and purpose == "":
            return self.shell(block.text), True
        if language == "text" and purpose == "output":
            return self.has_printed(block.text), True
        if language in ("yaml", "csv") and purpose:
            (self.folder / purpose).write_text(block.text, "utf-8")
            return None, True
        if language == "sql" and purpose:
            return self.sql(purpose, block.text), True
        if language == "python" and purpose == "needs-pandas":
            return self.python_with_pandas(block)
        if language == "python" and purpose == "":
            return self.python(block), True
        if language in SHOWN_ONLY and purpose == "":
            return None, False
        return f"a block of no known kind: {language} {purpose}", False


def essence(path):
    """A file without comments, its fractions to six digits: the last ones are the C library's."""
    text = "".join(line for line in path.read_bytes().decode("latin-1").splitlines(True)
                   if not line.startswith("#"))
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.6g}", text)


def tracked_files(source):
    """What git tracks, or all files of a checkout without git."""
    done = subprocess.run(["git", "-C", source, "-c", f"safe.directory={source}", "ls-files", "-z"],
                          check=False, capture_output=True)
    if done.returncode == 0 and done.stdout:
        names = done.stdout.decode("utf-8").split("\0")
    else:
        names = [str(path.relative_to(source)) for path in source.rglob("*")
                 if path.relative_to(source).parts[0] not in ("build", "results", ".git")]
    return {name for name in names if (source / name).is_file()}


def main(source, program, work, guide):
    source, work = pathlib.Path(source).resolve(), pathlib.Path(work).resolve() / guide
    tracked = tracked_files(source)
    shutil.rmtree(work, ignore_errors=True)
    copy = work / "spotsim"
    copied = [name for name in tracked if name.startswith(COPIED)]
    for name in copied:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, copy / name)
    sys.path.insert(0, str(copy / "share/python"))
    sys.modules["pandas"] = None  # docs/python.md shows tables without it

    text = (source / guide).read_text("utf-8")
    blocks, prose = blocks_of(text)
    errors = check_prose(guide, prose, tracked, source)
    smallest, largest = SIZES.get(guide, GUIDE_SIZES)
    size = len(text.encode("utf-8"))
    if not smallest <= size <= largest:
        errors.append(f"{size} bytes, not {smallest} to {largest}")
    runner, num_run = Runner(guide, copy, work, pathlib.Path(program).resolve()), 0
    for block in blocks:
        error, was_run = runner.run(block)
        num_run += was_run
        if error is not None:
            errors.append(f"line {block.line}: {error}")
    for name in copied:  # commands that make shipped files anew make the same
        if (not filecmp.cmp(copy / name, source / name, shallow=False)
                and essence(copy / name) != essence(source / name)):
            errors.append(f"{name} is no longer as committed")
    for error in errors:
        print(f"{guide}: {error}")
    if not errors:
        os.chdir(source)
        shutil.rmtree(work)
    print(f"{guide}: {len(blocks)} blocks, {num_run} run, {len(errors)} errors")
    return errors != []


sys.exit(main(*sys.argv[1:]))
