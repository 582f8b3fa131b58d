"""A release is published: listed without --yes, uploaded to a stand-in of the Hub on this machine with it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from builders import a_decision, a_figure, an_annotation

from annotator.campaign.home import Home
from annotator.gold.publish import prepare_upload
from annotator.gold.release import make_release
from annotator.gold.releases import release_called
from annotator.store.store import Store
from panelwise.domain.errors import AnnotatorError
from tests.cli.test_commands import annotator, assert_one_line

SETTINGS = """name = "Chest figures"
labels = ["A", "B", "C"]
[release]
title = "Chest panels"
licence = "CC-BY-4.0"
authors = [
  {name = "Müller", forenames = "Anna", orcid = "https://orcid.org/0000-0001-2345-6789", affiliation = "Lab"},
  {name = "Example Society"},
]
"""


class Hub:
    """Answers what huggingface_hub asks: new repository, card, how to upload, large files, commit, tag."""

    def __init__(self) -> None:
        self.tokens: set[str | None] = set()
        self.created: list[dict[str, Any]] = []
        self.large: dict[str, bytes] = {}
        self.committed: dict[str, bytes] = {}
        self.tags: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hub.tokens.add(self.headers["Authorization"])
                status, answer = hub.answer(self.path, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_PUT(self) -> None:
                hub.large[self.path.removeprefix("/large/")] = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        if self.tokens != {"Bearer secret-token"}:
            return 401, {"error": "Invalid username or password."}
        if path.endswith("/commit/main"):
            for line in map(json.loads, body.splitlines()):
                value = line["value"]
                if line["key"] == "file":
                    self.committed[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    self.committed[value["path"]] = self.large[value["oid"]]
            page = f"{self.url}/datasets/lab/panels"
            return 200, {"commitUrl": f"{page}/commit/{'0' * 40}", "commitOid": "0" * 40}
        sent = json.loads(body)
        if path == "/api/repos/create":
            self.created.append(sent)
            return 200, {"url": f"{self.url}/datasets/lab/panels"}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if "/preupload/" in path:
            modes = [
                {
                    "path": each["path"],
                    "uploadMode": "lfs" if each["path"].endswith(".parquet") else "regular",
                    "shouldIgnore": False,
                }
                for each in sent["files"]
            ]
            return 200, {"files": modes}
        if path.endswith("/info/lfs/objects/batch"):
            objects = [
                {**each, "actions": {"upload": {"href": f"{self.url}/large/{each['oid']}"}}}
                for each in sent["objects"]
            ]
            return 200, {"transfer": "basic", "objects": objects}
        assert "/tag/" in path, path
        self.tags.append(sent["tag"])
        return 200, {}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    constants = pytest.importorskip(
        "huggingface_hub.constants", reason="the extra panelwise[release] is not installed"
    )
    hub = Hub()
    thread = Thread(target=hub.server.serve_forever, daemon=True)
    thread.start()
    # Read from the environment when the module is first imported, which another test may have done.
    for name, value in {"ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": True, "HF_HUB_OFFLINE": False}.items():
        monkeypatch.setattr(constants, name, value)
    for name in ("HF_TOKEN", "HF_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    yield hub
    hub.server.shutdown()
    hub.server.server_close()
    thread.join()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A campaign with a release of one figure."""
    path = tmp_path / "campaign"
    home = Home.create(path, settings=SETTINGS)
    with home.open_store() as store:
        _release(home, store)
    return path


def _release(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        figure = a_figure("f1", source={"licence": "CC-BY-4.0"})
        tx.figures.add(figure)
        tx.annotations.add(an_annotation(figure, annotator="ann1"))
        tx.decisions.add(a_decision(figure, based_on=("ann1",)))
    make_release(home, store, "pilot")


def _content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_sent_without_yes(home: Path, hub: Hub) -> None:
    done = annotator("release", "pilot", "--publish", "hub", "--repo", "lab/panels", home=home)
    assert done.returncode == 0, done.stderr
    content = _content(home / "releases" / "001-pilot")
    *listed, last = done.stdout.splitlines()
    assert {file: int(size.replace(",", "")) for size, file in map(str.split, listed)} == {
        name: len(data) for name, data in content.items()
    }
    total = sum(map(len, content.values()))
    expected = f"would upload 001-pilot to lab/panels: {len(content)} files, {total:,} bytes; add --yes to upload"
    assert last == expected
    assert not hub.tokens


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # huggingface_hub's use of httpx
@pytest.mark.slow
def test_a_release_is_one_private_commit_with_a_tag(
    home: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "token"
    secret.write_text("secret-token\n", encoding="utf-8")
    monkeypatch.setenv("HF_TOKEN_FILE", str(secret))
    done = annotator("release", "pilot", "--publish", "hub", "--repo", "lab/panels", "--yes", home=home)
    assert done.returncode == 0, done.stderr
    assert hub.committed == _content(home / "releases" / "001-pilot")
    assert [(each["name"], each["organization"], each["type"]) for each in hub.created] == [
        ("panels", "lab", "dataset")
    ]
    assert hub.created[0]["visibility"] == "private"
    assert hub.tags == ["001-pilot"]
    assert done.stdout.splitlines()[-1].startswith(f"uploaded 001-pilot to {hub.url}/datasets/lab/panels: ")
    assert "secret-token" not in done.stdout + done.stderr


def test_what_cannot_be_published_is_one_line(home: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    publish = ("release", "pilot", "--publish", "hub", "--repo", "lab/panels", "--yes")
    assert_one_line(annotator(*publish, home=home), "no token; set HF_TOKEN, or HF_TOKEN_FILE")
    monkeypatch.setenv("HF_TOKEN", "wrong")
    refused = annotator(*publish, home=home)
    assert refused.returncode == 1
    assert "lab/panels: the Hub did not accept the release (" in refused.stderr.splitlines()[-1]
    assert not hub.committed
    release = release_called(Home.find(home), "pilot")
    with pytest.raises(AnnotatorError, match='give it as "OWNER/NAME"'):
        prepare_upload(release, "panels")
    (release.path / "gold.jsonl").chmod(0o644)
    (release.path / "gold.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(AnnotatorError, match="has changed since the release was made"):
        prepare_upload(release, "lab/panels")


def test_the_options_of_publishing_belong_together(home: Path) -> None:
    for arguments, reason in (
        (("pilot", "--yes"), "--yes needs --publish hub"),
        (("pilot", "--publish", "hub"), "--publish hub needs --repo OWNER/NAME"),
        (("pilot", "--check", "--publish", "hub"), "--check and --publish can't be combined"),
        (("pilot", "--publish", "hub", "--images"), "--images can't be combined with --publish"),
    ):
        done = annotator("release", *arguments, home=home)
        assert done.returncode == 2
        assert reason in done.stderr


def test_zenodo_reads_the_metadata_of_campaign_toml(home: Path) -> None:
    folder = home / "releases" / "001-pilot"
    record = json.loads((folder / ".zenodo.json").read_text(encoding="utf-8"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert record == {
        "title": "Chest panels",
        "upload_type": "dataset",
        "publication_date": manifest["created_at"][:10],
        "version": "1",
        "description": "Compound scientific figures with the box, label and caption text of each subfigure.",
        "creators": [
            {"name": "Müller, Anna", "orcid": "0000-0001-2345-6789", "affiliation": "Lab"},
            {"name": "Example Society"},
        ],
        "keywords": ["scientific-figures", "compound-figures", "subfigures"],
        "access_right": "open",
        "license": "cc-by-4.0",
    }
