"""Run one command on a disk of its own that is full but for some bytes, then with room again; print what happened.

`python -m cli.on_small_disk DISK ROOM COMMAND`, in a mount namespace of its own (`unshare -rm`); prints JSON.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import a_decision, a_figure, a_prediction, an_annotation
from PIL import Image
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign import server_options
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.store import Store
from annotator.sync import watch as watching
from annotator.sync.push import push
from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Task
from panelwise.formats.annotations import annotation_record
from tests.label_studio.fake import FakeServer

SIZE = "40m"
BLOCK = 4096
#: Command -> its arguments; DISK and AWAY are folders, on the full disk and off it.
COMMANDS = {
    "import figures": (annotator, "import", "figures", "AWAY/figures.jsonl", "--home", "DISK/home"),
    "import annotations": (annotator, "import", "annotations", "AWAY/work.jsonl", "--home", "DISK/home"),
    "release": (annotator, "release", "pilot", "--home", "DISK/home"),
    "export gold": (annotator, "export", "gold", "--out", "DISK/out/gold.jsonl", "--home", "DISK/home"),
    **{
        f"report {kind}": (agreement, "report", "AWAY/work.jsonl", "--format", kind, "--out", "DISK/out/report")
        for kind in ("text", "json", "csv", "html")
    },
    **{name: (annotator, name, "--home", "DISK/home") for name in ("push", "pull", "sync")},
    "sync --watch": (annotator, "sync", "--watch", "--every", "1", "--home", "DISK/home"),
    "backup": (annotator, "backup", "DISK/out/backup.zip", "--home", "DISK/home"),
    "prelabel": (prelabel, "run", "AWAY/figures.jsonl", "--out", "DISK/out/predictions.jsonl"),
    "report latex": (agreement, "report", "AWAY/work.jsonl", "--latex", "DISK/out/latex"),
}
#: Commands that need Label Studio.
SYNCHRONISING = ("push", "pull", "sync", "sync --watch")
FIGURES = 60


def works() -> list[Annotation]:
    return [
        an_annotation(a_figure(f"f{number}"), annotator=name, minutes=number)
        for number in range(FIGURES)
        for name in ("ann1", "ann2")
    ]


def prepare(disk: Path, away: Path) -> None:
    """Make a home with two people's work and gold on the disk, and files to import elsewhere."""
    home = Home.create(disk / "home")
    (disk / "out").mkdir()
    with home.open_store() as store, store.transaction() as tx:
        for number in range(FIGURES):
            tx.figures.add(a_figure(f"f{number}"))
            tx.decisions.add(a_decision(a_figure(f"f{number}")))
    lines = [annotation_record(each) for each in works()]
    (away / "work.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    figures = []
    for number in range(12):
        Image.effect_noise((200, 200), 90 + number).save(away / f"new{number}.png")
        figures.append(
            {"figure_id": f"new{number}", "image": f"new{number}.png", "caption": "Fig 2: (A) one, (B) two."}
        )
    (away / "figures.jsonl").write_text("".join(json.dumps(each) + "\n" for each in figures), encoding="utf-8")


def prepare_server(disk: Path, *, pushed: bool) -> FakeServer:
    """Assign the figures, and let the commands use a Label Studio in memory; pushed: with submitted work."""
    server, home = FakeServer(), Home.find(disk / "home")
    server.isolated = True
    figures = [a_figure(f"f{number}") for number in range(FIGURES)]
    with home.open_store() as store:
        with store.transaction() as tx:
            for figure in figures:
                tx.predictions.put(a_prediction(figure))
            tx.tasks.add([Task(figure.id, name, "1") for figure in figures for name in ("ann1", "ann2")])
        if pushed:
            list(push(home, store, server))
    for project in server.projects():
        for task in list(server.tasks(project.id)):
            server.add_annotation(task["id"], annotation_payload(an_annotation()))

    @contextlib.contextmanager
    def connected(*_: object, **__: object) -> Iterator[FakeServer]:
        yield server

    server_options.connected = connected  # type: ignore[assignment]
    return server


def fill_for_one_round(disk: Path, room: int) -> None:
    """Let the disk become full once a watch has begun, and have room in its second round, after which it ends."""
    rounds: list[float] = []
    watch = watching.watch

    def begun(home: Home, store: Store, *more: Any, **options: Any) -> Iterator[watching.Round]:
        with store.read() as tx:
            assert tx.figures.count() == FIGURES
        fill(disk, room)
        yield from watch(home, store, *more, **options)

    def wait(seconds: float) -> frozenset[int]:
        rounds.append(seconds)
        if len(rounds) > 1:
            raise KeyboardInterrupt
        (disk / "fill").unlink()
        return frozenset()

    watching._waiter = lambda receiver: wait
    watching.watch = begun


def fill(disk: Path, room: int) -> None:
    """Leave so many bytes free."""
    with contextlib.suppress(OSError), (disk / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * BLOCK)
    os.truncate(disk / "fill", max((disk / "fill").stat().st_size - room, 0))


def contents(folder: Path) -> dict[str, str]:
    """Return path -> checksum of every file, but for the store's."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "fill" and not path.name.startswith("store.sqlite")
    }


def counts(disk: Path) -> list[int]:
    with Home.find(disk / "home").open_store() as store, store.read() as tx:
        return [tx.figures.count(), sum(1 for _ in tx.annotations.all())]


def main(disk: Path, room: int, name: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", disk], check=True)
    away = disk.parent / "away"
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir()
    prepare(disk, away)
    server = prepare_server(disk, pushed=name != "push") if name in SYNCHRONISING else None
    group, *arguments = COMMANDS[name]
    line = [each.replace("DISK", str(disk)).replace("AWAY", str(away)) for each in arguments]
    if name == "backup":
        for number in range(FIGURES):
            Image.new("RGB", (20, 20)).save(disk / "home" / "images" / f"f{number}.png")
    before, counted = contents(disk), counts(disk)
    if "--watch" in line:
        fill_for_one_round(disk, room)
    else:
        fill(disk, room)
    full = run_command(group, name.partition(" ")[0], *line)
    left = contents(disk)
    (disk / "fill").unlink(missing_ok=True)
    again = run_command(group, name.partition(" ")[0], *line)
    told = {
        "full": [full.returncode, full.stdout, full.stderr],
        "lost": sorted(path for path in before if left.get(path) != before[path]),
        "new": sorted(left.keys() - before.keys()),
        "again": [again.returncode, again.stdout, again.stderr],
        "made": sorted(contents(disk).keys() - before.keys()),
        "counts": [counted, counts(disk)],
        "tasks": [sum(1 for _ in server.tasks(each.id)) for each in server.projects()] if server else [],
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
