from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from annotator.cli.commandline import progress
from annotator.cli.prelabel.options import count_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_tells_how_many_a_second_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    assert list(progress(range(50), "pre-labelling", total=50, unit="figures")) == list(range(50))
    assert "50/50" in screen.getvalue()
    assert "figures/s" in screen.getvalue()


def test_nothing_is_drawn_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    assert list(progress("abc", "reading", unit="figures")) == ["a", "b", "c"]
    assert quiet.getvalue() == ""


def test_lines_are_counted_for_a_bar_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, array = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text("{}\n{}\n{}\n", "utf-8")
    array.write_text("[\n{}]\n", "utf-8")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert count_lines(lines) is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert count_lines(lines) == 3
    assert count_lines(array) is None
    assert count_lines(tmp_path) is None
