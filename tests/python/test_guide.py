# SPDX-License-Identifier: GPL-3.0-or-later
"""The code of docs/python.md runs as it stands there, and prints what stands there."""

import doctest
import os
import pathlib
import re
import sys

GUIDE = pathlib.Path(os.environ["SPOTSIM_SOURCE"]) / "docs/python.md"
sys.modules["pandas"] = None  # the guide shows tables without it

text = GUIDE.read_text("utf-8")
blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
parser = doctest.DocTestParser()
runner = doctest.DocTestRunner()
names = {}
for block in blocks:
    line = text.count("\n", 0, block.start(1))
    test = parser.get_doctest(block.group(1), names, "python.md", str(GUIDE), line)
    runner.run(test, clear_globs=False)
    names = test.globs
failed, tried = runner.summarize()
print(f"{tried} examples in {len(blocks)} blocks")
sys.exit(failed != 0 or tried == 0 or len(blocks) != text.count("```python"))
