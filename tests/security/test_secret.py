"""The secret that sessions are sealed with: there is no default one, and it is its owner's only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from flask import Flask

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.errors import AnnotatorError

ANNOTATOR = Path(sys.executable).parent / "annotator"


def test_every_campaign_has_a_secret_of_its_own(tmp_path: Path) -> None:
    homes = [Home.create(tmp_path / name) for name in ("a", "b")]
    assert len({home.secret() for home in homes}) == 2
    assert all(len(home.secret()) >= 64 for home in homes)
    for home in homes:
        home.check_secret()


def test_no_secret_stands_in_the_code_or_the_settings(app: Flask, home: Home) -> None:
    assert isinstance(app.secret_key, bytes)
    assert len(app.secret_key) == 32
    assert home.secret() not in app.secret_key
    for folder in ("annotator", "deploy", "scripts"):
        for file in (REPOSITORY / folder).rglob("*.py"):
            if "node_modules" not in file.parts:
                assert "SECRET_KEY=b" not in file.read_text(encoding="utf-8").replace(" ", ""), file


@pytest.mark.parametrize("held", [b"", b"short", b"secret\n", b" " * 100])
def test_a_secret_that_is_none_is_refused(home: Home, store: Store, held: bytes) -> None:
    (home.path / "secret.key").write_bytes(held)
    with pytest.raises(AnnotatorError, match="too short"):
        create_app(home, store)


@pytest.mark.skipif(os.name != "posix", reason="no modes here")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_secret_that_others_may_read_is_told(home: Home, mode: int) -> None:
    (home.path / "secret.key").chmod(mode)
    with pytest.raises(AnnotatorError, match="chmod 600"):
        home.check_secret()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no modes here")
def test_it_is_not_served_to_other_machines_with_a_secret_that_others_may_read(home: Home, store: Store) -> None:
    (home.path / "secret.key").chmod(0o644)
    for more in (["--host", "0.0.0.0"], ["--https"], ["--proxy", "127.0.0.1"]):
        command = [str(ANNOTATOR), "serve", "--home", str(home.path), "--port", "0", *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 1, more
        assert done.stdout == ""
        assert "chmod 600" in done.stderr
        assert done.stderr.count("\n") == 1
