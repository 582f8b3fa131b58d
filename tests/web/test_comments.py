"""Comments on a figure: who reads them on which side, under which names, and never across a blind line."""

from __future__ import annotations

import os

import pytest
from builders import NOON
from flask.testing import FlaskClient
from web.asking import PASSWORD, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.adjudication.messages.comments import COMMENTS_SHOWN, LONGEST_COMMENT, MOST_COMMENTS
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role, Task
from panelwise.settings.campaign_toml import FILE_NAME

PHASES = """
[[phases]]
name = "own"
annotate_in = "panelwise"

[[phases]]
name = "blind"
blind = true
given = "gold"
"""
#: Nothing else on any page holds it.
WORDS = "Does B reach the colour bar?"


@pytest.fixture
def home(home: Home) -> Home:
    """f1 and f2 are ada's and bea's; rev2 annotates f1 blind, and cy, who has a task on f1 too."""
    file = home.path / FILE_NAME
    file.write_text(file.read_text(encoding="utf-8") + PHASES, encoding="utf-8")
    home = Home.find(home.path)
    with home.open_store() as store:
        for name in ("ada", "bea", "cy"):
            people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            tx.tasks.add([Task(figure, name, "own") for name in ("ada", "bea") for figure in ("f1", "f2")])
            tx.tasks.add([Task("f1", "cy", "own"), Task("f1", "rev2", "blind"), Task("f1", "cy", "blind")])
    return home


def own(home: Home, name: str = "ada", figure: str = "f1") -> str:
    return f"/api/tasks/{TaskKeys(home.secret()).of(Task(figure, name, 'own'))}"


def write(client: FlaskClient, address: str, body: str = WORDS, **more: object) -> TestResponse:
    csrf = token_of(client.get("/account").text)
    return client.post(f"{address}/comments", json={"body": body, **more}, headers={"X-CSRFToken": csrf})


def read(client: FlaskClient, address: str) -> list[list[tuple[str, str]]]:
    """Each thread as lines of author and text; marked as read, as the screen does once it shows them."""
    answer = client.get(f"{address}/comments")
    assert answer.status_code == 200, answer.text
    threads, last = answer.get_json()["threads"], answer.get_json()["last"]
    assert mark_read(client, address, {"last": last}).status_code == 200
    return [[(each["author"], each["body"]) for each in thread["comments"]] for thread in threads]


def mark_read(client: FlaskClient, address: str, shown: object) -> TestResponse:
    csrf = token_of(client.get("/account").text)
    return client.post(f"{address}/comments/read", json=shown, headers={"X-CSRFToken": csrf})


def unread(client: FlaskClient, address: str) -> int:
    return int(client.get(address).get_json()["comments"]["unread"])


def submit(client: FlaskClient, home: Home, name: str) -> None:
    draft = {
        "version": 0,
        "status": "rejected",
        "based_on": [],
        "note": "Blurred.",
        "subfigures": [],
        "seconds": 1,
    }
    csrf = token_of(client.get("/account").text)
    answer = client.post(f"{own(home, name)}?revision=1", json=draft, headers={"X-CSRFToken": csrf})
    assert answer.status_code == 200, answer.text


@pytest.mark.slow
def test_an_annotator_asks_a_reviewer_answers_and_each_sees_what_is_new(sign_in: SignIn, home: Home) -> None:
    ada, client = sign_in("ada"), sign_in("rev1")
    assert write(ada, own(home)).status_code == 200
    assert ada.get(own(home)).get_json()["comments"]["unread"] == 0
    queue = client.get("/?show=all").text
    assert 'id="unread"' in queue
    assert queue.count("1 new comment<") == 1
    shown = client.get("/api/figures/f1").get_json()["comments"]
    assert shown == {"url": "/api/figures/f1/comments", "unread": 1}
    assert read(client, "/api/figures/f1") == [[("An annotator", WORDS)]]
    assert client.get("/api/figures/f1").get_json()["comments"]["unread"] == 0
    assert "new comment" not in client.get("/?show=all").text

    assert write(client, "/api/figures/f1", "Yes.", thread=1).status_code == 200
    assert "1 new comment<" in ada.get("/tasks").text
    assert ada.get(own(home)).get_json()["comments"]["unread"] == 1
    assert read(ada, own(home)) == [[("You", WORDS), ("Reviewer", "Yes.")]]
    assert "new comment" not in ada.get("/tasks").text
    assert read(client, "/api/figures/f1") == [[("An annotator", WORDS), ("You", "Yes.")]]


