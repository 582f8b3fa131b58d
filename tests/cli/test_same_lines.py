"""The same error on many lines is shown three times and counted, by every command that reads files."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from running import run_command

from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel

BAD = 20
GOOD = {"figure_id": "f", "width": 80, "height": 60, "caption": "A. b", "subfigures": []}


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (agreement, "agreement report {work}"),
        (agreement, "agreement consensus {work} --out {out}"),
        (prelabel, "prelabel run {figures} --out {out}"),
        (prelabel, "prelabel statistics {work}"),
        (annotator, "annotator corpus filter {figures} --out {out}"),
        (annotator, "annotator corpus statistics {figures}"),
    ],
)
def test_the_same_error_on_many_lines_is_counted(tmp_path: Path, program: click.Group, words: str) -> None:
    work, figures = tmp_path / "work.jsonl", tmp_path / "figures.jsonl"
    work.write_text("\n".join([*[json.dumps(GOOD)] * BAD, json.dumps(GOOD | {"annotator": "ann"})]))
    figures.write_text("\n".join(json.dumps({"caption": f"Caption {n}"}) for n in range(BAD)))
    name, *arguments = words.format(work=work, figures=figures, out=tmp_path / "out.jsonl").split()
    done = run_command(program, name, *arguments)
    assert done.returncode == 1
    places = [
        line.partition(": ")[0].rpartition(":")[2] for line in done.stderr.splitlines() if "is missing" in line
    ]
    assert places == ["1", "2", "3", str(BAD)]
    assert done.stderr.count("(and 16 more like this)") == 1


def test_the_result_counts_every_error(tmp_path: Path) -> None:
    others = tmp_path / "others.jsonl"
    others.write_text("\n".join(json.dumps({"caption": f"Caption {n}"}) for n in range(BAD)))
    done = run_command(annotator, "annotator", "corpus", "join", others, others, "--out", tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert "(and 36 more like this)" in done.stderr
    assert "see the 40 errors above" in done.stdout
