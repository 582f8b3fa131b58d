"""Templates are compiled once and kept, as modules are; where nothing can be kept they still render."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from rich_work import rich_work

from agreement.primitives.settings import Settings
from agreement.report.html import page
from agreement.report.html.report import report_html
from agreement.report.summary import Report, report_on


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Templates of our own, none of which was compiled."""
    copy = tmp_path / "templates"
    shutil.copytree(page._TEMPLATES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(page, "_TEMPLATES", copy)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    page._environment.cache_clear()
    yield copy
    page._environment.cache_clear()


@pytest.fixture(scope="module")
def report() -> Report:
    return report_on([each for each in rich_work() if each.saved_at.day > 1], Settings(resamples=5), phase="1")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of templates as they are compiled."""
    names: list[str] = []
    before = Environment.compile

    def compile(self: Environment, source: Any, name: str | None = None, *rest: Any, **more: Any) -> Any:
        names.append(str(name))
        return before(self, source, name, *rest, **more)

    monkeypatch.setattr(Environment, "compile", compile)
    return names


def test_templates_are_compiled_once_and_again_after_a_change(
    folder: Path, report: Report, compiled: list[str]
) -> None:
    first = report_html(report)
    assert {"report.html", "parts.html"} <= set(compiled)
    compiled.clear()
    page._environment.cache_clear()
    assert report_html(report) == first
    assert compiled == []
    parts = folder / "parts.html"
    parts.write_text(parts.read_text(encoding="utf-8").replace("Common tokens", "Shared tokens"), encoding="utf-8")
    page._environment.cache_clear()
    assert "Shared tokens" in report_html(report)
    assert compiled == ["parts.html"]


def test_what_was_kept_may_be_broken_and_nothing_need_be_kept(
    folder: Path, report: Report, compiled: list[str]
) -> None:
    first = report_html(report)
    for file in (folder / "__pycache__").iterdir():
        file.write_bytes(file.read_bytes()[:40])
    page._environment.cache_clear()
    assert report_html(report) == first
    shutil.rmtree(folder / "__pycache__")
    (folder / "__pycache__").write_text("no folder", encoding="utf-8")
    page._environment.cache_clear()
    assert report_html(report) == first