@pytest.mark.slow
def test_reviewers_begin_threads_with_an_annotator_or_among_themselves(sign_in: SignIn, home: Home) -> None:
    ada, bea, client, lead = (sign_in(name) for name in ("ada", "bea", "rev1", "lead"))
    submit(ada, home, "ada")
    parties = client.get("/api/figures/f1/comments").get_json()["parties"]
    assert parties[0] == {"key": "", "name": "Reviewers"}
    (party,) = parties[1:]
    assert party["name"].startswith("Annotator ")
    assert write(client, "/api/figures/f1", WORDS, recipient=party["key"]).status_code == 200
    assert write(client, "/api/figures/f1", "Between us.").status_code == 200
    assert read(ada, own(home)) == [[("Reviewer", WORDS)]]
    assert read(bea, own(home, "bea")) == []
    assert read(lead, "/api/figures/f1") == [[("rev1", WORDS)], [("rev1", "Between us.")]]
    # The annotator may answer in their own thread only.
    assert write(ada, own(home), "I see.", thread=1).status_code == 200
    assert write(ada, own(home), "I see.", thread=2).status_code == 422
    assert write(ada, own(home), "I see.", recipient=party["key"]).status_code == 422
    assert read(lead, "/api/figures/f1")[0] == [("rev1", WORDS), (party["name"], "I see.")]
    threads = lead.get("/api/figures/f1/comments").text
    assert '"ada"' not in threads  # three letters of a key may spell it


def test_annotators_never_read_each_others_comments(sign_in: SignIn, home: Home) -> None:
    ada, bea = sign_in("ada"), sign_in("bea")
    write(ada, own(home))
    assert read(bea, own(home, "bea")) == []
    assert write(bea, own(home, "bea"), "And?", thread=1).status_code == 422
    # Another's key is nobody's task; the reviewers' address is not for annotators.
    assert bea.get(f"{own(home)}/comments").status_code == 404
    assert write(bea, own(home)).status_code == 404
    assert bea.get("/api/figures/f1/comments").status_code == 403
    assert mark_read(bea, own(home), {"last": 1}).status_code == 404
    assert mark_read(bea, "/api/figures/f1", {"last": 1}).status_code == 403
    assert "new comment" not in bea.get("/tasks").text


def test_comments_are_read_once_a_screen_says_that_it_showed_them(sign_in: SignIn, home: Home) -> None:
    ada, client, address = sign_in("ada"), sign_in("rev1"), "/api/figures/f1"
    write(ada, own(home))
    write(ada, own(home), "And C?", thread=1)
    client.get(f"{address}/comments")
    assert unread(client, address) == 2
    for shown in ({}, {"last": "1"}, {"last": 1, "person": "lead"}, []):
        assert mark_read(client, address, shown).status_code == 422
    assert mark_read(client, address, {"last": 1}).status_code == 200
    assert unread(client, address) == 1
    mark_read(client, address, {"last": 2})
    # The answer to what was read earlier may come later.
    mark_read(client, address, {"last": 1})
    assert unread(client, address) == 0
    assert unread(sign_in("lead"), address) == 2


