# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages copies of databases, and runs commands on each.

damaged_stores.py SPOTSIM NUM SEED [NUMBER]: in the working folder. Each damage follows from the seed and
its number alone, and every third is an edit with sqlite3. Counted as wrong: an exit code 0 with
other results than those of the undamaged database, a signal, a run without an end, a check that
finds nothing though plain SQL shows something else, a reader that leaves files behind. A
database whose last commits are lost (its -wal was removed or cut) may have fewer rows.
"""

import os
import random
import sqlite3
import subprocess
import sys

import spotsim

STUDY = """study: damaged
scenario:
  scenario: damaged
  horizon: 3 h
  fleet: {capacity: 64, initial: 32, preparation: 180 s}
  job: {pipeline_depth: 16, reload: 47 s, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
  trace:
    generator: seed
    preemption: {per_minute: 0.2, count: {normal: {mean: 2.4, std: 2.1}}}
    addition: {per_minute: 0.2, count: {normal: {mean: 2.5, std: 1.9}}}
sweep:
  trace.preemption.per_minute: [0.05, 0.1, 0.2]
  job.pipeline_depth: [8, 16]
best: {key: job.pipeline_depth, minimise: lost_fraction, break_even: [job.reload]}
replications: {count: %d}
metrics: [lost_fraction, idle_fraction, goodput_fraction]
series: [0]
"""
DB = "study.db"
PAGE_BYTES = 8192
TIMEOUT_S = 60


class Wrong(Exception):
    """What a command did that it must not do."""


def run(*arguments):
    """The exit code, standard output and standard error of a command."""
    done = subprocess.run([program, *arguments], capture_output=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode < 0 or done.returncode not in (0, 1, 2):
        raise Wrong(f"{arguments[0]}: exit code {done.returncode}: {done.stderr[-300:]!r}")
    if done.returncode != 0 and not done.stderr:
        raise Wrong(f"{arguments[0]}: exit code {done.returncode} without a word")
    return done.returncode, done.stdout, done.stderr


def must(*arguments):
    """The standard output of a command that has to work."""
    code, out, errors = run(*arguments)
    if code != 0:
        raise SystemExit(f"{arguments}: exit code {code}: {errors!r}")
    return out


def remove(*names):
    for name in names:
        for suffix in ("", "-wal", "-shm", "-journal"):
            if os.path.lexists(name + suffix):
                os.remove(name + suffix)


def content(name):
    """All that plain SQL shows of a database: its tables, with their types and rows."""
    tables = {}
    db = sqlite3.connect(name)
    try:
        names = [row[0] for row in db.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE "
            "'sqlite_%' ORDER BY name")]
        for table in names:
            columns = db.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
            rows = db.execute(f'SELECT * FROM "{table}"').fetchall()
            tables[table] = (columns, sorted(map(repr, rows)))
    finally:
        db.close()
    return tables


class Base:
    """A database that is as it was written, and what the commands say of it."""

    def __init__(self, files, is_whole):
        self.files = files  # by suffix
        self.is_whole = is_whole  # nothing of it is in a log
        self.put()
        self.content = content(DB)
        self.put()
        self.export = must("export", DB)
        self.points = must("export", "--per=point", DB)
        self.report = must("export", "--table", DB)
        self.rows = set(self.export.splitlines())
        self.read = read_python()

    def put(self):
        remove(DB)
        for suffix, data in self.files.items():
            with open(DB + suffix, "wb") as file:
                file.write(data)


def read_python():
    results = spotsim.read(DB)
    return repr(results.points), repr(results.estimates), repr(results.replications)


def file_bytes(name):
    with open(name, "rb") as file:
        return file.read()


def make_bases():
    """A finished study, a merged one, and one that is cut off with rows in its log."""
    with open("study.yaml", "w", encoding="utf-8") as file:
        file.write(STUDY % 200)
    with open("small.yaml", "w", encoding="utf-8") as file:
        file.write(STUDY % 70)
    bases = []
    must("study", "study.yaml", "-o", DB)
    bases.append(Base({"": file_bytes(DB)}, True))
    for shard in ("1", "2"):
        remove(shard + ".db")
        must("study", "study.yaml", "-o", shard + ".db", "--shard", shard + "/2")
    remove(DB)
    must("merge", DB, "1.db", "2.db")
    bases.append(Base({"": file_bytes(DB)}, True))
    remove(DB)
    must("study", "small.yaml", "-o", DB)
    reader = sqlite3.connect(DB)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM study").fetchall()  # keeps the log from being emptied
    must("study", "study.yaml", "-o", DB)
    files = {suffix: file_bytes(DB + suffix) for suffix in ("", "-wal")}
    reader.close()
    bases.append(Base(files, False))
    return bases


# ---- Damages: each returns what it did, in words ----


def change_bytes(data, dice):
    count = dice.choice((1, 1, 2, 16))
    for _ in range(count):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return f"{count} bytes"


def flip_bit(data, dice):
    place = dice.randrange(len(data))
    data[place] ^= 1 << dice.randrange(8)
    return f"a bit of byte {place}"


def noise(data, dice):
    place = dice.randrange(len(data))
    count = min(dice.randrange(1, 400), len(data) - place)
    data[place:place + count] = dice.randbytes(count)
    return f"noise of {count} bytes at {place}"


def pages(data):
    return len(data) // PAGE_BYTES


def swap_pages(data, dice):
    one, two = (dice.randrange(pages(data)) * PAGE_BYTES for _ in range(2))
    first, second = data[one:one + PAGE_BYTES], data[two:two + PAGE_BYTES]
    data[one:one + PAGE_BYTES], data[two:two + PAGE_BYTES] = second, first
    return f"pages {one // PAGE_BYTES} and {two // PAGE_BYTES} swapped"


def copy_page(data, dice):
    one, two = (dice.randrange(pages(data)) * PAGE_BYTES for _ in range(2))
    data[one:one + PAGE_BYTES] = data[two:two + PAGE_BYTES]
    return f"page {one // PAGE_BYTES} is a copy of {two // PAGE_BYTES}"


def zero_page(data, dice):
    one = dice.randrange(pages(data)) * PAGE_BYTES
    data[one:one + PAGE_BYTES] = bytes(PAGE_BYTES)
    return f"page {one // PAGE_BYTES} is zeros"


def cut(data, dice):
    num_bytes = dice.randrange(len(data))
    if dice.random() < 0.5:
        num_bytes -= num_bytes % PAGE_BYTES
    del data[num_bytes:]
    return f"cut to {num_bytes} bytes"


FILE_DAMAGES = (change_bytes, flip_bit, noise, swap_pages, copy_page, copy_page, zero_page, cut)


def damage_file(base, dice):
    base.put()
    data = bytearray(base.files[""])
    words = dice.choice(FILE_DAMAGES)(data, dice)
    with open(DB, "wb") as file:
        file.write(data)
    return words


def damage_log(base, dice):
    base.put()
    kind = dice.randrange(3)
    if kind == 0:
        os.remove(DB + "-wal")
        return "no log"
    data = bytearray(base.files["-wal"])
    words = (cut if kind == 1 else noise)(data, dice)
    with open(DB + "-wal", "wb") as file:
        file.write(data)
    return "log: " + words


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def edit_row(base, dice):
    """SQL that deletes, changes or adds rows of a table."""
    table = dice.choice([name for name, (_, rows) in base.content.items() if rows])
    columns, rows = base.content[table]
    plain = [column[1] for column in columns if column[6] == 0]
    keys = [column[1] for column in columns if column[5] > 0] or plain[:1]
    where = (f"({', '.join(map(quoted, keys))}) = (SELECT {', '.join(map(quoted, keys))} FROM "
             f"{quoted(table)} LIMIT 1 OFFSET {dice.randrange(len(rows))})")
    kind = dice.randrange(5)
    if kind == 0:
        return f"DELETE FROM {quoted(table)} WHERE {where}"
    if kind == 1:
        key = quoted(dice.choice(keys))
        return f"DELETE FROM {quoted(table)} WHERE {key} = (SELECT {key} FROM {quoted(table)} " \
               f"LIMIT 1 OFFSET {dice.randrange(len(rows))})"
    column = quoted(dice.choice(plain))
    value = dice.choice((f"{column} + 1", f"{column} * 1.5", "NULL", "0", "-1", "'x'",
                         f"CAST({column} AS TEXT)", f"{column} || ''", "1e300", "7"))
    if kind in (2, 3):
        return f"UPDATE {quoted(table)} SET {column} = {value} WHERE {where}"
    values = ", ".join(f"{value if quoted(name) == column else quoted(name)}" for name in plain)
    names = ", ".join(map(quoted, plain))
    return f"INSERT INTO {quoted(table)} ({names}) SELECT {values} FROM {quoted(table)} " \
           f"WHERE {where}"


def edit_schema(base, dice):
    """SQL that changes what tables there are, and of what kind."""
    table = dice.choice(list(base.content))
    columns = [column[1] for column in base.content[table][0]]
    column = dice.choice(columns)
    writable = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "
    return dice.choice((
        f"DROP TABLE {quoted(table)}",
        f"ALTER TABLE {quoted(table)} ADD COLUMN more INTEGER",
        f"ALTER TABLE {quoted(table)} ADD COLUMN more INTEGER AS (7)",
        f"ALTER TABLE {quoted(table)} RENAME COLUMN {quoted(column)} TO other",
        f"ALTER TABLE {quoted(table)} RENAME TO other",
        f"ALTER TABLE {quoted(table)} DROP COLUMN {quoted(column)}",
        f"CREATE TRIGGER t AFTER INSERT ON {quoted(table)} BEGIN DELETE FROM batch; END",
        f"CREATE INDEX i ON {quoted(table)} ({quoted(column)})",
        f"CREATE VIEW v AS SELECT * FROM {quoted(table)}",
        "CREATE TABLE mine (a)",
        f"CREATE TABLE copy AS SELECT * FROM {quoted(table)}; DROP TABLE {quoted(table)}; "
        f"ALTER TABLE copy RENAME TO {quoted(table)}",
        f"{writable} sql = replace(sql, 'STRICT, ', '') WHERE name = '{table}'",
        f"{writable} sql = replace(sql, ' STRICT', '') WHERE name = '{table}'",
        f"{writable} sql = replace(sql, 'REAL', 'TEXT') WHERE name = '{table}'",
        f"{writable} sql = replace(sql, 'INTEGER', 'ANY') WHERE name = '{table}'",
        f"{writable} sql = replace(sql, '{column}', 'x') WHERE name = '{table}'",
        f"{writable} rootpage = rootpage + 1 WHERE name = '{table}'",
        f"{writable} rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'axis') "
        f"WHERE name = '{table}'",
        "DELETE FROM sqlite_schema" if dice.random() < 0.3 else
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'index'",
        "ALTER TABLE point DROP COLUMN \"job.pipeline_depth\"; ALTER TABLE point ADD COLUMN "
        "\"job.pipeline_depth\" ANY AS (16)",
        f"PRAGMA user_version = {dice.randrange(12)}", "PRAGMA application_id = 7", "VACUUM",
        "ANALYZE", "REINDEX", "PRAGMA journal_mode = DELETE"))


def edit(base, dice):
    sql = (edit_row if dice.random() < 0.7 else edit_schema)(base, dice)
    base.put()
    subprocess.run(["sqlite3", DB, sql], capture_output=True, stdin=subprocess.DEVNULL,
                   timeout=TIMEOUT_S, check=False)  # what SQLite refuses changes nothing
    return sql


def damage(number, bases):
    """Puts a damaged database in place; returns its base, what was done, whether commits may be
    lost."""
    dice = random.Random(f"{seed}/{number}")
    base = dice.choice(bases)
    if number % 3 == 2:
        return base, edit(base, dice), False
    if not base.is_whole and dice.random() < 0.5:
        return base, damage_log(base, dice), True
    return base, damage_file(base, dice), not base.is_whole


# ---- What commands make of it ----


def compare(base, name, what, right, may_lack):
    """Rows must be those of the base, some of them where commits were lost."""
    if what == right or (may_lack and set(what.splitlines()) <= base.rows):
        return
    raise Wrong(f"{name}: other results than those of the undamaged database")


def check_reading(base, may_lack):
    """Readers; returns whether any read it, and whether one refused."""
    codes = []
    for name, arguments, right in (("export", ["export", DB], base.export),
                                   ("points", ["export", "--per=point", DB], base.points),
                                   ("table", ["export", "--table", DB], base.report)):
        code, out, _ = run(*arguments)
        codes.append(code)
        if code == 0 and not (may_lack and name != "export"):
            compare(base, name, out, right, may_lack)
    code, _, errors = run("report", DB, "-o", "report.html")
    codes.append(code)
    if code == 0 and codes[0] != 0:
        raise Wrong(f"report: a page of what export refuses: {errors!r}")
    for suffix in ("-wal", "-shm"):
        if 0 in codes and os.path.exists(DB + suffix):
            raise Wrong(f"readers leave {DB}{suffix}")
    remove("report.html")


def check_python(base, may_lack):
    try:
        read = read_python()
    except spotsim.SpotsimError:
        return
    if read != base.read and not may_lack:
        raise Wrong("Python: other results than those of the undamaged database")


def check_check(base, may_lack):
    code, _, _ = run("check", DB)
    if code == 0 and not may_lack and content(DB) != base.content:
        raise Wrong("check: finds nothing, but SQL shows something else")


def check_merge(base, may_lack):
    remove("merged.db")
    code, _, _ = run("merge", "merged.db", DB)
    if code == 0:
        compare(base, "merge", must("export", "merged.db"), base.export, may_lack)
    elif os.path.exists("merged.db"):
        raise Wrong("merge: leaves a database of what it refused")


def check_resume(base):
    code, _, _ = run("study", "study.yaml", "-o", DB)
    if code == 0:
        compare(base, "resume", must("export", DB), base.export, False)


def check(number, bases):
    base, words, may_lack = damage(number, bases)
    damaged = {suffix: file_bytes(DB + suffix)
               for suffix in ("", "-wal") if os.path.exists(DB + suffix)}
    try:
        for function in (check_reading, check_python, check_check, check_merge):
            Base.put(type("Copy", (), {"files": damaged}))
            function(base, may_lack)
        Base.put(type("Copy", (), {"files": damaged}))
        check_resume(base)
    except (Wrong, subprocess.TimeoutExpired) as error:
        print(f"WRONG: seed {seed}, number {number}: {words}: {error}", flush=True)
        for suffix, data in damaged.items():
            with open(f"wrong-{number}.db{suffix}", "wb") as file:
                file.write(data)
        return False
    return True


program, seed = sys.argv[1], sys.argv[3]
first, num = (int(sys.argv[4]), 1) if len(sys.argv) > 4 else (0, int(sys.argv[2]))
all_bases = make_bases()
num_wrong = sum(not check(first + j, all_bases) for j in range(num))
remove(DB, "merged.db", "1.db", "2.db")
print(f"tried {num}, wrong {num_wrong}")
sys.exit(num_wrong > 0)
