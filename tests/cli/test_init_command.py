"""`annotator init`: what is told of a new home, and of one that is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from running import Done, run_command

from annotator.cli.main import group
from annotator.formats.campaign_toml import read_campaign


def init(*arguments: object) -> Done:
    return run_command(group, "annotator", "init", *arguments)


def test_the_next_command_can_be_copied_whatever_the_folder_is_called(tmp_path: Path) -> None:
    done = init(tmp_path / "dir with spåce")
    assert done.returncode == 0
    words = shlex.split(done.stdout.splitlines()[-1].removeprefix("next: "))
    assert words[-1] == str(tmp_path / "dir with spåce")


def test_a_home_that_is_there_keeps_its_name_and_labels_and_this_is_told(tmp_path: Path) -> None:
    init(tmp_path / "camp", "--name", "lungs")
    settings = read_campaign(tmp_path / "camp" / "campaign.toml")
    for options in (["--name", "other"], ["--labels", "x,y"]):
        done = init(tmp_path / "camp", *options)
        assert (done.returncode, 'campaign "lungs" is there already' in done.stdout) == (0, True)
        assert done.stderr == (
            f"its name and labels stay as they are; edit {tmp_path / 'camp' / 'campaign.toml'} to change them\n"
        )
    assert init(tmp_path / "camp", "--name", "lungs").stderr == ""
    assert read_campaign(tmp_path / "camp" / "campaign.toml") == settings


def test_no_name_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = init("")
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert '"" names no folder' in done.stderr
