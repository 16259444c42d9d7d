# SPDX-License-Identifier: GPL-3.0-or-later
"""The package spotsim against the program: what it returns is what the program prints."""

import ast
import csv
import gc
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import types
import unittest
import warnings
from unittest import mock

import spotsim
from spotsim.program import value_text

SOURCE = pathlib.Path(os.environ["SPOTSIM_SOURCE"])
SETS = {"replications.count": 3, "trace.preemption.per_minute": [0, 0.25],
        "metrics": ["idle_fraction", "p95(cost_usd)", "probability(cost_usd <= 300)"]}
# Swept are a number, a duration and a text; the name of the file has a blank.
SWEPT = pathlib.Path("my study.yaml")
SWEPT.write_text("""study: 'swept: größe'
scenario: seed-64.yaml
sweep:
  trace.preemption.per_minute: [0, 0.25]
  job.reload: [47 s, 1 min]
  job.checkpoint.mode: [async, sync]
replications: {count: 3, seed: 1}
metrics: [idle_fraction, p95(cost_usd), probability(cost_usd <= 300), mtbp_s]
""", encoding="utf-8")
WITHOUT_PANDAS = mock.patch.dict(sys.modules, {"pandas": None})


def printed(*arguments):
    """What the program prints."""
    return subprocess.run([os.environ["SPOTSIM"], *arguments], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def numbers(texts):
    """Cells of CSV as JSON has them."""
    return [None if text == "" else float(text) for text in texts]


class Run(unittest.TestCase):
    def test_result_is_that_of_the_program(self):
        told = printed("run", "seed-64.yaml", "--json", "--seed=7", "--replication=2",
                       "--set=fleet.initial=16", "--set=job.reload=60 s")
        result = spotsim.run("seed-64.yaml", seed=7, replication=2, sets={"fleet.initial": 16},
                             job__reload="60 s")
        self.assertEqual(result, json.loads(told))
        self.assertEqual(result["counts"]["initial"], 16)

    def test_values_are_yaml(self):
        array = types.SimpleNamespace(tolist=lambda: [0.5, 1.0])  # as those of numpy
        for value, text in [("60 s", "60 s"), (True, "yes"), (False, "no"), (8, "8"), (0.1, "0.1"),
                            (1e-7, "1e-07"), ([8, 16], "[8, 16]"), (range(3), "[0, 1, 2]"),
                            ({"from": 0, "to": 0.5}, "{from: 0, to: 0.5}"), (array, "[0.5, 1.0]"),
                            ((True, {"system": "varuna"}), "[yes, {system: varuna}]"),
                            (pathlib.Path("a b.csv"), "a b.csv")]:
            self.assertEqual(value_text(value), text)
        with self.assertRaises(TypeError):
            value_text(None)

    def test_key_is_set_once(self):
        with self.assertRaisesRegex(TypeError, "fleet.initial is set twice"):
            spotsim.run("seed-64.yaml", sets={"fleet.initial": 8}, fleet__initial=16)

    def test_names(self):
        for name in ("a b.yaml", "größe.yaml", "-dash.yaml", "a'b\"c$d.yaml"):
            pathlib.Path(name).write_bytes(pathlib.Path("seed-64.yaml").read_bytes())
            self.assertEqual(spotsim.run(pathlib.Path(name))["scenario"], "seed-64")


class Errors(unittest.TestCase):
    def fails(self, call, exit_code, text):
        with self.assertRaises(spotsim.SpotsimError) as caught:
            call()
        self.assertEqual(caught.exception.exit_code, exit_code)
        self.assertIn(text, str(caught.exception))
        return caught.exception

    def test_bad_input(self):
        self.fails(lambda: spotsim.run("nöne.yaml"), 2, "nöne.yaml: cannot open: No such file")
        self.fails(lambda: spotsim.run("seed-64.yaml", fleet__inital=1), 2,
                   '--set fleet.inital:1:1: unknown key "inital", did you mean "initial"?')
        self.fails(lambda: spotsim.study("seed-64.yaml"), 2, "seed-64.yaml:")

    def test_never_trained(self):
        error = self.fails(lambda: spotsim.run("seed-64.yaml", fleet__initial=0, fleet__capacity=1),
                           1, "the job never ran")
        self.assertEqual(json.loads(error.output)["warnings"], ["never_trained"])

    def test_wrong_database(self):
        self.fails(lambda: spotsim.read("none.db"), 2, "there is no such database")
        self.fails(lambda: spotsim.read("study.yaml"), 2, "this is no SQLite database")
        with self.assertRaisesRegex(ValueError, "results.csv: expected a name that ends in .db"):
            spotsim.study("study.yaml", "results.csv")

    def test_other_schema(self):
        spotsim.study("study.yaml", "old.db", sets=SETS)
        database = sqlite3.connect("old.db")
        database.execute("PRAGMA user_version = 5")
        database.close()
        self.fails(lambda: spotsim.read("old.db"), 2,
                   "old.db: made by an older spotsim: schema 5")

    def test_missing_program(self):
        with self.assertRaisesRegex(spotsim.NotFound, "^none: no such program"):
            spotsim.run("seed-64.yaml", program="none")
        with mock.patch.dict(os.environ, {"SPOTSIM": "", "PATH": "/none"}):
            with self.assertRaisesRegex(spotsim.NotFound, "^spotsim: no such program"):
                spotsim.run("seed-64.yaml")

    def test_signal(self):
        program = pathlib.Path("killed.sh").absolute()
        program.write_text("#!/bin/sh\nkill -9 $$\n")
        program.chmod(0o755)
        self.fails(lambda: spotsim.run("seed-64.yaml", program=program), -9, "exit code -9")

    def test_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spotsim.study("study.yaml", sets={**SETS, "job.pipeline_depth.x": 3})
        self.assertEqual([str(warning.message) for warning in caught],
                         ["--set: job.pipeline_depth.x has no effect: job.pipeline_depth is swept"])
        self.assertEqual(caught[0].filename, __file__)


@WITHOUT_PANDAS
class Study(unittest.TestCase):
    def check_csv(self, table, *options):
        """A table has the columns of the CSV that the program writes, and its numbers."""
        head, *rows = csv.reader(printed("export", "--csv", *options, "größe.db").splitlines())
        self.assertEqual([*table.columns], head)
        self.assertEqual(len(table), len(rows))
        for name, texts in zip(head, zip(*rows)):
            if name not in ("warnings", "job.checkpoint.mode"):
                self.assertEqual(table[name], numbers(texts))

    def test_tables(self):
        results = spotsim.study(SWEPT, "größe.db")
        self.assertEqual((results.name, results.question), ("swept: größe", None))
        self.assertEqual(results.units["p95(cost_usd)"], "USD")
        self.assertEqual(results.units["idle_fraction"], "1")
        self.assertIsInstance(results.points, spotsim.Table)
        self.check_csv(results.points, "--per=point")
        self.check_csv(results.replications)
        again = spotsim.read(pathlib.Path("größe.db"))
        self.assertEqual(again.points, results.points)
        self.assertEqual(repr(again), "<spotsim results of 'swept: größe': 8 points>")

    def test_estimates(self):
        results = spotsim.study(SWEPT)
        self.assertEqual(len(results.estimates), len(results.points) * len(results.units))
        row = next(row for row in results.estimates
                   if row["metric"] == "p95(cost_usd)" and row["point"] == 3)
        point = results.points[3]
        self.assertEqual(row["job.reload_s"], 60)
        self.assertEqual(row["job.checkpoint.mode"], "sync")
        self.assertEqual((row["unit"], row["estimator"]), ("USD", "quantile"))
        for part in ("mean", "stderr", "ci95_low", "ci95_high", "median"):
            self.assertEqual(row[part], point[f"p95(cost_usd)_{part}"])

    def test_difference_to_the_baseline(self):
        results = spotsim.study("study.yaml", sets=SETS)
        self.assertEqual(results.question, "How does idle time grow with the preemption rate?")
        told = results.result["points"][0]["metrics"]["idle_fraction"]["difference"]
        self.assertEqual(results.estimates[0]["difference_ci95_low"], told["ci95_low"])

    def test_study_goes_on(self):
        spotsim.study("study.yaml", "more.db", sets=SETS)
        more = spotsim.study("study.yaml", "more.db", sets={**SETS, "replications.count": 5})
        self.assertEqual(more.points["replications"], [5] * 4)

    def test_temporary_database_is_deleted(self):
        results = spotsim.study("study.yaml", sets=SETS)
        folder = os.path.dirname(results.db)
        self.assertTrue(os.path.isdir(folder))
        with self.assertRaisesRegex(ValueError, "say where the page goes"):
            spotsim.report(results)
        del results
        gc.collect()
        self.assertFalse(os.path.exists(folder))

    def test_report(self):
        results = spotsim.study("study.yaml", "a page.db", sets=SETS)
        self.assertEqual(spotsim.report("a page.db"), "a page.html")
        self.assertEqual(spotsim.report(results, pathlib.Path("größe.html")), "größe.html")
        self.assertIn("<html", pathlib.Path("größe.html").read_text("utf-8"))
        self.assertEqual(spotsim.report(results), os.path.abspath("a page.html"))

    def test_optimise(self):
        pathlib.Path("best.yaml").write_text(
            "study: 'best: größe'\nscenario: seed-64.yaml\n"
            "optimise:\n  minimise: usd_per_1000_samples\n"
            "  over: {job.checkpoint.every: [60 s, 300 s]}\n"
            "replications: {min: 4, max: 4}\n", encoding="utf-8")
        results = spotsim.study("best.yaml")
        self.assertEqual((results.name, results.question), ("best: größe", None))
        self.assertEqual(results.points["job.checkpoint.every_s"], [60, 300])
        self.assertEqual(len(results.points["fate"]), 2)
        self.assertIn("best", results.result["optimise"])
        self.assertIsNone(results.verdict)

    def test_verdicts(self):
        for limit, verdict in ((0.01, "no"), (0.49, "undecided"), (0.9, "yes")):
            pathlib.Path("limit.yaml").write_text(
                "study: limit\nscenario: seed-64.yaml\n"
                "optimise:\n  minimise: cost_usd\n  over: {fleet.initial: [32, 64]}\n"
                f"  subject_to: [idle_fraction <= {limit}]\n"
                "replications: {min: 16, max: 16, seed: 1}\n", encoding="utf-8")
            results = spotsim.study("limit.yaml")
            self.assertEqual(results.verdict, verdict)
            self.assertEqual(results.result["verdict"], verdict)
            self.assertEqual(len(results.points), 2)


class Advise(unittest.TestCase):
    def setUp(self):
        folder = SOURCE / "tests/golden/cli/advice"
        for name in ("job.yaml", "calm.csv"):
            pathlib.Path(name).write_bytes((folder / name).read_bytes())

    def test_answers_are_those_of_the_program(self):
        for steps, code, verdict in ((10, 0, "yes"), (1000000, 1, "no")):
            told = subprocess.run(
                [os.environ["SPOTSIM"], "advise", "job.yaml", "--json", f"--steps={steps}",
                 "--finish-by=2 d", "--trace=calm.csv"], check=False, capture_output=True,
                encoding="utf-8")
            self.assertEqual(told.returncode, code)
            answer = spotsim.advise("job.yaml", steps=steps, finish_by="2 d", trace=["calm.csv"])
            self.assertEqual((answer, answer["verdict"]), (json.loads(told.stdout), verdict))
            answer = spotsim.advise("job.yaml", f"--steps={steps}", "--finish-by", "2 d",
                                    trace=pathlib.Path("calm.csv"), budget=None, json=True)
            self.assertEqual(answer, json.loads(told.stdout))

    def test_lost_and_undecided_are_answers(self):
        """Exit codes 3, a goal that is lost in the middle of a run, and 4."""
        shutil.copy(SOURCE / "tests/golden/cli/advice/so-far.csv", ".")
        asked = (
            (3, "no", dict(steps=6500, progress=300, now="so-far.csv")),
            (0, "yes", dict(steps=4000, progress=700, now="so-far.csv")),
            (4, "undecided", dict(steps=5000, sure=0.97, max_replications=64)))
        for code, verdict, keywords in asked:
            options = [f"--{key.replace('_', '-')}={value}" for key, value in keywords.items()]
            told = subprocess.run(
                [os.environ["SPOTSIM"], "advise", "job.yaml", "--json", "--finish-by=2 d", *options],
                check=False, capture_output=True, encoding="utf-8")
            self.assertEqual(told.returncode, code, told.stdout + told.stderr)
            answer = spotsim.advise("job.yaml", finish_by="2 d", **keywords)
            self.assertEqual((answer, answer["verdict"]), (json.loads(told.stdout), verdict))

    def test_report_of_a_log(self):
        pathlib.Path("log.csv").write_text(
            "when,node,what\n" + "".join(
                f"2026-01-0{day}T{hour}:00:00Z,n-1,{what}\n" for day in range(1, 8)
                for hour, what in (("10", "up"), ("16", "gone"))), encoding="utf-8")
        for steps, verdict in ((1, "yes"), (1000000, "no")):
            answer = spotsim.advise(
                "job.yaml", steps=steps, finish_by="2 d", trace="log.csv", cause="preempt",
                columns="time=when,instance=node,event=what", events="up=add,gone=gone")
            self.assertEqual(answer["verdict"], verdict)

    def test_bad_input(self):
        with self.assertRaises(spotsim.SpotsimError) as caught:
            spotsim.advise("job.yaml", steps=10)
        self.assertEqual(caught.exception.exit_code, 2)


class Tables(unittest.TestCase):
    def test_table(self):
        table = spotsim.Table([{"a": 1}, {"a": 2, "b": "x"}])
        self.assertEqual(table.columns, ["a", "b"])
        self.assertEqual(table["b"], [None, "x"])
        self.assertEqual(table[0], {"a": 1, "b": None})
        with self.assertRaises(KeyError):
            table["c"]
        self.assertEqual((spotsim.Table([]).columns, len(spotsim.Table([]))), ([], 0))

    def test_pandas(self):
        class DataFrame(list):
            pass

        pandas = types.ModuleType("pandas")
        pandas.DataFrame = DataFrame
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            results = spotsim.study("study.yaml", sets=SETS)
            tables = (results.points, results.estimates, results.replications)
        self.assertEqual([type(table) for table in tables], [DataFrame] * 3)
        self.assertEqual([row["point"] for row in tables[0]], [0, 1, 2, 3])


class Sources(unittest.TestCase):
    def test_syntax_of_the_oldest_version(self):
        paths = [*(SOURCE / "share/python").rglob("*.py"), *(SOURCE / "tests/python").glob("*.py"),
                 *(SOURCE / "tests/docs").glob("*.py")]
        self.assertGreaterEqual(len(paths), 7)
        for path in paths:
            ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 9))

    def test_version_is_that_of_the_program(self):
        self.assertEqual(printed("--version").split()[1], spotsim.__version__)


if __name__ == "__main__":
    unittest.main()
