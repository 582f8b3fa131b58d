"""Whoever was shown others' work on a figure is recorded, once, and nobody else."""

from __future__ import annotations

import pytest
from builders import a_decision, a_figure, a_subfigure
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, PASSWORD
from web.conftest import SignIn

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.app.access import Work, access
from panelwise.domain.campaign import Role
from panelwise.domain.errors import StoreError


def seen(store: Store) -> set[tuple[str, str]]:
    with store.read() as tx:
        return set(tx.seen.contacts())


@pytest.mark.parametrize(
    "page",
    [
        "/figures/f1",
        "/figures/f1/history",
        "/api/figures/f1",
        "/api/v1/figures/f1/annotations",
        "/api/v1/figures/f1/decisions",
        "/api/figures/f1/comments",
    ],
)
def test_a_figures_work_is_recorded_for_who_opens_it(client: FlaskClient, store: Store, page: str) -> None:
    assert client.get(page).status_code == 200
    assert seen(store) == {("rev1", "f1")}


def test_the_first_time_is_recorded_only(client: FlaskClient, store: Store) -> None:
    client.get("/figures/f1")
    with store.read() as tx:
        first = tx.seen.contacts()
    client.get("/figures/f1")
    with store.read() as tx:
        assert tx.seen.contacts() == first


@pytest.mark.parametrize("page", ["/", "/figures/f1/image", "/figures/none", "/api/v1/figures/f1"])
def test_lists_images_and_refusals_show_no_work(client: FlaskClient, store: Store, page: str) -> None:
    client.get(page)
    assert seen(store) == set()


def test_the_figures_that_the_agreement_page_lists_are_recorded(client: FlaskClient, store: Store) -> None:
    assert client.get("/agreement").status_code == 200
    assert seen(store) == {("rev1", "f1")}


def test_the_figures_of_the_gallery_are_recorded(client: FlaskClient, store: Store) -> None:
    assert client.get("/agreed/").status_code == 200
    assert seen(store) == {("rev1", "f2")}


def test_a_download_of_all_gold_is_recorded_for_every_figure_with_work(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f9"))
    assert sign_in("lead").get("/api/v1/gold").status_code == 200
    assert seen(store) == {("lead", "f1"), ("lead", "f2")}


def test_every_route_that_sends_what_a_job_made_counts_as_a_look_at_all_work() -> None:
    """A file of gold, an export or a release."""
    sending = ("jobs.download", "jobs.released", "jobs.whole_release", "v1.job_file", "v1.gold")
    assert {access(endpoint).work for endpoint in sending} == {Work.OF_ALL}


def test_feedback_is_recorded_for_its_annotator(home: Home, sign_in: SignIn, store: Store) -> None:
    """Zeb lacks a word on f1, which rev1 has decided."""
    settings = home.path / "campaign.toml"
    settings.write_text(settings.read_text("utf-8") + "\n[view]\nfeedback = true\n", encoding="utf-8")
    gold = (a_subfigure(tokens=(4, 6, 7)), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1", references=("See Fig 1.",)), subfigures=gold))
    people.add_person(store, ANNOTATORS[0], roles=[Role.ANNOTATOR], password=PASSWORD)
    zeb = sign_in(ANNOTATORS[0])
    assert zeb.get("/").status_code in (302, 403)
    assert seen(store) == {("rev1", "f1")}
    assert zeb.get("/feedback").status_code == 200
    assert seen(store) == {("rev1", "f1"), (ANNOTATORS[0], "f1")}


def test_a_page_is_shown_where_nothing_can_be_recorded(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise StoreError("campaign/store.sqlite: its disk is full")

    with store.read() as tx:
        monkeypatch.setattr(type(tx.seen), "add", full)
    assert client.get("/figures/f1").status_code == 200
    assert "not recorded that rev1 has seen others' work" in caplog.text
    assert seen(store) == set()
