# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs and studies of the program spotsim, and their results as tables.

    result = spotsim.run("seed-64.yaml", fleet__initial=16)
    results = spotsim.study("study.yaml", sets={"replications.count": 20})
    results.points

Every number is one that the program wrote; nothing is estimated here. Tables are DataFrames where
pandas is installed, else spotsim.Table. The program is the argument program, else the environment
variable SPOTSIM, else spotsim on PATH.

Keys of --set are given as a dict, sets={"fleet.initial": 16}, or as keywords with "__" for ".".
Values are numbers, True and False, lists, dicts, or texts as YAML has them: "60 s".
"""

import json
import os
import shutil
import tempfile
import weakref

from .program import NotFound, SpotsimError, VERDICTS, call, keyword_options, set_options
from .results import Results, Table

__version__ = "0.1.0"
__all__ = ["NotFound", "Results", "SpotsimError", "Table", "advise", "read", "report", "run",
           "study"]

DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")


def run(scenario, *, seed=1, replication=0, sets=None, program=None, **keywords):
    """Runs one replication of a scenario and returns what `spotsim run --json` prints, as a dict.

    A job that never trains raises SpotsimError; its output is that JSON all the same.
    """
    options = [f"--seed={seed}", f"--replication={replication}", *set_options(sets, keywords)]
    return json.loads(call(program, "run", "--json", *options, "--", os.fspath(scenario)))


def advise(path, *options, program=None, **keywords):
    """Asks `spotsim advise --json` about a scenario and returns its answer, as a dict.

    Options are texts as on the command line, or keywords with "_" for "-": finish_by="6 days" is
    --finish-by="6 days", a list gives an option several times. verdict of the answer is "yes", "no"
    or "undecided": all are results, not errors, and so is a job that runs and loses its goal.
    """
    options = [*map(os.fspath, options), *keyword_options(keywords)]
    return json.loads(call(program, "advise", "--json", *options, "--", os.fspath(path),
                           verdicts=VERDICTS))


def study(path, output=None, *, sets=None, program=None, **keywords):
    """Runs a study and returns its Results.

    output is its database; one that is there goes on where it ended. Without output the database
    is a temporary one, which is deleted with the Results. With conditions (subject_to), verdict of
    the Results says whether a point keeps them: "no" and "undecided" are results, not errors.
    """
    folder = None
    if output is None:
        folder = tempfile.mkdtemp(prefix="spotsim-")
        output = os.path.join(folder, "results.db")
    output = os.fspath(output)
    if not output.endswith(DATABASE_ENDINGS):
        raise ValueError(f"{output}: expected a name that ends in .db, .sqlite or .sqlite3")
    try:
        options = ["--progress=none", f"--output={output}", *set_options(sets, keywords)]
        call(program, "study", *options, "--", os.fspath(path), verdicts=VERDICTS)
        results = Results(output, program)
    except BaseException:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if folder is not None:
        results.is_temporary = True
        weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
    return results


def read(db, *, program=None):
    """The Results in a database that `spotsim study -o` or study() made."""
    return Results(db, program)


def report(db, path=None, *, program=None):
    """Writes the page of a database, or of Results, and returns its path.

    The default of path is that of the database with the ending .html.
    """
    if isinstance(db, Results):
        if path is None and db.is_temporary:
            raise ValueError("report: the database is temporary: say where the page goes")
        program = program or db.program
        db = db.db
    db = os.fspath(db)
    path = os.path.splitext(db)[0] + ".html" if path is None else os.fspath(path)
    call(program, "report", f"--output={path}", "--", db)
    return path
