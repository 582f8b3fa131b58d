"""Records of annotators and the agreement commands on files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from builders import a_figure, an_annotation
from running import Done, run_command

from annotator.cli.agreement.main import group
from panelwise.formats.annotations import annotation_record

GOOD = 4
CAPTION = a_figure().caption.text


def agreement(*arguments: object) -> Done:
    """What no exit ends raises here, so that a traceback fails the test."""
    return run_command(group, "agreement", *arguments)


def record(figure: str = "f1", annotator: str = "ann1", **changed: Any) -> dict[str, Any]:
    return {**annotation_record(an_annotation(a_figure(figure), annotator=annotator)), **changed}


def part(**changed: Any) -> dict[str, Any]:
    return {"label": "A", "box": [0, 0, 400, 600], "subcaption": [[7, 21]], **changed}


def with_part(**changed: Any) -> dict[str, Any]:
    return record(subfigures=[part(**changed)])


def written(path: Path, *lines: dict[str, Any] | bytes) -> Path:
    """NaN and Infinity as Python's own json writes them."""
    path.write_bytes(
        b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    )
    return path


def report(path: Path, *more: object) -> tuple[Done, dict[str, Any]]:
    done = agreement("report", path, "--bootstrap", 0, "--format", "json", *more)
    return done, json.loads(done.stdout)


def compare(gold: Path, predicted: Path, *more: object) -> tuple[Done, dict[str, Any]]:
    done = agreement("compare", gold, predicted, "--bootstrap", 0, "--format", "json", *more)
    return done, json.loads(done.stdout)


def consensus(path: Path, *more: object) -> tuple[Done, list[dict[str, Any]]]:
    done = agreement("consensus", path, *more)
    return done, [json.loads(line) for line in done.stdout.splitlines()]
