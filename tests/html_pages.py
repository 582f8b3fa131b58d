"""What tests ask of an HTML page, and campaigns to make pages of."""

from __future__ import annotations

import base64
import hashlib
import random
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from builders import a_figure, a_subfigure, an_annotation

from panelwise.domain.annotation import Annotation, Status, Subfigure

VOID = {"meta", "link", "br", "img", "input", "hr"}
#: Drawn without an end tag of their own, or with one: SVG's self-closing elements.
ADDRESSES = ("href", "src", "srcset", "action", "data", "poster", "xlink:href", "formaction", "background")


@dataclass
class Page(HTMLParser):
    """A page taken apart. numbers: exact value -> text of each number outside the cards of worst figures."""

    numbers: list[tuple[float, str]] = field(default_factory=list)
    card_numbers: list[tuple[float, str]] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: str = ""
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._value: float | None = None

    @classmethod
    def of(cls, html: str) -> Page:
        page = cls()
        page.feed(html)
        page.close()
        page.problems += [f"{tag} is not closed" for tag in page._open]
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if len(given) != len(attrs):
            self.problems.append(f"{tag} has an attribute twice")
        self.tags.append((tag, given))
        self.addresses += [given[name] for name in ADDRESSES if name in given]
        if tag == "data":
            self._value = float(given["value"])
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")
        if tag == "data":
            self._value = None

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if self._value is not None:
            (self.card_numbers if "article" in self._open else self.numbers).append((self._value, data))

    def all(self, tag: str) -> list[dict[str, str]]:
        return [given for name, given in self.tags if name == tag]


def check_page(html: str, *, view: str | None = None) -> Page:
    """A page that is well formed, self-contained and fit for its own policy. Returns it taken apart."""
    page = Page.of(html)
    assert page.problems == []
    assert html.startswith("<!doctype html>\n<html lang=")
    assert html.endswith("</html>\n")
    for address in page.addresses:
        inner = address.startswith("#") or re.fullmatch(r"data:(image/jpeg;base64,[A-Za-z0-9+/=]+|,)", address)
        assert inner or (view is not None and address.startswith(view)), address[:80]
    assert not re.search(r"url\(|@import|expression\(", html.split("</style>")[0])
    assert not page.all("script")
    assert not [
        given for _, given in page.tags if "style" in given or any(name.startswith("on") for name in given)
    ]
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [each["content"] for each in page.all("meta") if "http-equiv" in each]
    assert policy == f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'"
    ids = [given["id"] for _, given in page.tags if "id" in given]
    assert len(ids) == len(set(ids))
    pointed = [address[1:] for address in page.addresses if address.startswith("#")]
    pointed += [given["aria-labelledby"] for _, given in page.tags if "aria-labelledby" in given]
    assert set(pointed) <= set(ids)
    for tag, given in page.tags:
        if tag == "svg":
            assert given.get("aria-hidden") == "true" or (given.get("role") == "img" and given.get("aria-label"))
        if tag == "th":
            assert given.get("scope") in ("row", "col", "colgroup")
    assert len(page.all("table")) == len(page.all("caption"))
    assert len(page.all("h1")) == 1
    for value, text in [*page.numbers, *page.card_numbers]:
        shown = float(text.replace("−", "-"))
        assert abs(shown - value) <= 0.0005 + 1e-12, (value, text)
        assert min(abs(value), abs(value - 1.0)) < 1e-6 or shown not in (0.0, 1.0)
    return page


def numbers_in(record: object) -> set[float]:
    """Every number of a JSON record."""
    if isinstance(record, bool) or record is None or isinstance(record, str):
        return set()
    if isinstance(record, int | float):
        return {float(record)}
    parts = record.values() if isinstance(record, dict) else record
    return {number for part in parts for number in numbers_in(part)}


def a_campaign(
    figures: int, *, seed: int = 0, names: tuple[str, ...] = ("ann1", "ann2", "ann3")
) -> list[Annotation]:
    """Annotators who differ in boxes and words, here and there; some figures rejected, some seeded."""
    draw = random.Random(seed)
    found = []
    for number in range(figures):
        figure = a_figure(f"fig-{number:03}", caption="Fig: " + " ".join(f"word{n}" for n in range(40)))
        for name in names:
            panels = []
            for place in range(4):
                left, top = 400 * (place % 2), 300 * (place // 2)
                shift = draw.choice([0, 0, 5, 60, 240])
                box = (left, top, left + 400 - shift, top + 300)
                others = draw.sample(range(2, 40), draw.choice([0, 0, 2]))
                words = set(range(2 + 9 * place, 11 + 9 * place)).symmetric_difference(others)
                panels.append(a_subfigure("ABCD"[place], box=box, tokens=words))
            kept: tuple[Subfigure, ...] = tuple(panels[: draw.choice([4, 4, 4, 3])])
            found.append(
                an_annotation(
                    figure,
                    annotator=name,
                    subfigures=kept,
                    status=draw.choice([Status.ACCEPTED] * 9 + [Status.REJECTED]),
                    minutes=1440 * number,
                    seeded_by=draw.choice([None, None, None, "model-1"]),
                )
            )
    return found
