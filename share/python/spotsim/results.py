# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of a study as tables, read through `spotsim export`."""

import functools
import itertools
import json
import os

from .program import call, find


class Table(list):
    """Rows as dicts with the same keys: table[0] is a row, table["name"] a column, as a list.

    What a row lacks is None. columns: the names.
    """

    def __init__(self, rows):
        self.columns = list(dict.fromkeys(name for row in rows for name in row))
        super().__init__({name: row.get(name) for name in self.columns} for row in rows)

    def __getitem__(self, which):
        if not isinstance(which, str):
            return super().__getitem__(which)
        if which not in self.columns:
            raise KeyError(which)
        return [row[which] for row in self]


def make_table(rows):
    """A DataFrame where pandas is installed, else a Table."""
    try:
        import pandas
    except ImportError:
        return Table(rows)
    return pandas.DataFrame(rows)


def json_lines(text):
    """The objects of a text with one a line. str.splitlines() would split names at U+2028 too."""
    return [json.loads(line) for line in text.split("\n") if line]


def estimate_rows(points, result):
    """A row for each point and metric: the keys of the point, and what result has of it."""
    rows = []
    for point, told in zip(points, result["points"]):
        names = itertools.takewhile(lambda name: name != "replications", point)
        keys = {name: point[name] for name in names}
        for metric, estimate in told["metrics"].items():
            row = {**keys, "metric": metric, "remark": None, **(estimate or {})}
            for name, value in row.pop("difference", {}).items():
                row[f"difference_{name}"] = value
            rows.append(row)
    return rows


class Results:
    """What a database of a study has.

    db            its path
    name          the study
    question      what it is to answer, or None
    units         the unit of each metric of points: "1" is a fraction or a probability
    verdict       of a study with conditions (subject_to) whether a point is shown to keep them:
                  "yes", "no" or "undecided"; else None
    points        a row for each point: point (its number), the swept keys (durations in s, with _s
                  behind the name), replications, and of each metric the estimate (METRIC_mean), its
                  95 % interval (_ci95_low, _ci95_high) and the spread of the replications
    estimates     the same with a row for each point and metric, with its unit, estimator, remark
                  and, of a study with a baseline, the difference to it
    replications  a row for each point and replication, with its metrics, the totals of ratios among
                  them; read when first asked for
    result        all of the above but points and replications, the race and the winners too, as
                  `spotsim export --json` writes it

    docs/numbers.md says what the estimates mean. A table of a database that still grows has what
    was there when it was read.
    """

    def __init__(self, db, program=None):
        path = os.fspath(db)
        self.db = os.path.abspath(path)
        self.program = find(program)
        self.is_temporary = False
        self.result = json.loads(call(self.program, "export", "--json", "--", path))
        self.name = self.result["study"]
        self.question = self.result["question"]
        self.verdict = self.result.get("verdict")
        points = json_lines(call(self.program, "export", "--jsonl", "--per=point", "--", path))
        self.points = make_table(points)
        self.estimates = make_table(estimate_rows(points, self.result))
        self.units = {metric: estimate["unit"] for point in self.result["points"]
                      for metric, estimate in point["metrics"].items() if estimate is not None}

    def __repr__(self):
        return f"<spotsim results of {self.name!r}: {len(self.points)} points>"

    @functools.cached_property
    def replications(self):
        return make_table(json_lines(call(self.program, "export", "--jsonl", "--", self.db)))
