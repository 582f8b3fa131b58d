"""A command's process as it was started: arguments, standard input, current directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from annotator.cli.process import check_process
from tests.test_docs import PROGRAMS, commands

#: A Latin-1 name, as it comes from a terminal in UTF-8.
LATIN = os.fsdecode("Zo\xeb".encode("latin-1"))
SHELL = f'"{sys.executable}" -c "from annotator.cli.campaign.main import main; main()"'


@pytest.mark.parametrize("argument", [LATIN, f"--out={LATIN}.jsonl"])
def test_an_argument_that_is_no_text_is_wrong_usage(argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["annotator", "user", argument])
    with pytest.raises(click.UsageError, match=r"udceb.* is not text in utf-8"):
        check_process()


def test_an_existing_file_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        (tmp_path / LATIN).write_text("")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    monkeypatch.setattr(sys, "argv", ["agreement", "report", str(tmp_path / LATIN)])
    check_process()


def test_the_empty_name_of_a_variable_that_is_not_set_is_no_path() -> None:
    paths = [
        each
        for program, group in PROGRAMS.items()
        for _, command in commands(group, program)
        for each in command.params
        if isinstance(each.type, click.Path)
    ]
    assert len(paths) > 100
    for each in paths:
        with pytest.raises(click.BadParameter, match=r"is empty; name a f"):
            each.type.convert("", each, None)


def test_without_a_standard_input_there_is_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["annotator"])
    monkeypatch.setattr(sys, "stdin", None)
    check_process()
    assert sys.stdin.read() == ""
    sys.stdin.close()


def test_a_wrong_display_stops_no_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["annotator"])
    monkeypatch.setenv("MPLBACKEND", "nonsense")
    check_process()
    assert os.environ["MPLBACKEND"] == "agg"


def test_an_error_without_a_file_is_named_by_its_own_words() -> None:
    from annotator.cli.process import describe_os_error

    assert describe_os_error(FileNotFoundError(2, "No such socket")) == "No such socket"


@pytest.mark.slow
def test_a_current_directory_that_was_removed_is_said_in_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PANELWISE_HOME"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    done = subprocess.run(
        f"rmdir '{gone}' && {SHELL} status <&-",
        shell=True,
        cwd=gone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: the current directory no longer exists; change to another\n"
