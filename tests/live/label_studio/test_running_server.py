"""The campaign's own Label Studio as it runs: what it keeps, who may use it, and that it ends with its owner."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from builders import a_figure
from click.testing import CliRunner
from process_state import alive, gone_within

from annotator.campaign.home import Home
from annotator.cli.campaign.pull import command as pull_command
from annotator.cli.campaign.push import command as push_command
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded import server as embedded
from annotator.label_studio.embedded.server import data_dir, images_folder, label_studio, running
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError

pytestmark = pytest.mark.live

#: Starts the server of the home argv[1], says its pid and address, and stays.
KEEPER = """
import sys, time, pathlib
from annotator.label_studio.embedded.server import label_studio
with label_studio(pathlib.Path(sys.argv[1])) as studio:
    print(studio.pid, studio.url, studio.started_here, flush=True)
    time.sleep(600)
"""


def test_what_the_server_keeps_is_for_its_owner_only(studio: embedded.EmbeddedServer, studio_home: Path) -> None:
    folder = data_dir(studio_home)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("credentials.json", "server.json", "server.log"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert os.listdir(folder / "files") == ["images"]


def test_a_running_server_is_used_and_left_running(studio: embedded.EmbeddedServer, studio_home: Path) -> None:
    with label_studio(studio_home) as again:
        assert (again.url, again.pid, again.started_here) == (studio.url, studio.pid, False)
    assert running(studio_home) is not None
    assert images_folder(studio_home, studio.url) is not None


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.soak)])
def test_the_server_ends_with_the_process_that_started_it(
    tmp_path: Path, how: signal.Signals, studio: embedded.EmbeddedServer
) -> None:
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with keeper:
        assert keeper.stdout is not None
        pid, url, started = keeper.stdout.readline().split()
        assert started == "True"
        assert url != studio.url
        assert alive(int(pid))
        keeper.send_signal(how)
    assert gone_within(int(pid), 300)
    assert running(tmp_path) is None


def test_leaving_stops_the_server_and_a_second_start_keeps_the_accounts(tmp_path: Path) -> None:
    with label_studio(tmp_path, password="first-password-1") as first:
        assert first.started_here
        assert running(tmp_path) is not None
    assert gone_within(first.pid, 300)
    assert not (data_dir(tmp_path) / "server.json").exists()
    with label_studio(tmp_path, password="another-password-2") as second:
        assert (second.token, second.password) == (first.token, "first-password-1")


def test_a_wrong_token_is_told_in_one_line(studio: embedded.EmbeddedServer) -> None:
    with LabelStudioServer(studio.url, "0" * 40, timeout=300) as server, pytest.raises(SyncError) as caught:
        server.check()
    assert "refused the token" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_template_of_the_real_thing_holds_nobody(studio: embedded.EmbeddedServer) -> None:
    made = environment.template(environment.ensure())
    assert made is not None
    assert environment.is_impersonal(made)


def test_the_homes_own_running_server_is_found_without_options(
    studio: embedded.EmbeddedServer, studio_home: Path
) -> None:
    home = Home.create(studio_home, labels=("A", "B"))
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("c1", image="images/f1.png"))
        tx.tasks.add([Task("c1", "someone", "commands")])
    of_phase = ["--home", str(home.path), "--phase", "commands"]
    for more in ([], ["--url", studio.url]):
        pushed = CliRunner().invoke(push_command, [*of_phase, *more])
        assert pushed.exit_code == 0
        assert f"{studio.url}/projects/" in pushed.stdout
    pulled = CliRunner().invoke(pull_command, of_phase)
    assert pulled.stdout.endswith("0 annotations added, 0 unchanged, 1 open\n")
