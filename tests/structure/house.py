# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how the sources are cut into modules, and holds the rules of design.

house.py SOURCE_DIR [--list WHAT | --check]: prints the figures; --list also names what is counted under
WHAT: short, clients, circles, long, files, functions; --check fails where a rule is broken. It reads the
sources as clang-format leaves them: a function is defined where a line starts with a letter and a later
one with "{".

A module is a .c file, a header, or both of one name. A client of a header is another module of the
product that uses a name which the header declares. The rules:

- no file above LONG lines;
- no circle of modules within a folder: each uses names of the next one;
- no header with one client in its own folder, unless both together would have more than MOST lines, and
  but for the doors of engines: what only one module calls belongs into it.
"""

import os
import re
import sys

ROOMS = ("base", "models", "traces", "sim", "reports", "cli", "share")
ENGINES = ("sim/train", "sim/schedule", "sim/serve", "sim/input", "sim/tasks", "sim/market", "sim/llm",
           "sim/replicas")
BENCH = ("sim/bench", "reports", "cli")
SHORT = 100
LONG = 1500
MOST = 1200
DOORS = ("sim/train/advice", "sim/schedule/experiment", "sim/serve/experiment")

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# What starts a line at column 0 and ends with the "{" of a body.
FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][^;{}#=]*?\b(?P<name>[A-Za-z_]\w*)\([^;{}]*\)[^;{}()=]*)\n\{", re.MULTILINE)


class Source:
    def __init__(self, top, path):
        self.path = path
        with open(os.path.join(top, path), encoding="utf-8") as file:
            self.text = file.read()
        self.num_lines = self.text.count("\n")
        self.code = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n") or " ", self.text)
        self.includes = INCLUDE.findall(self.text)
        self.words = set(WORD.findall(self.code))
        self.functions, self.public = [], []
        if path.endswith(".c"):
            for match in FUNCTION.finditer(self.code):
                is_static = re.search(r"\bstatic\b", match.group("head"))
                (self.functions if is_static else self.public).append(match.group("name"))

    def room(self):
        return os.path.dirname(self.path)

    def module(self):
        return os.path.splitext(self.path)[0]


def read(top):
    sources = {}
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(top, room)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(folder, name), top)
                    sources[path] = Source(top, path)
    if len(sources) < 300:
        sys.exit(f"house.py: only {len(sources)} sources in {top}: the check is broken")
    return sources


def names_of_header(code):
    """What a header gives to others: functions, types, macros, enumerators and tables."""
    found = set(re.findall(r"\b(spot_\w+)\(", code))
    found |= set(re.findall(r"\} (spot_\w+_t);", code)) | set(re.findall(r"\b(spot_\w+_t);", code))
    found |= set(re.findall(r"^#define (\w+)", code, re.MULTILINE))
    found |= set(re.findall(r"^ +(SPOT_\w+)(?: = [^,]*)?,?$", code, re.MULTILINE))
    found |= set(re.findall(r"\b(spot_\w+)(?:\[[^]]*\])?[;,]", code))
    return found


def clients_of(sources):
    """Modules that use names of each header, its own apart."""
    names = {path: names_of_header(source.code) for path, source in sources.items()
             if path.endswith(".h")}
    times = {}
    for found in names.values():
        for name in found:
            times[name] = times.get(name, 0) + 1
    clients = {}
    for path, found in names.items():
        own = {name for name in found if times[name] == 1}
        module = os.path.splitext(path)[0]
        clients[path] = sorted({source.module() for source in sources.values()
                                if source.module() != module and own & source.words})
    return clients


def lonely_headers(sources, clients):
    """Headers with one client in their folder that could be part of it."""
    lines = {}
    for source in sources.values():
        lines[source.module()] = lines.get(source.module(), 0) + (
            source.num_lines if source.path.endswith(".c") else 0)
    found = []
    for path, users in sorted(clients.items()):
        module = os.path.splitext(path)[0]
        if len(users) == 1 and os.path.dirname(users[0]) == os.path.dirname(path) and (
                module not in DOORS and lines[module] + lines[users[0]] <= MOST):
            found.append(path)
    return found


def circles_of(sources):
    """Sets of modules of a room that use names of each other, as one goes from each to each."""
    modules = {}
    for source in sources.values():
        modules.setdefault(source.module(), []).append(source)
    owner = {}
    for name, files in modules.items():
        for source in files:
            for function in source.public:
                owner[function] = name
            if source.path.endswith(".h"):
                for word in re.findall(r"^\} (spot_\w+_t);", source.code, re.MULTILINE):
                    owner[word] = name
                for word in re.findall(r"^#define (\w+)", source.code, re.MULTILINE):
                    owner[word] = name
    uses = {}
    for name, files in modules.items():
        words = set().union(*(source.words for source in files))
        room = files[0].room()
        uses[name] = {owner[word] for word in words if word in owner and owner[word] != name and
                      os.path.dirname(owner[word]) == room}
    return strong_components(uses)


def strong_components(uses):
    """Tarjan, SIAM J. Computing 1(2), 1972; those of two modules or more."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        on_stack.add(name)
        for other in sorted(uses[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in on_stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            part = []
            while True:
                last = stack.pop()
                on_stack.discard(last)
                part.append(last)
                if last == name:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for name in sorted(uses):
        if name not in index:
            visit(name)
    return sorted(found)


def lines_in(sources, rooms):
    return sum(source.num_lines for path, source in sources.items() if path.startswith(tuple(
        room + "/" for room in rooms)))


def main():
    top = sys.argv[1]
    is_check = sys.argv[2:] == ["--check"]
    what = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--list" else None
    sources = read(top)
    clients = clients_of(sources)
    c_files = [source for path, source in sorted(sources.items()) if path.endswith(".c")]
    short = [source for source in c_files if source.num_lines < SHORT]
    long_files = [source for source in sources.values() if source.num_lines > LONG]
    single = {path: clients[path] for path in lonely_headers(sources, clients)}
    circles = circles_of(sources)
    public = [(source.path, name) for source in c_files for name in source.public]
    bench, engines = lines_in(sources, BENCH), lines_in(sources, ENGINES)
    lines = sum(source.num_lines for source in sources.values())
    print(f"files: {len(sources)}, lines: {lines}, a file: {lines / len(sources):.0f}")
    print(f"public functions: {len(public)} of {sum(len(s.public) + len(s.functions) for s in c_files)}")
    print(f".c files under {SHORT} lines: {len(short)}")
    print(f"bench with reports and cli: {bench}, engines: {engines}, {bench / engines:.2f} times")
    print(f"headers with one client, which could be part of it: {len(single)}")
    print(f"circles of modules within a room: {len(circles)}")
    print(f"files above {LONG} lines: {len(long_files)}")
    for room in ROOMS:
        print(f"lines of {room}: {lines_in(sources, [room])}")
    if is_check:
        wrong = [f"{source.path} has {source.num_lines} lines" for source in long_files]
        wrong += ["a circle of modules: " + " ".join(part) for part in circles]
        wrong += [f"{path} has one client: {single[path][0]}" for path in single]
        for line in wrong:
            print(line)
        sys.exit(1 if wrong else 0)
    if what == "short":
        for source in short:
            print(f"{source.num_lines:5} {source.path}")
    elif what == "clients":
        for path, found in single.items():
            print(f"{path}: {' '.join(found)}")
    elif what == "circles":
        for part in circles:
            print(" ".join(part))
    elif what == "long":
        for source in long_files:
            print(f"{source.num_lines:5} {source.path}")
    elif what == "functions":
        for path, name in public:
            print(f"{path}: {name}")
    elif what == "files":
        for path, source in sorted(sources.items()):
            print(f"{source.num_lines:5} {path}")


if __name__ == "__main__":
    main()
