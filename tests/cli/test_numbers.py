"""Options that take a number refuse what no range check does."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from annotator.cli.campaign.sync import command as sync
from annotator.cli.campaign.user import command as user
from annotator.cli.prelabel import group as prelabel


@pytest.mark.parametrize("text", ["nan", "inf", "1e999"])
@pytest.mark.parametrize(
    ("command", "before", "option"),
    [
        (sync, ["--watch"], "--every"),
        (prelabel, ["run"], "--threshold"),
        (prelabel, ["train", "detector", __file__, "--out", "x"], "--lr"),
        (prelabel, ["train", "detector", __file__, "--out", "x"], "--minutes"),
    ],
)
def test_a_number_is_finite(command: click.Command, before: list[str], option: str, text: str) -> None:
    done = CliRunner().invoke(command, [*before, option, text])
    assert done.exit_code == 2
    assert f"Invalid value for '{option}'" in done.stderr


def test_no_more_sign_ins_are_listed_than_a_database_can_count() -> None:
    done = CliRunner().invoke(user, ["log", "--last", "9" * 24])
    assert done.exit_code == 2
    assert "Invalid value for '--last'" in done.stderr
