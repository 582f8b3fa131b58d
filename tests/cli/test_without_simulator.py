"""`prelabel synth`, `compose` and `statistics` where the simulator is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from running import run_command

from annotator.cli.prelabel import group as prelabel
from annotator.demo import figures, questions
from tests.cli.test_commands import assert_one_line


@pytest.fixture(autouse=True)
def without_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has panelwise alone."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "panelwise_simulator"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "panelwise_simulator", None)


@pytest.mark.parametrize(
    "command", [("synth", "--out", "sim"), ("statistics", "pyproject.toml"), ("compose", ".", "--out", "sim")]
)
def test_the_error_names_the_install_command(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    done = run_command(prelabel, "prelabel", *command)
    assert_one_line(done, "pip install panelwise-simulator (from a checkout: pip install ./simulator)")
    assert not Path("sim").exists()


@pytest.mark.slow
def test_both_demos_are_prepared_without_it(tmp_path: Path) -> None:
    for demo in (figures, questions):
        home = demo.prepare(tmp_path / demo.__name__, lambda _: None)
        with home.open_store() as store, store.read() as tx:
            assert len(list(tx.figures.all())) == 6
