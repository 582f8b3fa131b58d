"""`prelabel serve`, as a user starts and stops it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.prelabel import group


@pytest.mark.slow
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", name="c")
    command = [sys.executable, "-m", "prelabel", "serve", "--port", "0", "--home", str(home.path)]
    environment = {**os.environ, "PANELWISE_MODEL_PASSWORD": "open sesame"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("serving classic-8: http://127.0.0.1:"), said
        url = said.split()[2]
        with httpx.Client(trust_env=False, timeout=300) as visitor:
            assert visitor.get(f"{url}/health").status_code == 200
            assert visitor.get(f"{url}/versions").status_code == 401
            signed_in = visitor.get(f"{url}/versions", auth=("panelwise", "open sesame"))
            assert signed_in.json() == {"versions": ["classic-8"]}
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=300)
    next_step = f"next: annotator push --ml-backend {url} --home {home.path}\n"
    assert (process.returncode, out, err) == (0, "", f"{next_step}stopped\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "set PANELWISE_MODEL_PASSWORD"),
        (["--images", "nowhere"], "nowhere: no such folder"),
        (["--home", "nowhere"], "nowhere"),
        (["--tagger", "nowhere", "--images", "."], "nowhere: no such folder"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    for name in ("PANELWISE_MODEL_PASSWORD", "PANELWISE_MODEL_PASSWORD_FILE", "PANELWISE_HOME"):
        monkeypatch.delenv(name, raising=False)
    done = run_command(group, "prelabel", "serve", *arguments)
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
