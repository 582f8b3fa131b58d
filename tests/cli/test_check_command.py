"""`annotator check` as a user runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest
from builders import a_figure, a_subfigure, an_annotation
from cli.test_gold_and_flags_commands import run

from annotator.campaign.home import Home
from annotator.checks.rules.catalogue import CHECKS
from panelwise.domain.errors import AnnotatorError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two annotators of one figure: ann2 gave both boxes one label, and neither drew C."""
    home = Home.create(tmp_path / "home")
    twice = (a_subfigure("A"), a_subfigure("A", box=(400, 0, 800, 600), tokens=(10, 12, 13)))
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation())
        tx.annotations.add(an_annotation(annotator="ann2", subfigures=twice))
    return home.path


def test_findings_are_printed_by_person_with_their_sum(home: Path) -> None:
    code, said, _ = run("check", "--home", home)
    assert code == 0
    assert said.splitlines()[0] == "ann1, phase 1: 1 warning in 1 of 1 annotation"
    assert "ann2, phase 1: 1 error, 2 warnings in 1 of 1 annotation" in said
    assert said.splitlines()[-1] == "total: 1 error, 3 warnings in 2 of 2 annotations"


def test_one_persons_export_holds_nothing_of_others(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "ann1.csv"
    code, said, _ = run("check", "--annotator", "ann1", "--out", out, "--home", home)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert code == 0
    assert said == f"wrote 1 finding to {out} (1 warning in 1 of 1 annotation)\n"
    assert [(row["annotator"], row["check"], row["where"]) for row in rows] == [("ann1", "box-missing", "C")]


@pytest.mark.parametrize("ending", ["json", "txt", "md"])
def test_the_files_ending_says_what_is_written(home: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"found.{ending}"
    run("check", "--out", out, "--home", home)
    printed = run("check", *(["--json"] if ending == "json" else []), "--home", home)[1]
    assert out.read_text(encoding="utf-8") == printed


def test_json_is_printed_and_chosen_from(home: Path) -> None:
    found = json.loads(run("check", "--json", "--least", "error", "--home", home)[1])
    assert found["counts"] == {"error": 1, "warning": 0, "note": 0}
    only = json.loads(run("check", "--json", "--only", "box-missing", "--phase", "1", "--home", home)[1])
    assert only["checks"] == {"box-missing": 3}


def test_strict_fails_on_errors_only(home: Path) -> None:
    assert run("check", "--strict", "--home", home)[0] == 1
    assert run("check", "--strict", "--annotator", "ann1", "--home", home)[0] == 0


def test_the_checks_are_listed_without_a_campaign(tmp_path: Path) -> None:
    code, said, _ = run("check", "--list", "--home", tmp_path)
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == [check.id for check in CHECKS]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "nonsense"), 'has no check "nonsense"'),
        (("--out", "found.xlsx"), "name a file that ends in .csv, .json, .txt, .md"),
        (("--phase", "9"), 'has no phase "9"'),
    ],
)
def test_what_cannot_be_chosen_is_refused(home: Path, arguments: tuple[str, str], said: str) -> None:
    with pytest.raises(AnnotatorError, match=said):
        run("check", *arguments, "--home", home)


def test_the_campaigns_own_files_are_not_written_over(home: Path) -> None:
    with pytest.raises(AnnotatorError, match="would overwrite"):
        run("check", "--out", home / "releases" / "found.csv", "--home", home)


def test_the_gold_is_checked_in_place_of_annotations(home: Path) -> None:
    code, said, _ = run("check", "--gold", "--home", home)
    assert (code, said) == (0, "total: no findings in 0 annotations\n")
    with pytest.raises(click.UsageError, match="--gold can't be combined with --phase or --annotator"):
        run("check", "--gold", "--annotator", "ann1", "--home", home)
