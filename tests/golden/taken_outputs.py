"""Run the commands and the HTTP API on the sample campaigns of `homes/`, and return what they write as texts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import pytest
from golden.made_homes import CHEAP, PASSWORD, answer_table
from running import run_command
from web.asking import post_login

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.dashboards import lead, status
from annotator.gold import release
from annotator.gold.exports.registry import EXPORTS
from annotator.queue import pages, presence
from annotator.web.factory import create_app

Texts = dict[str, str]
GROUPS = {"agreement": agreement, "annotator": annotator, "prelabel": prelabel}
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
#: Modules that ask what time it is for an output.
TIMED = (lead, pages, presence, release, status)
#: Phase measured, and whether it is of subfigures.
MEASURED = {"panels": ("1", "2", "blind"), "pairs": ("1", "types", "eval")}


class _AnyDatetime(type):
    """Lets `isinstance` accept every time, as it does where `datetime` is not replaced."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)


class Stopped(datetime, metaclass=_AnyDatetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return NOW if tz else NOW.replace(tzinfo=None)


def take_outputs(name: str, home: Home, scratch: Path) -> Texts:
    """Return every output of a golden home, by a file name."""
    scratch.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_hasher", CHEAP)
        for module in TIMED:
            patch.setattr(module, "datetime", Stopped)
        outputs = _Outputs(name, home, scratch)
        outputs.exports()
        outputs.reports()
        outputs.comparisons()
        outputs.state()
        outputs.answers()
        outputs.releases()
        return outputs.texts


class _Outputs:
    def __init__(self, name: str, home: Home, scratch: Path) -> None:
        self.name, self.home, self.scratch = name, home, scratch
        self.texts: Texts = {}

    def run(self, file: str, program: str, *arguments: object) -> None:
        """Keep what a command writes to stdout, and, beside it, its exit status and what it says."""
        done = run_command(GROUPS[program], program, *arguments)
        self.keep(file, done.stdout)
        self.keep(f"{file}.said", f"exit {done.returncode}\n{done.stderr}")

    def keep(self, file: str, text: str) -> None:
        for folder, stands_for in ((self.scratch, "SCRATCH"), (self.home.path, "HOME")):
            text = text.replace(str(folder), stands_for)
        self.texts[file] = text

    def keep_folder(self, file: str, folder: Path) -> None:
        """Keep the files of a folder; hashes of files of that folder by the file's name."""
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        hashes = {hashlib.sha256(path.read_bytes()).hexdigest(): str(path.relative_to(folder)) for path in paths}
        for path in paths:
            text = _text_of(path)
            for digest in re.findall(r"\b[0-9a-f]{64}\b", text):
                text = text.replace(digest, f"SHA-256 of {hashes[digest]}" if digest in hashes else digest)
            self.keep(f"{file}/{path.relative_to(folder)}", text)

    def exports(self) -> None:
        for export in EXPORTS:
            file = self.scratch / export.name
            self.run(
                f"export/{export.name}",
                "annotator",
                "export",
                export.name,
                "--home",
                self.home.path,
                "--out",
                file,
            )
            self.keep(f"export/{export.name}", _text_of(file))

    def reports(self) -> None:
        for phase in MEASURED[self.name]:
            fixed = ("report", "--home", self.home.path, "--phase", phase, "--bootstrap", 200)
            for form in ("text", "json", "html"):
                self.run(f"report/{phase}.{form}", "agreement", *fixed, "--format", form)
            tables, latex = self.scratch / f"csv-{phase}", self.scratch / f"latex-{phase}"
            self.run(f"report/{phase}.csv", "agreement", *fixed, "--format", "csv", "--out", tables)
            self.keep_folder(f"report/{phase}.csv", tables)
            self.run(f"report/{phase}.latex", "agreement", *fixed, "--latex", latex)
            # Which says so where matplotlib is missing.
            del self.texts[f"report/{phase}.latex.said"]
            for path in sorted(latex.glob("*.tex")) if latex.exists() else ():
                self.keep(f"report/{phase}.latex/{path.name}", path.read_text(encoding="utf-8"))

    def comparisons(self) -> None:
        home, exported = self.home.path, self.scratch / "annotations"
        if self.name == "pairs":
            answers, pairs = self.scratch / "answers.csv", self.scratch / "qa"
            answers.write_text(answer_table(self.home), encoding="utf-8")
            for form in ("text", "json"):
                self.run(f"compare/answers.{form}", "agreement", "compare", pairs, answers, "--format", form)
            return
        predictions = self.scratch / "predictions.jsonl"
        merged = ("consensus", "--home", home, "--phase", "1")
        self.run("consensus/annotations", "agreement", *merged)
        self.run("consensus/all", "agreement", *merged, "--keep-all", "--quorum", 3)
        self.run("consensus/predictions", "agreement", *merged, "--format", "predictions")
        predictions.write_text(self.texts["consensus/predictions"], encoding="utf-8")
        for form in ("text", "json", "html"):
            fixed = ("compare", self.scratch / "gold", predictions, "--bootstrap", 200, "--format", form)
            people = ("--people", exported, "--people-phase", "1")
            self.run(f"compare/predictions.{form}", "agreement", *fixed, *people)
        evaluated = ("evaluate", self.scratch / "gold", "--predictions", predictions, "--bootstrap", 200)
        for form in ("text", "json", "csv"):
            self.run(f"evaluate/predictions.{form}", "prelabel", *evaluated, "--format", form)
        # Layouts of others, read back.
        for layout in ("gold", "label-studio", "annotations"):
            file = self.scratch / f"{layout}.json{'' if layout == 'label-studio' else 'l'}"
            file.write_bytes((self.scratch / layout).read_bytes())
            only = () if layout == "gold" else ("--phase", "1")
            self.run(
                f"read/{layout}", "agreement", "compare", self.scratch / "gold", file, *only, "--bootstrap", 0
            )

    def state(self) -> None:
        home = self.home.path
        self.run("status.txt", "annotator", "status", "--home", home)
        self.run("status.json", "annotator", "status", "--json", "--home", home)
        self.run("check.txt", "annotator", "check", "--home", home)
        self.run("check.json", "annotator", "check", "--json", "--home", home)
        self.run("check-gold.json", "annotator", "check", "--json", "--gold", "--home", home)

    def releases(self) -> None:
        """Made last: a release counts in the state of a home."""
        home = self.home.path
        self.run("release.said", "annotator", "release", "pilot", "--images", "--home", home)
        self.run("release-check", "annotator", "release", "pilot", "--check", "--home", home)
        self.keep_folder("release", home / "releases" / "001-pilot")

    def answers(self) -> None:
        """Keep what the HTTP API answers: reviewers' screens, own and blind tasks, the API of scripts."""
        with self.home.open_store() as store:
            app = create_app(self.home, store)
            for person in ("rita", "rolf", "lena", "ann1", "ann2", "ann3"):
                client = app.test_client()
                assert post_login(client, person, PASSWORD).status_code == 302
                for address in self._addresses(person, store):
                    with client.get(address) as answer:
                        text = re.sub(r'"csrf": ?"[^"]+"', '"csrf": "TOKEN"', answer.get_data(as_text=True))
                        self.keep(
                            f"http/{person}{_file_name(address, self.home)}",
                            f"{answer.status_code}\n{_lines(text)}",
                        )

    def _addresses(self, person: str, store: Any) -> Iterator[str]:
        with store.read() as tx:
            figures = [figure.id for figure in tx.figures.all()]
            tasks = tx.tasks.all(annotator=person)
        keys = TaskKeys(self.home.secret())
        for task in tasks:
            blind = self.home.campaign.phase(task.phase).blind
            if task.phase != "1":
                yield f"/api/{'blind' if blind else 'tasks'}/{keys.of(task)}"
        if person.startswith("ann"):
            yield "/api/v1/tasks"
        if person == "lena":
            yield from (f"/api/v1/{what}" for what in ("figures", "annotations", "decisions", "gold", "tasks"))
        if person in {"rita", "lena"}:
            for figure in figures:
                yield f"/api/figures/{figure}"
                yield f"/api/figures/{figure}/items"
                yield f"/api/figures/{figure}/comments"
                yield f"/api/v1/figures/{figure}/annotations"
                yield f"/api/v1/figures/{figure}/decisions"


def _file_name(address: str, home: Home) -> str:
    """The address as a name: keys of tasks are long."""
    return re.sub(r"[0-9a-f]{16,}", lambda key: key[0][:8], address)


def _lines(text: str) -> str:
    """JSON over several lines, whose differences can be read; the order of keys says nothing."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True)
    except ValueError:
        return text


def _text_of(path: Path) -> str:
    """A file's text; of a table as its schema and rows, of an image as its hash, of an archive as its texts."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as parquet

        table = parquet.read_table(path)
        rows = "\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist())
        return f"{table.schema.remove_metadata()}\n{rows}\n"
    if path.suffix == ".png":
        return hashlib.sha256(path.read_bytes()).hexdigest() + "\n"
    if is_zipfile(path):
        with ZipFile(path) as archive:
            texts = [name for name in archive.namelist() if not name.startswith("images/")]
            return "\n".join([*archive.namelist(), *(archive.read(name).decode() for name in texts)])
    return path.read_text(encoding="utf-8")
