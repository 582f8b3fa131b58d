"""The simulator is a distribution of its own, released together with panelwise."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

SIMULATOR = Path(__file__).parent.parent


def project(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def test_both_distributions_have_one_version_and_the_simulator_requires_it() -> None:
    ours, panelwise = project(SIMULATOR)["project"], project(SIMULATOR.parent)["project"]
    assert ours["version"] == panelwise["version"]
    assert f"panelwise=={panelwise['version']}" in ours["dependencies"]


def test_both_distributions_are_built_and_licensed_alike() -> None:
    assert project(SIMULATOR)["build-system"] == project(SIMULATOR.parent)["build-system"]
    assert (SIMULATOR / "LICENSE").read_bytes() == (SIMULATOR.parent / "LICENSE").read_bytes()
