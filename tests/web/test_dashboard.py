"""The lead's dashboard as a page."""

from __future__ import annotations

import os
import re
import socket
from datetime import UTC, datetime

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from web.asking import ANNOTATORS, PASSWORD, post_login, save
from web.conftest import SignIn

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.operations.running_parts import RunningParts, write_parts
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role, Task
from panelwise.runtime.supervisor import PartReport, PartState


def part(html: str, start: str, end: str) -> str:
    return html.split(start, 1)[1].split(end, 1)[0]


def cells(html: str) -> set[str]:
    return set(re.findall(r'<a class="cell" href="([^"]+)"', html))


def test_it_tells_progress_by_phase_and_person(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f2", ANNOTATORS[2], "1"), Task("f1", ANNOTATORS[2], "later")])
    html = sign_in("lead").get("/dashboard").text
    progress = part(html, 'id="progress"', "</table>")
    assert all(name in progress for name in ANNOTATORS)
    assert f'aria-label="1 of 2 figures done by {ANNOTATORS[2]}"' in progress
    assert 'aria-label="5 of 6 figures done in phase 1"' in progress
    assert 'aria-label="0 of 1 figures done in phase later"' in progress


def test_it_tells_batches_what_is_late_and_what_comes_next(home: Home, store: Store) -> None:
    (home.path / "campaign.toml").write_text(
        (home.path / "campaign.toml").read_text(encoding="utf-8")
        + '\n[[phases]]\nname = "weekly"\nbatch = 1\nbatch_deadlines = [2020-01-01T00:00:00Z]\n',
        encoding="utf-8",
    )
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "slow", "weekly"), Task("f2", "slow", "weekly", batch=2, released=False)])
    client = create_app(Home.find(home.path), store).test_client()
    assert post_login(client, "lead", PASSWORD).status_code == 302
    progress = part(client.get("/dashboard").text, 'id="progress"', "</table>")
    assert 'aria-label="0 of 2 figures done by slow"' in progress
    assert 'aria-label="0 of 1 tasks done in batch 2"' in progress
    assert re.search(r"due <time [^>]*>2020-01-01 00:00 UTC", progress)
    assert "overdue" in progress
    assert "<strong>Batch 2</strong> is due for release" in progress
    html = client.get("/dashboard").text
    assert "Batch 2 of phase weekly is due for release." in html
    assert "1 task of phase weekly is late: slow (1)." in html
    form = html.partition("is due for release.")[2].partition("</form>")[0]
    sent = dict(re.findall(r'name="(\w+)" value="([^"]+)"', form))
    assert client.post("/campaign/assignment/change", data=sent).status_code == 302
    assert "is due for release" not in client.get("/dashboard").text


def test_parts_of_annotator_up_that_ended_come_first(sign_in: SignIn, home: Home) -> None:
    lead = sign_in("lead")
    assert "Label Studio ended" not in lead.get("/dashboard").text
    ended = PartReport("Label Studio", PartState.DOWN, 1, 1, datetime.now(UTC), "<no port>")
    write_parts(home.path, RunningParts(os.getpid(), "http://127.0.0.1:8090/", (ended,)))
    notice = part(lead.get("/dashboard").text, 'inline problem"', "</div>")
    assert "Label Studio ended at" in notice
    assert "Its last line: &lt;no port&gt;" in notice


