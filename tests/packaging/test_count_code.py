"""`scripts/count_code.py`: which lines it counts as code, and the table that it prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def count_code(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import count_code

    yield count_code
    sys.modules.pop("count_code", None)


def test_blank_lines_comments_and_docstrings_are_no_code(count_code: ModuleType) -> None:
    source = (
        '"""A module.\n\nText.\n"""\n\nimport os  # used\n\n# why\nclass A:\n    """A class."""\n\n    x = 1\n'
    )
    assert count_code.code_lines(source) == 3


def test_a_text_over_several_lines_is_code_on_each_of_them(count_code: ModuleType) -> None:
    assert count_code.code_lines('TEXT = """one\n\nthree"""\n') == 3


def test_imports_in_functions_count_as_imports(count_code: ModuleType, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("from a import b\ndef f():\n    import c.d\n", encoding="utf-8")
    assert count_code.imported_names(module) == {"a", "a.b", "c.d"}


def test_the_table_ends_with_the_sum_of_the_five_packages(
    count_code: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in (*count_code.PACKAGES, count_code.SIMULATOR):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text('"""A package."""\n', encoding="utf-8")
    (tmp_path / "agreement" / "one.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    (tmp_path / "annotator" / "two.py").write_text("from agreement.one import x\n", encoding="utf-8")
    monkeypatch.setattr(count_code, "REPOSITORY", tmp_path)
    assert count_code.main([]) == 0
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert last == ["the", "five", "packages", "3", "7", "2", "1"]
