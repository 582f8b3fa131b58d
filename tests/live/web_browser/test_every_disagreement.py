"""One figure with every kind of disagreement at once, settled on the real page by keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Lend
from builders import a_figure, an_annotation
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Role
from panelwise.domain.figure import Figure

pytestmark = pytest.mark.live

CAPTION = "Fig 1. (A) left lung. (B) right lung. (C) the heart. (D) the liver. Bars in A and C: ten microns."
BOXES = {"A": (0, 0, 300, 250), "B": (320, 0, 620, 250), "C": (0, 300, 300, 550), "D": (320, 300, 620, 550)}
TEXTS = {"A": "left lung", "B": "right lung", "C": "the heart", "D": "the liver"}
#: Where one annotator saw a panel that is none.
STRAY = (660, 0, 790, 120)


def tokens(figure: Figure, text: str) -> frozenset[int]:
    start = CAPTION.index(text)
    inside = range(start, start + len(text))
    return frozenset(at for at, span in enumerate(figure.caption.tokens) if span.start in inside)


def part(figure: Figure, label: str, *, named: str = "", box: tuple[int, ...] = (), text: str = "") -> Subfigure:
    """A subfigure as it is in truth, but for what is given."""
    edges = map(float, box or BOXES[label])
    return Subfigure(named or label, Box(*edges), tokens(figure, text or TEXTS[label]))


def disagreeing(figure: Figure) -> list[tuple[Status, tuple[Subfigure, ...]]]:
    """What each annotator did: another text, box and label, a panel too few, one too many, the figure rejected."""
    shared = part(figure, "A"), part(figure, "B"), part(figure, "C"), part(figure, "D")
    longer = part(figure, "A", text="left lung. (B) right")
    smaller = part(figure, "B", box=(320, 0, 560, 220))
    stray = Subfigure("F", Box(*map(float, STRAY)), tokens(figure, "Bars"))
    return [
        (Status.ACCEPTED, (longer, *shared[1:])),
        (Status.ACCEPTED, (shared[0], smaller, part(figure, "C", named="E"), shared[3])),
        (Status.ACCEPTED, (*shared[:3], stray)),
        (Status.REJECTED, ()),
    ]


def test_every_kind_of_disagreement_is_settled_by_keys_alone(lend: Lend, tmp_path: Path) -> None:
    home = Home.create(tmp_path / "campaign", labels=tuple("ABCDEF"))
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    figure = a_figure("f1", caption=CAPTION, image="images/f.png")
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
            for number, (status, parts) in enumerate(disagreeing(figure)):
                tx.annotations.add(
                    an_annotation(figure, annotator=f"ann{number}", status=status, subfigures=parts)
                )
        score_disagreement(store, home.campaign)
        people.add_person(store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(lend, server, "rev1")
            page.keyboard.press("s")
            page.wait_for_url("**/figures/f1")
            page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
            page.wait_for_selector("#caption:focus")
            rows = page.locator(".aj-row.open")
            told = " / ".join(rows.all_inner_texts())
            for said in (
                "one of 4 annotators rejected the figure",
                "text differs: 2 tokens",
                "boxes differ",
                "labels differ: C, E",
                "one of 3 annotators has no box here",
                "2 of 3 annotators have no box here",
            ):
                assert said in told, (said, told)
            assert rows.count() == 6
            # Enter goes on to the next conflict and saves nothing; back to the first.
            page.keyboard.press("Enter")
            page.keyboard.press("k")
            assert page.url.endswith("/figures/f1")
            # The figure, A to D as most have them, and the panel that is none.
            for key in ("a", "a", "a", "a", "a", "r"):
                page.keyboard.press(key)
            assert rows.count() == 0
            page.keyboard.press("Enter")
            page.wait_for_url(server.url)
            assert problems == []
        with store.read() as tx:
            decision = tx.decisions.get("f1")
    assert decision is not None
    assert decision.status is Status.ACCEPTED
    kept = {each.label: (each.box.as_list(), each.subcaption) for each in decision.subfigures}
    assert kept == {label: (list(BOXES[label]), tokens(figure, TEXTS[label])) for label in TEXTS}
