"""The server's log: what is in a line, and what never is."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from flask import Flask
from web.asking import PASSWORD, a_draft, post_login, save, token_of
from web.conftest import SignIn

from annotator.accounts import invitations, people
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.app import logs
from panelwise.domain.campaign import Role
from panelwise.domain.errors import StoreError
from panelwise.runtime import reports
from panelwise.runtime.reports import record_fault
from prelabel.captions.parser import parse_caption

#: In what the tests send, and in no line.
SECRET = "hunter2-the-password"


@pytest.fixture
def kind() -> str:
    return "json"


class Written:
    """All that went to stderr since the test began."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured, self._before = captured, ""

    def getvalue(self) -> str:
        self._before += self._captured.readouterr().err
        return self._before


@pytest.fixture
def written(kind: str, capsys: pytest.CaptureFixture[str]) -> Iterator[Written]:
    """What is logged; the loggers are as before afterwards."""
    changed = (logging.getLogger(), logging.getLogger(logs.NAME), logging.getLogger(reports.FAULTS_LOGGER))
    before = [(each, each.handlers[:], each.level, each.propagate) for each in changed]
    logs.start(kind)
    yield Written(capsys)
    for logger, handlers, level, propagate in before:
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


def lines(written: Written) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_each_request_is_a_line_of_json(sign_in: SignIn, written: Written) -> None:
    answer = sign_in("").get("/health")
    (line,) = lines(written)
    assert line["message"] == "request"
    assert (line["method"], line["route"], line["status"]) == ("GET", "/health", 200)
    assert line["level"] == "info"
    assert 0 <= line["seconds"] < 60
    assert line["bytes"] == len(answer.data)
    assert line["time"].endswith("Z")
    assert line["request_id"] == answer.headers["X-Request-Id"]


def test_the_number_that_a_proxy_gave_goes_through(sign_in: SignIn, written: Written) -> None:
    answer = sign_in("").get("/nothing", headers={"X-Request-Id": "from-the-proxy.0001"})
    assert answer.headers["X-Request-Id"] == "from-the-proxy.0001"
    assert lines(written)[0]["request_id"] == "from-the-proxy.0001"


@pytest.mark.parametrize(
    "given", ["short", "x" * 65, 'forged"} {"level":"info', "two words here", ".hidden-number"]
)
def test_a_number_that_could_forge_a_line_is_replaced(sign_in: SignIn, written: Written, given: str) -> None:
    answer = sign_in("").get("/health", headers={"X-Request-Id": given})
    number = answer.headers["X-Request-Id"]
    assert len(number) == 32
    assert number != given
    assert lines(written)[0]["request_id"] == number


def test_every_request_has_a_number_of_its_own(sign_in: SignIn) -> None:
    client = sign_in("")
    assert len({client.get("/health").headers["X-Request-Id"] for _ in range(20)}) == 20


