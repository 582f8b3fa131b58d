"""The lead's pages on the server: whom they are for, what they refuse, and that nothing is lost by a refusal."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from contextlib import nullcontext
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure
from flask.testing import FlaskClient
from PIL import Image
from services.test_uploads import png

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.templates import TEMPLATES
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import Job, job_of, jobs_of, start_job
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role, Task
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_running_job_shows_how_far_it_is_and_how_long_it_takes_yet(home: Home, store: Store) -> None:
    lead = client(home, store)
    code = "import time; print('pre-labelling: 5 of 20', flush=True); time.sleep(600)"
    job = start_job(home, "test", "Runs", lambda _files: [[sys.executable, "-c", code]], "lea")
    page = ""
    while "5 of 20" not in page:
        page = lead.get("/campaign/jobs/1").get_data(as_text=True)
        time.sleep(0.05)
    # The start is stored in whole seconds: it may be none ago.
    time.sleep(1)
    assert re.search(r"5 of 20, <data[^>]*>[^<]+</data> left", lead.get("/campaign/jobs/1").get_data(as_text=True))
    lead.post(f"/campaign/jobs/{job.number}/cancel")
    assert ended(home).state is JobState.CANCELLED


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


def test_a_new_campaign_is_made_from_each_template_until_there_are_figures(home: Home, tmp_path: Path) -> None:
    empty = Home.create(tmp_path / "empty")
    with empty.open_store() as other:
        people.add_person(other, "lea", roles=[Role.LEAD], password="correct horse battery")
        lead = client(empty, other)
        signed_in = lead.post("/login", data={"name": "lea", "password": "correct horse battery"})
        assert signed_in.location == "/campaign/new"
        for template in ("", *TEMPLATES):
            page = lead.get(f"/campaign/new?template={template}").get_data(as_text=True)
            shown = unescape(page.partition("<textarea")[2].partition(">\n")[2].partition("</textarea>")[0])
            assert shown == (TEMPLATES[template].guidelines() if template else "")
            form = {"template": template, "name": "Mine", "labels": "A, B", "guidelines": shown}
            form |= {"screen": "panelwise", "guidelines_of": template}
            done = lead.post("/campaign/new", data=form)
            assert done.location == "/campaign/figures", done.get_data(as_text=True)
            made = Home.find(empty.path).campaign
            assert (made.name, made.labels) == ("Mine", ("A", "B"))
            assert not any(phase.in_label_studio or phase.annotators for phase in made.phases)
        assert (empty.path / "guidelines.md").read_text("utf-8") == TEMPLATES["human-eval"].guidelines()
        bad = lead.post("/campaign/new", data={**form, "labels": "A, A"})
        assert "repeated label" in bad.get_data(as_text=True)
        with other.transaction() as tx:
            tx.figures.add(a_figure("f1"))
        late = lead.post("/campaign/new", data=form).get_data(as_text=True)
        assert "has figures already" in late
        assert lead.post("/login", data={"name": "lea", "password": "correct horse battery"}).location == "/"


def version_of(page: str) -> str:
    return page.partition('name="version" value="')[2].partition('"')[0]


def test_the_form_changes_its_settings_and_nothing_else_of_the_text(home: Home, store: Store) -> None:
    lead = client(home, store)
    file = home.path / "campaign.toml"
    before = file.read_text("utf-8") + '\n[release]\nlicence = "CC-BY-4.0"  # ours\n'
    file.write_text(before, "utf-8")
    form = {"what": "form", "name": 'a "b"', "labels": "A, B", "guideline": "2", "quorum": "3", "max_boxes": "40"}
    page = lead.get("/campaign/settings").get_data(as_text=True)
    assert lead.post("/campaign/settings", data={**form, "version": version_of(page)}).status_code == 302
    found = Home.find(home.path)
    assert (found.campaign.name, found.campaign.labels, found.campaign.quorum) == ('a "b"', ("A", "B"), 3)
    assert (found.campaign.max_boxes, found.campaign.language_models) == (40, False)
    comments = [line for line in before.splitlines() if line.startswith("#") and "max_boxes" not in line]
    assert [line for line in file.read_text("utf-8").splitlines() if line.startswith("#")] == comments
    assert 'licence = "CC-BY-4.0"  # ours' in file.read_text("utf-8")
    for wrong in ({"quorum": "x"}, {"quorum": "0"}, {"labels": ""}):
        page = lead.get("/campaign/settings").get_data(as_text=True)
        data = {**form, **wrong, "version": version_of(page)}
        assert lead.post("/campaign/settings", data=data).status_code == 422, wrong
    assert Home.find(home.path).campaign.quorum == 3


def test_a_conflict_shows_both_and_saves_over_the_other_only_when_asked(home: Home, store: Store) -> None:
    lead = client(home, store)
    page = lead.get("/campaign/settings").get_data(as_text=True)
    text = (home.path / "campaign.toml").read_text("utf-8")
    theirs, mine = text.replace("quorum = 2", "quorum = 4"), text.replace("quorum = 2", "quorum = 5")
    for settings in (theirs, mine):
        data = {"version": version_of(page), "guidelines": "", "settings": settings}
        answer = lead.post("/campaign/settings", data=data)
    shown = answer.get_data(as_text=True)
    assert answer.status_code == 409
    assert 'role="alertdialog"' in shown
    assert "−quorum = 4" in shown
    assert "+quorum = 5" in shown
    assert (home.path / "campaign.toml").read_text("utf-8") == theirs
    again = lead.post("/campaign/settings", data={**data, "version": version_of(shown)})
    assert again.status_code == 302
    assert (home.path / "campaign.toml").read_text("utf-8") == mine
    assert lead.get("/campaign/settings").get_data(as_text=True).count("replaced by lea") == 2


def send(lead: FlaskClient, files: dict[str, bytes]) -> str:
    upload = lead.post("/campaign/uploads").get_json()["upload"]
    for name, content in files.items():
        for start in range(0, len(content) or 1, 1 << 19):
            piece = content[start : start + (1 << 19)]
            sent = lead.post(f"/campaign/uploads/{upload}?name={name}&offset={start}", data=piece)
            assert sent.status_code == 200, sent.get_json()
    return f"/campaign/uploads/{upload}"


@pytest.mark.slow
def test_columns_of_a_table_are_chosen_with_its_first_rows_before_it(home: Home, store: Store) -> None:
    lead = client(home, store)
    table = "Panel file;Legend;caption\nx.png;Lungs; right.;old\ny.png;Leaves.;old\n"
    address = send(lead, {"t.csv": table.encode().replace(b"Lungs; right.", b'"Lungs; right."'), "x.png": png()})
    url = lead.post(f"{address}/import?revise=1").get_json()["url"]
    assert url.startswith(f"{address}/columns")
    assert "Lungs; right." in lead.get(url).get_data(as_text=True)
    twice = {"image": "Panel file", "caption": "Panel file"}
    assert "column of its own" in lead.post(url, data=twice, follow_redirects=True).get_data(as_text=True)
    begun = lead.post(url, data={"image": "Panel file", "caption": "Legend"})
    assert begun.location == "/campaign/jobs/1"
    # The image of y was not sent.
    assert ended(home).state is JobState.FAILED
    with store.read() as tx:
        assert tx.figures.get("x").caption.text == "Lungs; right."
        assert not tx.figures.has("y")


@pytest.mark.slow
def test_a_coco_file_brings_its_figures_and_the_boxes_on_them(home: Home, store: Store) -> None:
    lead = client(home, store)
    box = {"id": 1, "image_id": 7, "bbox": [1, 1, 5, 5], "category_id": 1}
    coco = {
        "images": [{"id": 7, "file_name": "x.png", "width": 20, "height": 10}],
        "annotations": [box],
        "categories": [{"id": 1, "name": "A"}],
    }
    address = send(lead, {"boxes.json": json.dumps(coco).encode(), "x.png": png()})
    assert lead.post(f"{address}/import?annotator=ann").get_json() == {"url": "/campaign/jobs/1"}
    job = ended(home)
    assert job.state is JobState.DONE, job.log()
    with store.read() as tx:
        (work,) = tx.annotations.all(figure="x")
    assert (work.annotator, len(work.subfigures)) == ("ann", 1)


RUBBISH = {
    "no bytes": {"a.png": b""},
    "another type": {"a.png": b"%PDF-1.4 no image"},
    "cut off": {"a.png": None},
    "too many pixels": {"a.png": b"bomb"},
    "rows of rubbish": {
        "t.csv": b"image,caption\n" + b"../../etc/passwd,x\n" * 50_000 + b"\xc3\xa4;;;\n" * 50_000
    },
    "no text": {"t.csv": bytes(range(256)) * 100},
    "no JSON": {"figures.jsonl": b"{]\n" * 1000},
}


@pytest.mark.slow
@pytest.mark.parametrize("what", RUBBISH)
def test_hostile_uploads_end_in_one_report_and_change_nothing(
    what: str, home: Home, store: Store, tmp_path: Path
) -> None:
    lead = client(home, store)
    (tmp_path / "secret.png").write_bytes(png())
    bomb = io.BytesIO()
    Image.new("1", (40_000, 40_000)).save(bomb, "PNG")
    made = {b"bomb": bomb.getvalue(), None: png()[:-30]}
    address = send(lead, {name: made.get(content, content) for name, content in RUBBISH[what].items()})
    before = {path for path in home.path.rglob("*") if not path.is_relative_to(home.path / "jobs")}
    begun = lead.post(f"{address}/import")
    if begun.status_code == 200:
        job = ended(home)
        assert job.state is JobState.FAILED
        assert "Traceback" not in job.log()
        with lead.get("/campaign/jobs/1/files/log.txt") as report:
            assert report.get_data(as_text=True).count("\n") >= 1
    else:
        assert begun.status_code == 422
        assert "\n" not in begun.get_json()["error"]
    with store.read() as tx:
        assert tx.figures.count() == 2
    after = {path for path in home.path.rglob("*") if not path.is_relative_to(home.path / "jobs")}
    assert {path.name for path in after - before} <= {"store.sqlite-wal", "store.sqlite-shm"}
    assert lead.post(f"{address}/remove").status_code == 200
    assert list((home.path / "uploads").iterdir()) == []


def test_a_caption_and_an_image_are_replaced_on_a_figures_history(home: Home, store: Store) -> None:
    lead = client(home, store)
    done = lead.post("/figures/f1/caption", data={"caption": "Lungs,\r\nleft."}, follow_redirects=True)
    assert "Caption replaced" in done.get_data(as_text=True)
    bad = lead.post("/figures/f1/caption", data={"caption": "a\0b"}, follow_redirects=True)
    assert "Not changed" in bad.get_data(as_text=True)
    upload = send(lead, {"x.png": png()}).rpartition("/")[2]
    assert lead.post(f"/figures/f1/image?upload={upload}").get_json() == {"url": "/figures/f1/history"}
    upload = send(lead, {"x.png": b"no image"}).rpartition("/")[2]
    assert lead.post(f"/figures/f1/image?upload={upload}").status_code == 422
    with store.read() as tx:
        found = tx.figures.get("f1")
    assert (found.caption.text, found.revision, found.width, found.height) == ("Lungs,\nleft.", 3, 20, 10)
    assert client(home, store, "rev").post("/figures/f1/caption", data={"caption": "x"}).status_code == 403


def test_the_gallery_is_filtered_by_status_and_batch(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", "1", batch=2)])
        tx.withdrawals.add(["f2"], "lea", "a duplicate", datetime.now(UTC))
    lead = client(home, store)
    for query, names in (
        ({}, {"f1", "f2"}),
        ({"shown": "assigned"}, {"f1"}),
        ({"shown": "not assigned"}, set()),
        ({"shown": "withdrawn"}, {"f2"}),
        ({"shown": "adjudicated"}, set()),
        ({"batch": "1/2"}, {"f1"}),
        ({"batch": "1/1"}, set()),
        ({"shown": "rubbish", "batch": "x/y/"}, {"f1", "f2"}),
    ):
        page = lead.get("/campaign/figures", query_string=query).get_data(as_text=True)
        assert set(re.findall(r'class="id">(\w+)<', page)) == names, query
