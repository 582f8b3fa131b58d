"""The HTTP API brings figures and predictions in, and starts, follows and stops jobs."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import NamedTuple

import pytest
from flask import Flask
from PIL import Image
from web.test_http_api import ask, problem
from werkzeug.test import TestResponse

from annotator.accounts import people, tokens
from annotator.campaign.home import Home
from annotator.imports import uploads
from annotator.jobs.jobs import WORKER, job_of, jobs_of
from annotator.store.store import Store
from annotator.web.screens.lead.jobs import STARTED
from panelwise.domain.campaign import Role
from panelwise.runtime.atomic_write import locked


class Lead(NamedTuple):
    """A lead's program."""

    app: Flask
    token: str

    def get(self, address: str) -> TestResponse:
        return ask(self.app, self.token, address)

    def post(self, address: str, body: object = None, *, key: str = "", **more: object) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}", **({"Idempotency-Key": key} if key else {})}
        sent = {"json": body} if body is not None else {}
        return self.app.test_client().post(f"/api/v1{address}", headers=headers, **sent, **more)

    def send(self, files: dict[str, bytes], *, size: int = 1 << 19) -> str:
        begun = self.post("/uploads")
        assert (begun.status_code, begun.get_json()["sizes"]) == (201, {})
        address = begun.headers["Location"].removeprefix("/api/v1")
        for name, content in files.items():
            for start in range(0, len(content), size):
                sent = self.post(f"{address}?name={name}&offset={start}", data=content[start : start + size])
                assert sent.get_json() == {"size": min(start + size, len(content))}
        return address

    def follow(self, begun: TestResponse) -> dict[str, object]:
        """The job that was begun, once it ended."""
        assert begun.status_code == 202, begun.text
        address = begun.headers["Location"].removeprefix("/api/v1")
        for _ in range(6000):
            job = self.get(address).get_json()
            if job["state"] not in ("waiting", "running"):
                return dict(job)
            time.sleep(0.02)
        raise AssertionError(job)