def test_a_fault_is_told_by_kind_and_place_and_the_page_leads_to_it(
    sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in("rev1")

    def broken(*_: object, **__: object) -> None:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise RuntimeError(f"{SECRET} of rev1") from error

    monkeypatch.setattr("annotator.store.queries.work.WorkQueries.of", broken)
    answer = client.get("/figures/f1")
    assert answer.status_code == 500
    fault = next(line for line in lines(written) if line["level"] == "error")
    assert fault["error"] == ["RuntimeError", "KeyError"]
    assert any(place.startswith("annotator/web/screens/figure.py:") for place in fault["at"])
    assert fault["route"] == "/figures/<figure:figure_id>"
    assert fault["request_id"] in answer.text
    assert SECRET not in written.getvalue()


def test_a_fault_before_anything_began_is_told_and_counted_too(
    app: Flask, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(app.session_interface, "open_session", broken)
    assert app.test_client().get("/health").status_code == 500
    fault = next(line for line in lines(written) if line["level"] == "error")
    assert fault["error"] == ["RuntimeError"]
    assert len(fault["request_id"]) == 32
    assert SECRET not in written.getvalue()


def test_a_database_that_fails_is_told_in_words(
    sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: Store) -> None:
        raise StoreError("store.sqlite: the disk is full; make room, then try again") from OSError(28, "full")

    client = sign_in("rev1")
    monkeypatch.setattr(Store, "read", broken)
    assert client.get("/").status_code == 503
    fault = next(line for line in lines(written) if line["level"] == "error")
    assert fault["message"] == "the store failed: store.sqlite: the disk is full; make room, then try again"
    assert fault["error"] == ["StoreError", "OSError"]


def test_an_error_that_names_somebody_is_told_without_its_words(
    sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: Store) -> None:
        raise StoreError('there is no person "Zebulon"; add them')

    client = sign_in("rev1")
    monkeypatch.setattr(Store, "read", broken)
    client.get("/")
    assert "Zebulon" not in written.getvalue()
    assert any(line["message"] == "a request failed" for line in lines(written))


def test_no_name_secret_address_or_figure_is_ever_logged(
    app: Flask, home: Home, store: Store, sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    people.add_person(store, "Wilhelmina", roles=[Role.ANNOTATOR], email="wilhelmina@example.org")
    link = invitations.invite(home, store, "Wilhelmina")
    client = sign_in("rev1")
    csrf = client.get("/api/figures/f1").get_json()["csrf"]
    save(client, a_draft(note=f"a note with {SECRET}"))
    client.get("/?q=Wilhelmina&annotator=Zebulon-Q")
    client.get(f"/welcome/{link}")
    client.post(f"/welcome/{link}", data={"password": SECRET})
    post_login(app.test_client(), "Wilhelmina", SECRET)
    client.get("/figures/a-figure-of-patient-77", headers={"User-Agent": "Agent-of-Wilhelmina"})
    client.get("/sign-ins?name=Wilhelmina")
    sign_in("lead").get("/feedback?annotator=Zebulon-Q", environ_base={"REMOTE_ADDR": "192.0.2.77"})
    monkeypatch.setattr(
        "annotator.store.queries.work.WorkQueries.of", lambda *_: (_ for _ in ()).throw(ValueError(SECRET))
    )
    assert client.get("/figures/f1?gold=Zebulon-Q&predicted=Yolanda-Q").status_code >= 400
    text = written.getvalue()
    assert text.count("\n") > 10
    cookie = client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    for held in (
        *(
            "rev1",
            "Wilhelmina",
            "wilhelmina@",
            "Zebulon",
            "Yolanda",
            SECRET,
            PASSWORD,
            "patient-77",
            '"f1"',
            "/f1",
        ),
        *("192.0.2.77", "127.0.0.1", link, csrf, cookie.value, token_of(client.get("/nothing").text)),
    ):
        assert held not in text, held


@pytest.mark.parametrize("kind", ["text"])
def test_as_text_each_request_is_a_line_for_people(sign_in: SignIn, written: Written, kind: str) -> None:
    sign_in("").get("/nothing-here")
    line = written.getvalue()
    assert line.count("\n") == 1
    assert " info request request_id=" in line
    assert "route=unknown status=404" in line


@pytest.mark.parametrize("kind", [""])
def test_unless_asked_for_only_faults_are_told(
    sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    client = sign_in("rev1")
    client.get("/")
    assert written.getvalue() == ""
    monkeypatch.setattr("annotator.store.queries.work.WorkQueries.of", lambda *_: 1 / 0)
    client.get("/figures/f1")
    assert "a request failed" in written.getvalue()
    assert "error=ZeroDivisionError" in written.getvalue()


def test_what_a_library_says_is_told_without_what_fills_it(written: Written) -> None:
    logging.getLogger("some.library").warning("refused %s", SECRET)
    logging.getLogger("some.library").info("no news")
    (line,) = lines(written)
    assert (line["logger"], line["message"], line["level"]) == ("some.library", "refused %s", "warning")


def test_a_log_that_cannot_be_written_stops_nobody(
    sign_in: SignIn, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(StringIO):
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    assert sign_in("").get("/health").status_code == 200


@pytest.mark.parametrize("kind", ["json", ""])
def test_a_fault_that_costs_one_figure_is_a_line_with_its_places_and_without_its_words(
    written: Written, kind: str
) -> None:
    try:
        parse_caption(None)  # type: ignore[arg-type]
    except AttributeError as error:
        record_fault(error)
    (line,) = written.getvalue().splitlines()
    assert "an item was left out by a fault of the program" in line
    assert "AttributeError" in line
    assert "prelabel/captions/parser.py:" in line
    assert "NoneType" not in line