def test_who_annotates_and_reviews_a_figure_has_read_what_either_screen_showed(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ada", frozenset({Role.ANNOTATOR, Role.REVIEWER})))
    both, client, reviewing, task = sign_in("ada"), sign_in("rev1"), "/api/figures/f1", own(home)
    write(client, reviewing, "Between us.")
    write(sign_in("bea"), own(home, "bea"))
    with store.transaction() as tx:
        tx.comments.add("f1", "ada", "rev1", "Is this yours?", NOON, thread=None)
    assert (unread(both, reviewing), unread(both, task)) == (3, 1)
    assert read(both, task) == [[("Reviewer", "Is this yours?")]]
    assert (unread(both, reviewing), unread(both, task)) == (2, 0)
    assert "new comment" not in both.get("/tasks").text
    assert "2 new comments<" in both.get("/?show=all").text
    write(client, reviewing, "Well?", thread=3)
    assert (unread(both, reviewing), unread(both, task)) == (3, 1)
    assert len(read(both, reviewing)) == 3
    assert (unread(both, reviewing), unread(both, task)) == (0, 0)


@pytest.mark.slow
def test_a_blind_reviewer_learns_nothing_of_comments_until_the_work_is_handed_in(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    ada, blind = sign_in("ada"), sign_in("rev2")
    write(ada, own(home))
    write(sign_in("rev1"), "/api/figures/f1", "Between us.")
    assert blind.get("/api/figures/f1/comments").status_code == 403
    assert write(blind, "/api/figures/f1").status_code == 403
    assert mark_read(blind, "/api/figures/f1", {"last": 9}).status_code == 403
    for address in ("/", "/?show=all", "/?q=lung", "/blind", "/api/figures/f2", "/figures/f2", "/tasks"):
        page = blind.get(address).text
        assert "new comment" not in page
        assert 'id="unread"' not in page
        assert WORDS not in page
    with store.transaction() as tx:
        tx.tasks.remove([Task("f1", "rev2", "blind")])
    assert read(blind, "/api/figures/f1") == [[("An annotator", WORDS)], [("rev1", "Between us.")]]


def test_an_annotator_who_does_the_figure_blind_as_well_has_no_comments_on_it(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    cy = sign_in("cy")
    with store.transaction() as tx:
        tx.comments.add("f1", "cy", "rev1", WORDS, NOON, thread=None)
    assert cy.get(own(home, "cy")).get_json()["comments"] is None
    assert cy.get(f"{own(home, 'cy')}/comments").status_code == 403
    assert write(cy, own(home, "cy")).status_code == 403
    assert "new comment" not in cy.get("/tasks").text


@pytest.mark.parametrize(
    ("setting", "annotator", "reviewer", "lead"),
    [
        ("comments = []", 404, 404, 404),
        ('comments = ["lead"]', 404, 404, 200),
        ('comments = ["reviewer", "lead"]', 404, 200, 200),
        ('comments = ["annotator", "lead"]', 200, 404, 200),
        ("", 200, 200, 200),
    ],
)
@pytest.mark.slow
def test_the_campaign_says_which_roles_comment(
    home: Home, sign_in: SignIn, setting: str, annotator: int, reviewer: int, lead: int
) -> None:
    text = (home.path / FILE_NAME).read_text(encoding="utf-8")
    (home.path / FILE_NAME).write_text(f"{setting}\n{text}", encoding="utf-8")
    os.utime(home.path / FILE_NAME, (0, 0))  # not just changed: then every figure is hidden
    for name, address, wanted in (
        ("ada", own(home), annotator),
        ("rev1", "/api/figures/f1", reviewer),
        ("lead", "/api/figures/f1", lead),
    ):
        client = sign_in(name)
        assert client.get(f"{address}/comments").status_code == wanted, name
        assert write(client, address).status_code == wanted, name
        assert (client.get(address).get_json()["comments"] is not None) == (wanted == 200)
    parties = sign_in("lead").get("/api/figures/f1/comments").get_json().get("parties", [])
    assert all(each["key"] == "" for each in parties) or annotator == 200


@pytest.mark.parametrize(
    "comment",
    [
        {"body": "  "},
        {"body": "x" * (LONGEST_COMMENT + 1)},
        {"body": "x", "thread": 7},
        {"body": "x", "recipient": "a0"},
        {"body": "x", "author": "rev2"},
        {"thread": 1},
        [],
    ],
)
@pytest.mark.slow
def test_what_is_no_comment_is_refused(client: FlaskClient, home: Home, store: Store, comment: object) -> None:
    csrf = token_of(client.get("/account").text)
    answer = client.post("/api/figures/f1/comments", json=comment, headers={"X-CSRFToken": csrf})
    assert answer.status_code == 422
    with store.read() as tx:
        assert tx.comments.last() == 0


def test_comments_come_in_pages_and_are_limited(sign_in: SignIn, home: Home, store: Store) -> None:
    """20,000 comments made an answer of 83 MB."""
    ada, client, address = sign_in("ada"), sign_in("rev1"), "/api/figures/f1"
    with store.transaction() as tx:
        for number in range(MOST_COMMENTS - 1):
            tx.comments.add("f1", "ada", "rev1", f"{number}", NOON, thread=1 if number else None)
    for reader, where in ((client, address), (ada, own(home))):
        seen: list[str] = []
        before = ""
        for size in (COMMENTS_SHOWN,) * 4 + (COMMENTS_SHOWN - 1,):
            page = reader.get(f"{where}/comments{before}").get_json()
            (thread,) = page["threads"]
            assert (thread["id"], len(thread["comments"])) == (1, size)
            seen = [each["body"] for each in thread["comments"]] + seen
            before = f"?before={page['earlier']}"
        assert page["earlier"] is None
        assert seen == [str(number) for number in range(MOST_COMMENTS - 1)]
    # An answer to a thread that is not on the page, and then no more; all can still be read.
    assert write(ada, own(home), "Thanks.", thread=1).status_code == 200
    for reader, where in ((client, address), (ada, own(home))):
        refused = write(reader, where, "More.", thread=1)
        assert (refused.status_code, refused.get_json()["error"]) == (
            422,
            f"this figure has {MOST_COMMENTS} comments, the most that a figure may have",
        )
    assert write(client, "/api/figures/f2").status_code == 200
    assert unread(ada, own(home)) == MOST_COMMENTS - 1
    mark_read(ada, own(home), {"last": MOST_COMMENTS})
    assert unread(ada, own(home)) == 0
