"""The lead's pages on the server: whom they are for, what they refuse, and that nothing is lost by a refusal."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure
from flask.testing import FlaskClient

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import Job, job_of, jobs_of, start_job
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role
from tests.label_studio.fake import FakeServer

PAGES = ("figures", "people", "assignment", "jobs", "settings")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Any:
    with home.open_store() as opened:
        for name, role in (("lea", Role.LEAD), ("rev", Role.REVIEWER), ("ann", Role.ANNOTATOR)):
            people.add_person(opened, name, roles=[role], password="correct horse battery")
        with opened.transaction() as tx:
            tx.figures.add_many([a_figure("f1", caption="Lungs 100%."), a_figure("f2", caption="Leaves.")])
        yield opened


def client(home: Home, store: Store, name: str = "lea") -> FlaskClient:
    app = create_app(home, store)
    app.config["WTF_CSRF_ENABLED"] = False
    visitor = app.test_client()
    visitor.post("/login", data={"name": name, "password": "correct horse battery"})
    return visitor


def ended(home: Home) -> Job:
    (job,) = jobs_of(home)
    for _ in range(6000):
        if job.state is not JobState.RUNNING:
            return job
        time.sleep(0.02)
        job = job_of(home, job.number)
    raise AssertionError(job.log())


@pytest.mark.parametrize("name", ["rev", "ann"])
def test_they_are_for_leads(name: str, home: Home, store: Store) -> None:
    visitor = client(home, store, name)
    assert [visitor.get(f"/campaign/{page}").status_code for page in PAGES] == [403] * len(PAGES)
    assert visitor.post("/campaign/uploads").status_code == 403
    assert "Campaign</a>" not in visitor.get("/account").get_data(as_text=True)


def test_a_file_comes_in_pieces_and_is_imported_by_a_job(home: Home, store: Store) -> None:
    lead = client(home, store)
    upload = lead.post("/campaign/uploads").get_json()["upload"]
    address = f"/campaign/uploads/{upload}"
    line = json.dumps({"figure_id": "f3", "image": "f3.png", "caption": "c", "width": 10, "height": 10}).encode()
    for offset in (0, 10, 10, 99):
        size = lead.post(f"{address}?name=figures.jsonl&offset={offset}", data=line[offset : offset + 10])
    assert size.get_json() == {"size": 20}
    assert lead.post(f"{address}?name=figures.jsonl&offset=20", data=line[20:]).get_json() == {"size": len(line)}
    for name in ("../x.png", "run.sh"):
        refused = lead.post(f"{address}?name={name}&offset=0", data=b"x")
        assert refused.status_code == 422
        assert name in refused.get_json()["error"]
    assert lead.post("/campaign/uploads/0123456789abcdef?name=a.png&offset=0", data=b"x").status_code == 422
    assert lead.post("/campaign/uploads/0123456789abcdef/import").status_code == 422
    begun = lead.post(f"{address}/import").get_json()
    assert begun == {"url": "/campaign/jobs/1"}
    job = ended(home)
    # Its image was not sent: the record is refused with its line, and the upload stays to be mended.
    assert job.state is JobState.FAILED
    page = lead.get("/campaign/jobs/1").get_data(as_text=True)
    assert "figures.jsonl:1" in page
    assert "next: " not in page
    lead.get("/campaign/figures")
    assert (home.path / "uploads" / upload).is_dir()


def test_figures_are_searched_by_id_caption_and_source_page_by_page(home: Home, store: Store) -> None:
    lead = client(home, store)
    assert "Lungs 100%." in lead.get("/campaign/figures?q=lungs").get_data(as_text=True)
    for words, found in (("LEAVES f2", True), ("0%", True), ("_", False), ("100% leaves", False)):
        page = lead.get("/campaign/figures", query_string={"q": words}).get_data(as_text=True)
        assert ("No figure has these words." not in page) is found, words
    with store.read() as tx:
        assert [each.id for each in tx.figures.gallery((), after="f1", limit=5)] == ["f2"]


def test_people_get_links_and_roles_and_leads_cannot_shut_themselves_out(home: Home, store: Store) -> None:
    lead = client(home, store)
    added = lead.post("/campaign/people", data={"name": "new", "role": ["annotator", "lead"], "email": "n@x.org"})
    page = added.get_data(as_text=True)
    link = page.partition('id="link" readonly value="')[2].partition('"')[0]
    assert "/welcome/" in link
    stranger = create_app(home, store).test_client()
    assert "new" in stranger.get(link[link.index("/welcome/") :]).get_data(as_text=True)
    with store.read() as tx:
        known = tx.people.get("new")
    assert known is not None
    assert known.roles == {Role.ANNOTATOR, Role.LEAD}
    lead.post("/campaign/people/roles", data={"name": "rev", "role": "annotator"})
    lead.post("/campaign/people/active", data={"name": "ann", "active": "0"})
    for data in ({"name": "lea", "role": "annotator"}, {"name": "rev"}, {"name": "nobody", "role": "lead"}):
        lead.post("/campaign/people/roles", data=data)
    lead.post("/campaign/people/active", data={"name": "lea", "active": "0"})
    told = lead.get("/campaign/people").get_data(as_text=True)
    for line in ("take the lead", "choose a role", "nobody", "cannot disable yourself"):
        assert line in told
    with store.read() as tx:
        found = {each.name: (set(each.roles), each.active) for each in tx.people.all()}
    assert found["lea"] == ({Role.LEAD}, True)
    assert found["rev"] == ({Role.ANNOTATOR}, True)
    assert found["ann"] == ({Role.ANNOTATOR}, False)
    assert "has an account" in lead.post(
        "/campaign/people", data={"name": "rev", "role": "lead"}, follow_redirects=True
    ).get_data(as_text=True)


def test_a_plan_changes_nothing_and_the_assignment_is_as_planned(home: Home, store: Store) -> None:
    lead = client(home, store)
    plan = lead.get("/campaign/assignment?phase=1&annotator=ann&overlap=0").get_data(as_text=True)
    assert "2 new tasks" in plan
    with store.read() as tx:
        assert tx.tasks.all() == []
    lead.post("/campaign/assignment", data={"phase": "1", "annotator": ["ann"], "overlap": "0"})
    with store.read() as tx:
        assert {(task.annotator, task.figure) for task in tx.tasks.all()} == {("ann", "f1"), ("ann", "f2")}
    for query in ("phase=9", "phase=1&overlap=many", "phase=1&batch=-1"):
        assert "alert" in lead.get(f"/campaign/assignment?{query}").get_data(as_text=True), query
    for data in (
        {"phase": "1", "what": "release"},
        {"phase": "1", "what": "else"},
        {"phase": "9", "what": "release"},
    ):
        assert "alert" in lead.post("/campaign/assignment/change", data=data, follow_redirects=True).get_data(
            as_text=True
        ), data
    lead.post("/campaign/assignment/change", data={"phase": "1", "what": "withdraw"})
    with store.read() as tx:
        assert tx.tasks.all() == []


def test_settings_are_refused_with_their_place_and_never_overwrite_somebody_elses(
    home: Home, store: Store
) -> None:
    lead = client(home, store)
    file = home.path / "campaign.toml"
    before = file.read_text("utf-8")
    page = lead.get("/campaign/settings").get_data(as_text=True)
    version = page.partition('name="version" value="')[2].partition('"')[0]
    form = {"version": version, "guidelines": "", "settings": before.replace("quorum = 2", "quorum = 0")}
    bad = lead.post("/campaign/settings", data=form)
    assert bad.status_code == 422
    assert "quorum" in bad.get_data(as_text=True)
    form["settings"] = f'{before}\n[store]\nurl = "postgresql://elsewhere/x"\n'
    assert lead.post("/campaign/settings", data=form).status_code == 422
    assert file.read_text("utf-8") == before
    good = before.replace("quorum = 2", "quorum = 3")
    assert lead.post("/campaign/settings", data={**form, "settings": good}).status_code == 302
    assert file.read_text("utf-8") == good
    late = lead.post("/campaign/settings", data={**form, "settings": before})
    assert late.status_code == 409
    assert "Somebody else has saved" in late.get_data(as_text=True)
    assert file.read_text("utf-8") == good


def test_jobs_are_started_shown_cancelled_and_give_their_files_to_leads_only(home: Home, store: Store) -> None:
    lead = client(home, store)
    assert lead.post("/campaign/jobs", data={"kind": "shell"}).status_code == 400
    for data in ({"kind": "export", "what": "secret.key"}, {"kind": "release", "name": " "}):
        assert "alert" in lead.post("/campaign/jobs", data=data, follow_redirects=True).get_data(as_text=True)
    code = "import sys, pathlib; pathlib.Path(sys.argv[1], 'a.txt').write_text('made')"
    start_job(home, "test", "A <b>test</b>", lambda files: [["python3", "-c", code, str(files)]], "lea")
    assert ended(home).state is JobState.DONE
    page = lead.get("/campaign/jobs").get_data(as_text=True)
    assert "A &lt;b&gt;test" in page
    with lead.get("/campaign/jobs/1/files/a.txt") as answer:
        assert answer.get_data() == b"made"
    missing = ("jobs/2", "jobs/1/files/request.json", "jobs/1/files/..%2Frequest.json", "releases/x/gold.jsonl")
    assert [lead.get(f"/campaign/{each}").status_code for each in missing] == [404] * 4
    assert lead.post("/campaign/jobs/9/cancel").status_code == 404
    assert client(home, store, "rev").get("/campaign/jobs/1/files/a.txt").status_code == 403


def test_who_has_an_account_in_label_studio_and_where_the_others_sign_up(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead = client(home, store)
    told = lead.post("/campaign/people/studio", follow_redirects=True).get_data(as_text=True)
    assert "Label Studio does not run; start the campaign with `annotator up`" in told
    for email in ("nobody", "ann@example.org"):
        lead.post("/campaign/people/email", data={"name": "ann", "email": email})
    with store.read() as tx:
        known = tx.people.get("ann")
    assert known is not None
    assert known.email == "ann@example.org"
    assert "is not an e-mail address" in lead.get("/campaign/people").get_data(as_text=True)
    server = FakeServer()
    monkeypatch.setattr("annotator.web.screens.lead.people._label_studio", lambda: nullcontext(server))
    page = lead.post("/campaign/people/studio").get_data(as_text=True)
    assert server.invitation() in page
    assert "none yet" in page
    server.ensure_account("ANN@example.org", "a good password")
    assert "has one" in lead.post("/campaign/people/studio").get_data(as_text=True)
