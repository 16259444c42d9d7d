# SPDX-License-Identifier: GPL-3.0-or-later
"""reference.py SOURCE_DIR SPOTSIM [--update]: docs/keys.md and docs/metrics.md hold what the manual
pages of the program hold of keys and metrics; --update writes them."""

import pathlib
import re
import subprocess
import sys

REFERENCES = {
    "keys.md": (
        "Keys", "Every key of a scenario, of a study and of a model of traces, with its values, its default and what it is for.",
        (("spotsim-scenario.5", "KEYS", "Scenario"),
         ("spotsim-scenario.5", "STEP TIME BY (D,P)", "Step time by (D,P)"),
         ("spotsim-scenario.5", "EQUAL TERMS", "Equal terms"),
         ("spotsim-scenario.5", "RECOVERY SYSTEMS", "Recovery systems"),
         ("spotsim-study.5", "KEYS", "Study"),
         ("spotsim-study.5", "CONDITIONS", "Conditions of a study"),
         ("spotsim-trace.5", "MODEL FILES", "Models of traces"),
         ("spotsim-trace.5", "LAWS", "Laws in models of traces"))),
    "metrics.md": (
        "Metrics", "Every metric with its unit, warnings and series of a run of each engine, and the figures of a trace. First those of training.",
        (("spotsim-scenario.5", "METRICS", "Metrics of a run"),
         ("spotsim-engine-train.5", "WARNINGS", "Warnings of a run"),
         ("spotsim-engine-train.5", "SERIES", "Series of a run"),
         *((f"spotsim-engine-{engine}.5", section, f"{section.capitalize()} of the engine {engine}")
           for engine in ("schedule", "serve", "input", "tasks")
           for section in ("METRICS", "WARNINGS", "SERIES") if (engine, section) != ("tasks", "WARNINGS")),
         ("spotsim.1", "FIGURES OF A TRACE", "Figures of a trace"))),
}
COLUMNS = {"keys.md": "| key | values | what it is |", "metrics.md": "| name | unit or kind | what it is |"}
NOTE = ("The same as in the manual: `man spotsim-scenario` and its neighbours. Both are made from the tables that read the YAML;\n"
        "`cmake --build --preset release --target references` writes this page.")


def inline(text):
    """Fonts and escapes of man(7) as Markdown. Bold and italics side by side are one piece of code."""
    for escape, sign in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(escape, sign)
    parts = re.split(r"\\f([BIR])", text)
    runs = [["R", parts[0]]]
    for font, run in zip(parts[1::2], parts[2::2]):
        if run and font != "R" and runs[-1][0] != "R":
            runs[-1] = ["B", runs[-1][1] + run]
        elif run:
            runs.append([font, run])
    signs = {"R": "", "B": "`", "I": "*"}
    return "".join(signs[font] + (plain(run) if font == "R" else run) + signs[font] for font, run in runs)


def plain(text):
    """Roman text: < is no tag; what stands in backquotes is code already."""
    pieces = text.split("`")
    return "`".join(piece.replace("<", "&lt;") if j % 2 == 0 else piece for j, piece in enumerate(pieces))


def item(name, lines):
    """A row: the name of a .TP, the note behind it, and what stands below."""
    match = re.match(r"((?:\\f[BI].*?\\fR(?:, (?=\\f))?)+):? ?(.*)$", name)
    cells = (match[1], match[2], " ".join(lines)) if match else ("", name, " ".join(lines))
    note = re.sub(r"^\((.*)\)$", r"\1", cells[1])
    return "| " + " | ".join(inline(cell).replace("|", "\\|") for cell in (cells[0], note, cells[2])) + " |"


def section_of(page, title, head):
    """The Markdown of a section of a manual page."""
    lines = page.split("\n")
    start = lines.index(".SH " + title) + 1
    out, rows, text, verbatim = [], False, [], None

    def flush():
        nonlocal text
        if text:
            out.extend([inline(" ".join(text)), ""])
        text = []

    j = start
    while j < len(lines) and not lines[j].startswith(".SH "):
        line = lines[j]
        j += 1
        if verbatim is not None:
            if line == ".fi":
                out.extend(["```text", *verbatim, "```", ""])
                verbatim = None
            else:
                verbatim.append(inline(line))
            continue
        if line == ".TP":
            flush()
            if not rows:
                out.extend([head, "|---|---|---|"])
                rows = True
            below = []
            name = lines[j]
            j += 1
            while j < len(lines) and not lines[j].startswith("."):
                below.append(lines[j])
                j += 1
            out.append(item(name, below))
            continue
        if rows:
            out.append("")
            rows = False
        if line.startswith(".SS "):
            flush()
            out.extend(["### " + inline(line[4:].strip('"')), ""])
        elif line == ".nf":
            flush()
            verbatim = []
        elif line == ".PP":
            flush()
        elif line.startswith("."):
            raise SystemExit(f"{title}: {line}: not known here")
        elif line:
            text.append(line)
    flush()
    return "\n".join(out).strip("\n")


def reference(name, program):
    """The text of one of the pages."""
    title, summary, sections = REFERENCES[name]
    parts = [f"# {title}", summary, NOTE]
    for page, section, heading in sections:
        text = subprocess.run([program, "help", f"--man={page}"], check=True, encoding="utf-8",
                              stdout=subprocess.PIPE).stdout
        parts.extend([f"## {heading}", section_of(text, section, COLUMNS[name])])
    return "\n\n".join(parts) + "\n"


def main(source, program, update=None):
    is_old = False
    for name in REFERENCES:
        path, text = pathlib.Path(source) / "docs" / name, reference(name, program)
        if update == "--update":
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            print(f"docs/{name} is not what the manual says: build the target references")
            is_old = True
    return is_old


sys.exit(main(*sys.argv[1:]))
