"""People, assignment and the gallery on the lead's pages: whom they are for, and what they refuse."""

from __future__ import annotations

import re
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from builders import a_figure, a_prediction
from services.test_uploads import png
from web.lead_client import PASSWORD, client, send

from annotator.accounts import people
from annotator.accounts.invitations import note_address
from annotator.campaign.home import Home
from annotator.jobs.commands import JobKind
from annotator.jobs.jobs import WORKER, jobs_of, start_job
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role, Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

PAGES = ("figures", "people", "assignment", "jobs", "settings")


@pytest.mark.parametrize("name", ["rev", "ann"])
def test_they_are_for_leads(name: str, home: Home, store: Store) -> None:
    visitor = client(home, store, name)
    assert [visitor.get(f"/campaign/{page}").status_code for page in PAGES] == [403] * len(PAGES)
    assert visitor.post("/campaign/uploads").status_code == 403
    assert "Campaign</a>" not in visitor.get("/account").get_data(as_text=True)


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


def test_the_plan_shows_the_settings_in_its_fields_and_warns_while_pre_labelling_runs(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.path / "campaign.toml"
    lead = client(home, store)
    page = lead.get("/campaign/assignment").get_data(as_text=True)
    assert 'placeholder="every figure by all"' in page
    assert 'placeholder="all at once"' in page
    assert "Pre-labelling is running" not in page
    settings = path.read_text(encoding="utf-8")
    path.write_text(settings.replace("[[phases]]", "[[phases]]\noverlap = 1\nbatch = 7", 1), encoding="utf-8")
    monkeypatch.setenv(WORKER, "1")  # so that the job waits for a worker
    start_job(home, JobKind.PRELABEL, "Pre-labelling", lambda _: [["true"]], "lea")
    page = client(Home.find(home.path), store).get("/campaign/assignment").get_data(as_text=True)
    assert 'placeholder="7"' in page
    assert "Pre-labelling is running" in page
    (job,) = jobs_of(home)
    shutil.rmtree(job.folder)
    assert "Pre-labelling is running" not in lead.get("/campaign/assignment").get_data(as_text=True)


def test_before_an_assignment_the_page_names_who_has_to_be_added_and_offers_pre_labels(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "camp")
    path = home.path / "campaign.toml"
    settings = path.read_text(encoding="utf-8")
    path.write_text(settings.replace("[[phases]]", '[[phases]]\nannotators = ["zoe"]', 1), encoding="utf-8")
    home = Home.find(home.path)
    with home.open_store() as store:
        people.add_person(store, "lea", roles=[Role.LEAD], password=PASSWORD)
        lead = client(home, store)
        assert "pre-label the figures" not in lead.get("/campaign/assignment").get_data(as_text=True)
        with store.transaction() as tx:
            tx.figures.add(a_figure())
        page = lead.get("/campaign/assignment").get_data(as_text=True)
        assert "The settings name zoe" in page
        assert "pre-label the figures" in page
        with store.transaction() as tx:
            tx.predictions.put(a_prediction())
        assert "pre-label the figures" not in lead.get("/campaign/assignment").get_data(as_text=True)


def test_where_a_token_is_missing_the_page_says_where_the_server_gets_it(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:1")
    page = client(home, store).post("/campaign/people/studio", follow_redirects=True).get_data(as_text=True)
    assert "no token" in page
    assert "set LABEL_STUDIO_API_KEY where Panelwise is started and start it again" in page


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
    monkeypatch.setattr("annotator.campaign.connect.running_studio", lambda _home: nullcontext(server))
    page = lead.post("/campaign/people/studio").get_data(as_text=True)
    assert server.invitation() in page
    assert "none yet" in page
    server.ensure_account("ANN@example.org", "a good password")
    assert "has one" in lead.post("/campaign/people/studio").get_data(as_text=True)


def invitations_of(page: str) -> dict[str, str]:
    """Each person's link on the page of invitations."""
    return dict(
        (name, link) for link, name in re.findall(r'readonly value="([^"]+)" aria-label="Link for ([^"]+)"', page)
    )


def test_everybody_without_a_password_is_invited_in_one_table(home: Home, store: Store) -> None:
    for name, email in (("new", "n@x.org"), ("other", ""), ("gone", "")):
        people.add_person(store, name, roles=[Role.REVIEWER], email=email)
    people.set_active(store, "gone", active=False)
    lead = client(home, store)
    page = lead.post("/campaign/people/link").get_data(as_text=True)
    links = invitations_of(page)
    assert set(links) == {"new", "other"}
    assert "mailto:n%40x.org?subject=Invitation%20to%20" in page
    for name, link in links.items():
        assert page.count(link) == 2, "in the field, and in the message to paste"
        path = link[link.index("/welcome/") :]
        done = create_app(home, store).test_client()
        done.application.config["WTF_CSRF_ENABLED"] = False
        assert done.post(path, data={"new": PASSWORD, "again": PASSWORD}).location == "/", name
    told = lead.post("/campaign/people/link", follow_redirects=True).get_data(as_text=True)
    assert "Everybody has a password already." in told
    assert "no person" in lead.post(
        "/campaign/people/link", data={"name": "nobody"}, follow_redirects=True
    ).get_data(as_text=True)


def test_a_link_to_this_computer_only_is_warned_of(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead = client(home, store)
    note_address(store, "http://127.0.0.1:8090/")
    page = lead.post("/campaign/people/link", data={"name": "ann"}).get_data(as_text=True)
    assert "opens on this computer only" in page
    came = {"base_url": "https://figures.example.org", "data": {"name": "ann"}}
    elsewhere = client(home, store)
    elsewhere.post("/login", base_url="https://figures.example.org", data={"name": "lea", "password": PASSWORD})
    page = elsewhere.post("/campaign/people/link", **came).get_data(as_text=True)
    assert "opens on this computer only" not in page
    assert invitations_of(page)["ann"].startswith("https://figures.example.org/welcome/")
    monkeypatch.setenv("PANELWISE_PUBLIC_URL", "https://public.example.org")
    page = lead.post("/campaign/people/link", data={"name": "ann"}).get_data(as_text=True)
    assert invitations_of(page)["ann"].startswith("https://public.example.org/welcome/")
    assert "opens on this computer only" not in page


def test_one_link_also_makes_the_account_in_label_studio(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FakeServer()
    made: list[tuple[str, str]] = []
    monkeypatch.setattr(
        server, "ensure_account", lambda *given: (made.append(given), FakeServer.ensure_account(server, *given))[1]
    )
    monkeypatch.setattr("annotator.campaign.connect.running_studio", lambda _home: nullcontext(server))
    monkeypatch.setattr("annotator.campaign.connect.studio_address", lambda _home: "http://127.0.0.1:8080")
    monkeypatch.setattr("annotator.web.screens.account.studio_address", lambda _home: "http://127.0.0.1:8080")
    people.set_email(store, "ann", "ann@example.org")
    lead = client(home, store)

    def invited(name: str) -> tuple[str, str]:
        """The lead's page, and the person's page after they set a password."""
        page = lead.post("/campaign/people/link", data={"name": name}).get_data(as_text=True)
        link = invitations_of(page)[name]
        app = create_app(home, store)
        app.config["WTF_CSRF_ENABLED"] = False
        path = link[link.index("/welcome/") :]
        answer = app.test_client().post(
            path, data={"new": "quiet lamps", "again": "quiet lamps"}, follow_redirects=True
        )
        return page, answer.get_data(as_text=True)

    page, own = invited("ann")
    assert made == [("ann@example.org", "quiet lamps")]
    assert "sign in with ann@example.org and the same password" in page
    assert "Label Studio has an account for you: ann@example.org, with the same password." in own
    assert 'href="http://127.0.0.1:8080"' in own
    assert "its password stays as it is" in invited("ann")[1]
    people.add_person(store, "bea", roles=[Role.ANNOTATOR])
    page, own = invited("bea")
    assert "No e-mail: the link makes no account in Label Studio." in page
    assert "Tell the campaign&#39;s lead your e-mail address" in own
    people.set_email(store, "bea", "bea@example.org")
    monkeypatch.setattr(server, "ensure_account", refuse)
    assert "could not be made: no room for bea@example.org. Tell" in invited("bea")[1]
    assert len(made) == 1
    # Reviewers, and annotators whose phases are on Panelwise's own screen, need none.
    assert "Label Studio has" not in invited("rev")[1]


def refuse(email: str, _password: str) -> None:
    raise SyncError(f"no room for {email}")


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


def test_people_named_in_the_settings_are_added_with_their_roles(home: Home, store: Store) -> None:
    path = home.path / "campaign.toml"
    settings = path.read_text(encoding="utf-8")
    path.write_text(
        settings.replace("[[phases]]", '[[phases]]\nannotators = ["ann", "zoe"]\nreviewers = ["zoe"]', 1)
    )
    lead = client(home, store)
    page = lead.get("/campaign/people").get_data(as_text=True)
    assert re.findall(r"Add (\S+) \(([^)]*)\)", page) == [("zoe", "annotator, reviewer")]
    lead.post("/campaign/people", data={"name": "zoe", "role": ["annotator", "reviewer"]})
    with store.read() as tx:
        known = tx.people.get("zoe")
    assert known is not None
    assert known.roles == {Role.ANNOTATOR, Role.REVIEWER}
    assert "named-only" not in lead.get("/campaign/people").get_data(as_text=True)
    # Reviewers of all phases are named once, above them.
    path.write_text(settings.replace("[[phases]]", 'reviewers = ["rita"]\n\n[[phases]]', 1))
    page = client(Home.find(home.path), store).get("/campaign/people").get_data(as_text=True)
    assert re.findall(r"Add (\S+) \(([^)]*)\)", page) == [("rita", "reviewer")]
