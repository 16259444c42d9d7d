# SPDX-License-Identifier: GPL-3.0-or-later
"""Build backend of the package (PEP 517) without dependencies.

A wheel is a zip of the package, its metadata and a list of both with their hashes; a source
distribution is a tar of this folder.
"""

import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r'^__version__ = "(.+)"$', (FOLDER / "spotsim/__init__.py").read_text("utf-8"),
                    re.MULTILINE).group(1)
METADATA = f"""Metadata-Version: 2.1
Name: spotsim
Version: {VERSION}
Summary: Runs and studies of the simulator spotsim, and their results as tables
License: GPL-3.0-or-later
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: spotsim_build
Root-Is-Purelib: true
Tag: py3-none-any
"""


def package_files():
    """The sources by their path below this folder."""
    paths = sorted((FOLDER / "spotsim").glob("*.py"))
    return {f"spotsim/{path.name}": path.read_bytes() for path in paths}


def record(files, own_name):
    """One line a file: path, hash, size; none of the last two for the list itself."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own_name},,\n"]).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into the folder and returns its name. Equal sources give equal bytes."""
    info = f"spotsim-{VERSION}.dist-info"
    files = package_files()
    files[f"{info}/METADATA"] = METADATA.encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    name = f"spotsim-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution into the folder and returns its name."""
    files = package_files()
    for name in ("pyproject.toml", "spotsim_build.py"):
        files[name] = (FOLDER / name).read_bytes()
    files["PKG-INFO"] = METADATA.encode()
    name = f"spotsim-{VERSION}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"spotsim-{VERSION}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name
