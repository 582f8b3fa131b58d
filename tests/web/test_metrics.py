"""What Prometheus is told, and who may ask."""

from __future__ import annotations

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from web.asking import PASSWORD, post_login, save
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.api import metrics
from annotator.web.factory import create_app
from panelwise.domain.errors import StoreError

TOKEN = "a token of the one who scrapes"


def numbers(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Name and labels -> value; raises where Prometheus could not read it."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: dict[tuple[str, frozenset[tuple[str, str]]], float], name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


@pytest.fixture(autouse=True)
def _asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "CACHED_SECONDS", 0.0)


def scrape(app: Flask) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = app.test_client().get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain")
    return numbers(answer.text)


def test_requests_are_counted_by_route_and_status(app: Flask, sign_in: SignIn) -> None:
    client = sign_in("rev1")
    before = scrape(app)
    client.get("/figures/f1")
    client.get("/figures/f2")
    client.get("/figures/not-there")
    after = scrape(app)
    route = {"method": "GET", "route": "/figures/<figure:figure_id>"}
    for status, more in (("200", 2), ("404", 1)):
        labels = {**route, "status": status}
        counted = value(after, "panelwise_requests_total", **labels)
        assert counted - value(before, "panelwise_requests_total", **labels) == more
    took = value(after, "panelwise_request_seconds_count", **route)
    assert took - value(before, "panelwise_request_seconds_count", **route) == 3
    assert value(after, "panelwise_request_seconds_bucket", **route, le="+Inf") == took
    assert value(after, "panelwise_requests_under_way") == 1  # the scrape itself


def test_what_a_stranger_makes_up_makes_no_new_numbers(app: Flask) -> None:
    client = app.test_client()
    for number in range(20):
        client.get(f"/made/up/{number}")
        client.open("/login", method=f"MADE{number}")
    found = [labels for name, labels in scrape(app) if name == "panelwise_requests_total"]
    assert len(found) <= 4
    assert not any("made" in str(labels).lower() for labels in found)


def test_decisions_and_the_queue_are_those_of_the_store(app: Flask, sign_in: SignIn) -> None:
    before = scrape(app)
    assert value(before, "panelwise_queue_figures", state="open") == 2
    assert value(before, "panelwise_decisions_total", status="accepted") == 0
    assert save(sign_in("rev1")).status_code == 200
    after = scrape(app)
    assert value(after, "panelwise_decisions_total", status="accepted") == 1
    assert value(after, "panelwise_queue_figures", state="open") == 1
    assert value(after, "panelwise_queue_figures", state="decided") == 1
    assert value(after, "panelwise_figures") == 2
    assert value(after, "panelwise_annotations") == 5
    assert value(after, "panelwise_store_up") == 1


def test_a_store_that_does_not_answer_is_a_number_too(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: Store) -> None:
        raise StoreError("store.sqlite: the disk is full; make room, then try again")

    monkeypatch.setattr(Store, "read", broken)
    found = scrape(app)
    assert value(found, "panelwise_store_up") == 0
    assert not any(name == "panelwise_figures" for name, _ in found)
    assert value(found, "panelwise_requests_under_way") == 1


def test_the_store_is_not_asked_at_each_scrape(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "CACHED_SECONDS", 600.0)
    scrape(app)
    monkeypatch.setattr(Store, "read", lambda _self: pytest.fail("the store was asked again"))
    assert value(scrape(app), "panelwise_figures") == 2


def test_no_number_names_anybody(app: Flask, sign_in: SignIn) -> None:
    sign_in("rev1").get("/figures/f1")
    post_login(app.test_client(), "Zebulon-Q", PASSWORD)
    text = app.test_client().get("/metrics").text
    for name in ("rev1", "Zebulon", 'f1"', "127.0.0.1"):
        assert name not in text


@pytest.mark.parametrize(
    ("address", "host", "https", "code"),
    [
        ("127.0.0.1", "127.0.0.1:8090", False, 200),
        ("127.0.0.1", "localhost:8090", False, 200),
        ("::1", "[::1]:8090", False, 200),
        ("192.0.2.7", "127.0.0.1:8090", False, 403),
        # A proxy on this machine hands on what strangers ask by its public name.
        ("127.0.0.1", "panelwise.example.org", False, 403),
        ("127.0.0.1", "127.0.0.1:8090", True, 403),
    ],
)
def test_without_a_token_only_this_machine_may_ask(
    home: Home, store: Store, address: str, host: str, https: bool, code: int
) -> None:
    client = create_app(home, store, https=https).test_client()
    answer = client.get("/metrics", headers={"Host": host}, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == code
    assert ("panelwise_store_up" in answer.text) == (code == 200)


@pytest.mark.parametrize("address", ["127.0.0.1", "192.0.2.7"])
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Bearer {TOKEN}x", 403),
        ("Bearer ", 403),
        (f"Basic {TOKEN}", 403),
        ("Bearer \u00e9", 403),
        ("", 403),
    ],
)
def test_with_a_token_whoever_knows_it_may_ask_and_nobody_else(
    home: Home, store: Store, address: str, given: str, code: int
) -> None:
    client = create_app(home, store, https=True, metrics_token=TOKEN).test_client()
    answer = client.get("/metrics", headers={"Authorization": given}, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == code
