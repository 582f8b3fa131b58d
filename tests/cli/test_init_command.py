"""`annotator init`: what is told of a new home, and of one that is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from running import Done, next_command, notes, run_command

from annotator.cli.campaign.main import group
from panelwise.settings.campaign_toml import read_campaign


def init(*arguments: object) -> Done:
    return run_command(group, "annotator", "init", *arguments)


def test_the_next_command_can_be_copied_whatever_the_folder_is_called(tmp_path: Path) -> None:
    done = init(tmp_path / "dir with spåce")
    assert done.returncode == 0
    words = shlex.split(next_command(done.stderr))
    assert words[-1] == str(tmp_path / "dir with spåce")


def test_a_home_that_is_there_keeps_its_name_and_labels_and_this_is_told(tmp_path: Path) -> None:
    init(tmp_path / "camp", "--name", "lungs")
    settings = read_campaign(tmp_path / "camp" / "campaign.toml")
    for options in (["--name", "other"], ["--labels", "x,y"]):
        done = init(tmp_path / "camp", *options)
        assert (done.returncode, 'campaign "lungs" already exists' in done.stdout) == (0, True)
        assert notes(done.stderr) == (
            f"name and labels not changed; edit {tmp_path / 'camp' / 'campaign.toml'} to change them\n"
        )
    assert notes(init(tmp_path / "camp", "--name", "lungs").stderr) == ""
    assert read_campaign(tmp_path / "camp" / "campaign.toml") == settings


def test_no_name_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = init("")
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "is empty; name a folder" in done.stderr


def test_a_template_is_filled_in_and_brings_guidelines(tmp_path: Path) -> None:
    done = init(
        tmp_path / "camp",
        *("--template", "subfigures", "--annotators", "ann, ben", "--reviewers", "rita", "--start", "2026-12-01"),
    )
    assert (done.returncode, notes(done.stderr)) == (0, "")
    assert "phases 1, 2: review campaign.toml and guidelines.md" in done.stdout
    campaign = read_campaign(tmp_path / "camp" / "campaign.toml").campaign
    assert (campaign.name, campaign.reviewers) == ("camp", ("rita",))
    assert campaign.phases[0].annotators == ("ann", "ben")
    assert campaign.phases[0].deadline is not None
    assert (tmp_path / "camp" / "guidelines.md").read_text(encoding="utf-8").startswith("# Subfigures")


def test_guidelines_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / "guidelines.md").write_text("Ours.")
    assert init(tmp_path, "--template", "figure-qa").returncode == 0
    assert (tmp_path / "guidelines.md").read_text() == "Ours."


def test_a_template_changes_no_home_that_is_there_and_this_is_told(tmp_path: Path) -> None:
    init(tmp_path / "camp")
    before = (tmp_path / "camp" / "campaign.toml").read_text()
    done = init(tmp_path / "camp", "--template", "figure-qa")
    assert done.returncode == 0
    assert "template not applied" in done.stderr
    assert (tmp_path / "camp" / "campaign.toml").read_text() == before


@pytest.mark.parametrize(
    ("options", "status", "complaint"),
    [
        (["--start", "2026-12-01"], 2, "--start needs --template"),
        (["--annotators", "a"], 2, "--annotators needs --template"),
        (["--template", "nothing"], 2, "'nothing' is not one of 'subfigures'"),
        (["--template", "subfigures", "--start", "soon"], 2, "does not match the format"),
        (["--template", "subfigures", "--annotators", "a,a"], 1, 'error: phase "1": annotators has "a" twice'),
    ],
)
def test_a_template_that_cannot_be_filled_in_makes_no_home(
    tmp_path: Path, options: list[str], status: int, complaint: str
) -> None:
    done = init(tmp_path / "camp", *options)
    assert done.returncode == status
    assert complaint in done.stderr
    assert not (tmp_path / "camp").exists()
