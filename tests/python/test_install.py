# SPDX-License-Identifier: GPL-3.0-or-later
"""pip installs the package into fresh environments, without any index, and it works there."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest
import venv
import zipfile

import spotsim_build

FOLDER = pathlib.Path(os.environ["SPOTSIM_SOURCE"]) / "share/python"
IMPORTED = "import spotsim; print(spotsim.__version__, spotsim.run('seed-64.yaml')['scenario'])"


class Install(unittest.TestCase):
    def setUp(self):
        self.environment = {name: value for name, value in os.environ.items()
                            if name != "PYTHONPATH" and not name.startswith("PIP_")}
        self.environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"

    def check(self, *options):
        subprocess.run(["env/bin/python", "-m", "pip", "install", "--quiet", "--no-index",
                        "--force-reinstall", *options, FOLDER], env=self.environment, check=True)
        told = subprocess.run(["env/bin/python", "-c", IMPORTED], env=self.environment, check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout
        self.assertEqual(told, f"{spotsim_build.VERSION} seed-64\n")

    def test_pip(self):
        venv.create("env", with_pip=True)
        self.check()
        self.check("--no-build-isolation")
        subprocess.run(["env/bin/python", "-m", "pip", "check"], env=self.environment, check=True)

    def test_archives(self):
        wheel = spotsim_build.build_wheel(".")
        first = pathlib.Path(wheel).read_bytes()
        spotsim_build.build_wheel(".")
        self.assertEqual(pathlib.Path(wheel).read_bytes(), first)
        with zipfile.ZipFile(wheel) as archive:
            self.assertIn("spotsim/results.py", archive.namelist())
        with tarfile.open(spotsim_build.build_sdist(".")) as archive:
            names = [pathlib.PurePath(name).name for name in archive.getnames()]
        for name in ("PKG-INFO", "pyproject.toml", "spotsim_build.py", "program.py"):
            self.assertIn(name, names)


if __name__ == "__main__":
    if importlib.util.find_spec("ensurepip") is None:
        print("skipped: this Python has no ensurepip, so environments have no pip (python3-venv)")
        sys.exit(77)
    unittest.main()