def test_a_label_studio_that_does_not_answer_comes_first_and_every_problem_has_a_button(
    sign_in: SignIn, home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", "1")])
    ended = PartReport("synchronization", PartState.DOWN, 1, 1, datetime.now(UTC), "no port")
    write_parts(home.path, RunningParts(os.getpid(), "http://127.0.0.1:8090/", (ended,)))
    lead = sign_in("lead")
    assert "cannot be reached" not in lead.get("/dashboard").text
    with socket.socket() as taken:  # and nobody listens there
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("LABEL_STUDIO_URL", address)
        problems = lead.get("/dashboard").text.split('inline problem"')[1:]
    assert f"Label Studio at {address} cannot be reached" in problems[0]
    assert 'href="/campaign/settings"' in problems[0]
    assert len(problems) >= 3
    assert all('class="button"' in each.partition("</div>")[0] for each in problems)


def test_a_decision_is_on_it_at_once(sign_in: SignIn, store: Store) -> None:
    lead = sign_in("lead")
    assert "No adjudicated figures yet" in lead.get("/dashboard").text
    assert save(sign_in("rev1")).status_code == 200
    html = lead.get("/dashboard").text
    assert 'title="rev1"' in part(html, 'id="reviewers"', "</table>")
    assert '<data class="number" value="12.5">' in html
    assert "1 open" in html


def test_its_matrix_is_that_of_the_agreement_page_and_leads_to_slices(sign_in: SignIn) -> None:
    lead = sign_in("lead")
    dashboard, agreement = lead.get("/dashboard").text, lead.get("/agreement").text
    assert part(dashboard, 'id="matrix"', "</table>") == part(agreement, 'id="matrix"', "</table>")
    assert len(cells(dashboard)) == 6
    for address in cells(dashboard):
        assert lead.get(address.replace("&amp;", "&")).status_code == 200


def test_a_count_leads_to_these_figures_in_the_queue(sign_in: SignIn) -> None:
    lead = sign_in("lead")
    links = re.findall(r'href="([^"]+)" title="These figures in the queue">([^<]+)<', lead.get("/dashboard").text)
    assert len(links) == 1 + len(ANNOTATORS)
    for link, shown in links[1:]:
        page = lead.get(link.replace("&amp;", "&"))
        assert page.status_code == 200
        assert page.text.count('<td class="figure">') == int(shown.split()[0])


def test_names_are_in_no_address(sign_in: SignIn) -> None:
    html = sign_in("lead").get("/dashboard").text
    assert not any(name in link for link in re.findall(r'href="([^"]*)"', html) for name in ANNOTATORS)
    feedback = re.findall(r'href="(/feedback\?[^"]*)"', html)
    assert len(feedback) == len(ANNOTATORS)


def test_a_name_leads_to_that_persons_feedback(sign_in: SignIn, store: Store) -> None:
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2")))
    lead = sign_in("lead")
    html = lead.get("/dashboard").text
    link = re.search(rf'href="(/feedback\?[^"]*)" title="{ANNOTATORS[0]}"', html)
    assert link is not None
    assert f"<h1>{ANNOTATORS[0]} compared to gold</h1>" in lead.get(link[1].replace("&amp;", "&")).text


def test_failed_sign_ins_are_told_and_lead_to_them(sign_in: SignIn) -> None:
    lead = sign_in("lead")
    assert "failed in" not in lead.get("/dashboard").text
    stranger = sign_in("")
    stranger.post("/login", data={"name": "x"})  # without a seal: no attempt at all
    assert "failed in" not in lead.get("/dashboard").text
    post_login(stranger, "rev1", "wrong")
    html = lead.get("/dashboard").text
    assert '<span class="muted">(1 failed in 7 days)</span>' in html  # no alarm: people mistype
    assert 'href="/sign-ins?failed=1"' in html


@pytest.mark.parametrize("phase", ["9", "", "<script>"])
def test_an_unknown_phase_is_told(sign_in: SignIn, phase: str) -> None:
    answer = sign_in("lead").get("/dashboard", query_string={"phase": phase})
    assert answer.status_code == 404
    assert "<script>" not in answer.text


def test_while_the_agreement_is_measured_the_rest_is_there(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.dashboards.live_agreement.LiveAgreement.of", lambda *_, **__: (None, False))
    answer = sign_in("lead").get("/dashboard")
    assert answer.status_code == 200
    assert "is being computed" in answer.text
    assert 'id="progress"' in answer.text


def test_names_are_shown_as_text(sign_in: SignIn, store: Store) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    with store.transaction() as tx:
        for name in (evil, "{{ 7 * 7 }}"):
            tx.annotations.add(
                an_annotation(a_figure("f1"), annotator=name, phase=evil, subfigures=(a_subfigure(),))
            )
    html = sign_in("lead").get("/dashboard").text
    assert "<img src=x" not in html
    assert "{{ 7 * 7 }}" in html


def test_an_empty_campaign_says_how_to_begin(home: Home, sign_in: SignIn, store: Store) -> None:
    empty = Home.create(home.path.parent / "empty")
    with empty.open_store() as other:
        accounts.add_person(other, "first", roles=[Role.LEAD], password=PASSWORD)
        client = create_app(empty, other).test_client()
        post_login(client, "first", PASSWORD)
        html = client.get("/dashboard").text
    assert 'href="/campaign/assignment"' in html
    assert "No annotations in phase 1 yet" in html
