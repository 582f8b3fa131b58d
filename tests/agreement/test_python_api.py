"""The Python API: its examples run, and its names are told once and everywhere alike."""

from __future__ import annotations

import ast
import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest
from conftest import REPOSITORY

import agreement

PACKAGE = Path(agreement.__file__).parent
PAGE = REPOSITORY / "docs" / "reference" / "python-api.md"
WITH_EXAMPLES = sorted(
    ".".join(("agreement", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert tried
    assert not failed


def test_there_are_examples_of_what_people_call_first() -> None:
    assert {"agreement", "agreement.pairs.plain"} <= set(WITH_EXAMPLES)


def test_the_examples_on_the_page_run() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried > 20
    assert not failed


def test_the_page_names_every_public_name_and_no_other() -> None:
    names = PAGE.read_text("utf-8").split("## Names\n\n")[1].partition("\n\n")[0]
    listed = re.findall(r"`(\w+)`", names)
    assert sorted(listed) == agreement.__all__


def test_type_checkers_see_the_names_that_are_handed_on() -> None:
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    seen = {
        # Only "as" with the same name hands a name on.
        alias.asname: statement.module
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname == alias.name
    }
    assert sorted(seen) == agreement.__all__
    for name, module in seen.items():
        assert module is not None
        assert getattr(agreement, name) is getattr(import_module(module), name)
        assert (getattr(agreement, name).__doc__ or "").strip(), f"{name} has no docstring"