@pytest.fixture
def lead(app: Flask, store: Store) -> Lead:
    return Lead(app, tokens.make_token(store, "lead", "tests"))


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are left to a worker, which never comes."""
    monkeypatch.setenv(WORKER, "1")


def a_line(record: dict[str, object]) -> bytes:
    return json.dumps(record).encode() + b"\n"


# -- imports ------------------------------------------------------------------------------------------------------


def test_figures_with_their_images_are_imported_by_a_job_that_says_what_it_did(lead: Lead, store: Store) -> None:
    packed, image = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (80, 60), "white").save(image, "PNG")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("images/new.png", image.getvalue())
        archive.writestr(
            "figures.jsonl",
            a_line({"figure_id": "new", "image": "images/new.png", "caption": "A new one."})
            + a_line({"figure_id": "bad", "image": "images/none.png", "caption": "No image."}),
        )
    upload = lead.send({"figures.zip": packed.getvalue()}, size=200)
    job = lead.follow(lead.post(f"{upload}/import", {}))
    assert (job["kind"], job["by"], job["state"], job["exit"]) == ("import", "lead", "failed", 1)
    address = f"/jobs/{job['number']}"
    assert "imported 1 figure; see the 1 error above" in lead.get(f"{address}/log").text
    report = lead.get(f"{address}/files/report.csv")
    assert "images/none.png" in report.text
    assert lead.get("/figures/new").get_json()["width"] == 80


def test_predictions_without_size_or_caption_are_imported_for_the_campaigns_figures(
    lead: Lead, store: Store
) -> None:
    part = {"label": "A", "box": [0, 0, 40, 60], "subcaption": [[0, 3]], "score": 0.5}
    upload = lead.send({"predictions.jsonl": a_line({"figure_id": "f1", "annotator": "m1", "subfigures": [part]})})
    job = lead.follow(lead.post(f"{upload}/import", {}))
    assert (job["title"], job["state"]) == ("Import of predictions", "done")
    with store.read() as tx:
        found = tx.predictions.of(["f1"])["f1"]
    assert (found.model_version, found.scores, found.figure.width) == ("m1", (0.5,), 800)
    # Its files are not needed any more, and go with the next import.
    lead.post(f"{lead.send({'more.jsonl': b'{}'})}/import", {})
    assert lead.get(upload).status_code == 404


def test_the_columns_of_a_table_are_named_in_the_request(lead: Lead, home: Home, waiting: None) -> None:
    upload = lead.send({"figures.csv": b"file,words\nf3.png,A lung.\n", "f3.png": b"\x89PNG"})
    refused = lead.post(f"{upload}/import", {})
    assert refused.status_code == 422
    assert "file, words" in problem(refused)
    twice = lead.post(f"{upload}/import", {"columns": {"image": "file", "caption": "file"}})
    assert "choose a column of its own" in problem(twice)
    assert jobs_of(home) == []
    done = lead.post(f"{upload}/import", {"columns": {"image": "file", "caption": "words"}, "revise": True})
    assert done.status_code == 202
    assert "--revise" in job_of(home, done.get_json()["number"]).request.words


@pytest.mark.parametrize(
    ("name", "data", "code", "line"),
    [
        ("..%2Fa.png", b"x", 422, "no name of a file"),
        ("a.exe", b"x", 422, "leave it out"),
        ("a.png", b"x" * (1 << 20) + b"x", 413, "in pieces"),
    ],
)
def test_a_piece_that_an_import_cannot_use_is_refused(
    lead: Lead, name: str, data: bytes, code: int, line: str
) -> None:
    upload = lead.send({})
    refused = lead.post(f"{upload}?name={name}&offset=0", data=data)
    assert refused.status_code == code
    assert line in problem(refused)
    assert lead.get(upload).get_json()["sizes"] == {}


def test_a_piece_sent_again_changes_nothing_and_says_where_to_go_on(lead: Lead) -> None:
    upload = lead.send({"a.jsonl": b"12345"})
    for offset, data in ((0, b"12345"), (9, b"x"), (2**40, b"x")):
        assert lead.post(f"{upload}?name=a.jsonl&offset={offset}", data=data).get_json() == {"size": 5}
    assert lead.get(upload).get_json()["sizes"] == {"a.jsonl": 5}


def test_pieces_do_not_count_as_saves_but_imports_do(lead: Lead, home: Home) -> None:
    text = (home.path / "campaign.toml").read_text("utf-8")
    (home.path / "campaign.toml").write_text(f"{text}\n[view]\nwrites_per_minute = 3\n", "utf-8")
    upload = lead.send({"a.jsonl": b"x" * 20}, size=1)
    assert lead.post(f"{upload}/import", {"revise": 7}).status_code == 422
    assert lead.post(f"{upload}/import", {"revise": 7}).status_code == 422
    late = lead.post(f"{upload}/import", {})
    assert (late.status_code, late.headers["Retry-After"].isdecimal()) == (429, True)


def test_a_full_disk_is_said_and_the_upload_goes_on_later(lead: Lead, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = lead.send({"a.jsonl": b"12"})
    with monkeypatch.context() as patch:
        patch.setattr(uploads, "LEAST_FREE", 1 << 62)
        full = lead.post(f"{upload}?name=a.jsonl&offset=2", data=b"3")
        assert full.status_code == 507
        assert "make room" in problem(full)
    assert lead.post(f"{upload}?name=a.jsonl&offset=2", data=b"3").get_json() == {"size": 3}


# -- jobs ---------------------------------------------------------------------------------------------------------


def test_an_export_is_started_followed_and_fetched(lead: Lead) -> None:
    job = lead.follow(lead.post("/jobs", {"kind": "export", "what": "figures"}))
    assert (job["state"], job["files"], job["progress"]) == ("done", ["figures.jsonl"], None)
    made = lead.get(f"/jobs/{job['number']}/files/figures.jsonl").data.splitlines()
    assert {json.loads(line)["figure_id"] for line in made} == {"f1", "f2"}
    assert "attachment" in lead.get(f"/jobs/{job['number']}/files/figures.jsonl").headers["Content-Disposition"]


def test_a_waiting_job_is_cancelled_and_one_of_its_kind_is_refused_meanwhile(
    lead: Lead, home: Home, waiting: None
) -> None:
    begun = lead.post("/jobs", {"kind": "check"})
    assert (begun.status_code, begun.get_json()["state"]) == (202, "waiting")
    again = lead.post("/jobs", {"kind": "check"})
    assert again.status_code == 409
    assert "job 1 (Check of the releases) still runs" in problem(again)
    stopped = lead.post("/jobs/1/cancel")
    assert (stopped.status_code, stopped.headers["Location"]) == (202, "/api/v1/jobs/1")
    assert (job_of(home, 1).folder / "cancel").exists()


def test_a_running_job_says_how_far_it_is(lead: Lead, home: Home, waiting: None) -> None:
    lead.post("/jobs", {"kind": "check"})
    folder = job_of(home, 1).folder
    (folder / "log.txt").write_text("checking: 3 of 7\n", "utf-8")
    assert lead.get("/jobs/1").get_json()["progress"] is None
    (folder / "waiting").unlink()
    with locked(folder / "lock"):
        assert lead.get("/jobs/1").get_json()["progress"] == {"step": "checking", "done": 3, "total": 7}
    assert lead.get("/jobs/1/log").text == "checking: 3 of 7\n"


def test_the_same_key_starts_one_job_however_often_it_is_sent(lead: Lead, home: Home, waiting: None) -> None:
    asked = {"kind": "export", "what": "gold"}
    sent = [lead.post("/jobs", asked, key="nightly-1") for _ in range(3)]
    assert [(each.status_code, each.get_json()["number"]) for each in sent] == [(202, 1)] * 3
    other = lead.post("/jobs", {"kind": "export", "what": "coco"}, key="nightly-1")
    assert other.status_code == 422
    assert "is that of job 1" in problem(other)
    assert lead.post("/jobs", asked, key="nightly-2").status_code == 409
    assert len(jobs_of(home)) == 1


def test_an_import_sent_again_with_its_key_is_the_first_even_once_its_files_are_gone(
    lead: Lead, home: Home, waiting: None
) -> None:
    upload = lead.send({"figures.jsonl": b"{}\n"})
    first = lead.post(f"{upload}/import", {}, key="k")
    uploads.remove_upload(home, upload.rpartition("/")[2])
    assert lead.post(f"{upload}/import", {}, key="k").get_json() == first.get_json()
    assert lead.post(f"{upload}/import", {}).status_code == 404


def test_the_key_of_one_person_is_not_that_of_another(lead: Lead, app: Flask, store: Store, waiting: None) -> None:
    lead.post("/jobs", {"kind": "export", "what": "gold"}, key="k")
    people.set_roles(store, "rev2", [Role.LEAD])
    other = Lead(app, tokens.make_token(store, "rev2", "tests"))
    assert other.post("/jobs", {"kind": "check"}, key="k").get_json()["number"] == 2


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({}, "kind"),
        ({"kind": "shell"}, "shell"),
        ({"kind": "import"}, "import"),
        ({"kind": "export"}, "what"),
        ({"kind": "export", "what": "secret.key"}, '"secret.key" cannot be exported'),
        ({"kind": "export", "what": "gold", "out": "/tmp/x"}, "out"),
        ({"kind": "release", "name": " "}, "needs a name"),
        ({"kind": "release", "name": "--force"}, "needs a name"),
        ({"kind": "report", "phase": "nope"}, 'phase "nope" has no annotations'),
        ({"kind": "prelabel", "models": ["../x"]}, 'no model "../x"'),
        ({"kind": "train", "model": "detector", "name": "../x"}, "a model's name"),
        ({"kind": "train", "model": "detector", "name": "x", "minutes": 0}, "minutes"),
        ({"kind": "push"}, "no tasks for Label Studio"),
        ([], "object"),
    ],
)
def test_a_job_that_cannot_be_is_refused_in_one_line(
    lead: Lead, home: Home, body: object, line: str, waiting: None
) -> None:
    refused = lead.post("/jobs", body)
    assert refused.status_code == 422
    assert line in problem(refused)
    assert jobs_of(home) == []


def test_every_kind_that_the_page_starts_is_started_by_the_api(lead: Lead, home: Home, waiting: None) -> None:
    document = lead.get("/openapi.json").get_json()
    content = document["paths"]["/api/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]
    assert set(content["schema"]["discriminator"]["mapping"]) == {kind.value for kind in STARTED}
    lead.post("/jobs", {"kind": "train", "model": "text-crf", "name": "words", "minutes": 3, "random": True})
    lead.post("/jobs", {"kind": "prelabel", "again": True})
    prelabelling, training = (job.request.words[3:] for job in jobs_of(home))
    assert prelabelling == ("run", "--again", "--home", str(home.path))
    assert training[:2] == ("train", "text-crf")
    assert training[-7:] == ("--name", "words", "--device", "auto", "--minutes", "3", "--random-weights")


# -- who may, and what there is not -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ann", "rev1"])
def test_only_leads_import_and_run_jobs(lead: Lead, app: Flask, store: Store, name: str, waiting: None) -> None:
    upload = lead.send({"a.jsonl": b"{}"})
    lead.post("/jobs", {"kind": "check"})
    other = Lead(app, tokens.make_token(store, name, "tests"))
    for address in ("/uploads", upload, f"{upload}/import", "/jobs", "/jobs/1/cancel"):
        assert other.post(address, {}).status_code == 403
        assert Lead(app, "").post(address, {}).status_code == 401
    for address in (upload, "/jobs/1/log", "/jobs/1/files/a"):
        assert other.get(address).status_code == 403


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("/jobs/7", "there is no job 7"),
        ("/jobs/7/log", "there is no job 7"),
        ("/jobs/1/files/request.json", "made no file"),
        ("/uploads/0123", "unknown or was removed"),
        ("/tasks?phase=nope", 'phase "nope" is not in this campaign'),
        ("/annotations?phase=nope", 'phase "nope" is not in this campaign'),
        ("/agreement?phase=nope", 'phase "nope" is not in this campaign'),
        ("/tasks?annotator=nobody", 'annotator "nobody" is not in this campaign'),
        ("/annotations?annotator=nobody", 'annotator "nobody" is not in this campaign'),
        ("/figures/nope/annotations", 'figure "nope"'),
        ("/figures/nope/decisions", 'figure "nope"'),
        ("/figures/nope/image", "nope"),
    ],
)
def test_what_there_is_not_is_404_with_its_name(lead: Lead, address: str, line: str, waiting: None) -> None:
    lead.post("/jobs", {"kind": "check"})
    refused = lead.get(address)
    assert refused.status_code == 404
    assert line in problem(refused)


def test_a_phase_without_work_is_empty_and_not_unknown(lead: Lead, home: Home) -> None:
    text = (home.path / "campaign.toml").read_text("utf-8")
    (home.path / "campaign.toml").write_text(f'{text}\n[[phases]]\nname = "2"\n', "utf-8")
    assert lead.get("/tasks?phase=2").get_json() == {"items": [], "next": None}
    assert lead.get("/annotations?phase=2&annotator=ann").get_json() == {"items": [], "next": None}
