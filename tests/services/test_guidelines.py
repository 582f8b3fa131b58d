"""The campaign's guidelines: what their Markdown becomes, and what of it never gets through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.campaign import guidelines
from annotator.campaign.guidelines import Element, blocks
from annotator.campaign.home import Home
from panelwise.domain.errors import FormatError


def elements(pieces: Any) -> list[Element]:
    """All elements among the pieces, however deep."""
    found = [piece for piece in pieces if isinstance(piece, Element)]
    return found + [inner for each in found for inner in elements(each.children)]


def text(pieces: Any) -> str:
    """All text among the pieces."""
    return "".join(piece if isinstance(piece, str) else text(piece.children) for piece in pieces)


#: Every construct of Markdown, and what the front end's tests draw of it.
EVERY_CONSTRUCT = Path(__file__).parents[2] / "annotator/web/frontend/tests/guidelines.md"


def test_every_element_is_sent_with_its_children_also_an_empty_one() -> None:
    sent = msgspec.to_builtins(blocks(EVERY_CONSTRUCT.read_text(encoding="utf-8")))
    empty = {each["tag"] for each in _sent_elements(sent) if not each["children"]}
    assert {"hr", "br", "td", "li", "h1", "blockquote"} <= empty
    assert {each["tag"] for each in _sent_elements(sent)} == guidelines._KINDS


def test_the_front_ends_tests_draw_what_the_server_sends() -> None:
    """Where it fails: write `msgspec.json.format` of `{"blocks": blocks(text)}` to the JSON file."""
    sent = msgspec.to_builtins(blocks(EVERY_CONSTRUCT.read_text(encoding="utf-8")))
    drawn = json.loads(EVERY_CONSTRUCT.with_suffix(".json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps({"blocks": sent})) == drawn


def _sent_elements(pieces: Any) -> list[dict[str, Any]]:
    """All elements among the pieces as the screen gets them."""
    found = [piece for piece in pieces if isinstance(piece, dict)]
    return found + [inner for each in found for inner in _sent_elements(each["children"])]


def test_a_link_without_text_shows_its_address() -> None:
    made = blocks("[](https://example.org/a)")
    assert elements(made)[1] == Element("a", ("https://example.org/a",), "https://example.org/a")


def test_markdown_becomes_nested_pieces() -> None:
    assert blocks("# Spans\n\nTake *one* span\nwhere it **can** be.") == (
        Element("h1", ("Spans",)),
        Element(
            "p",
            ("Take ", Element("em", ("one",)), " span", " ", "where it ", Element("strong", ("can",)), " be."),
        ),
    )


def test_lists_tables_and_code_keep_their_shape() -> None:
    made = blocks("3. a\n4. b\n\n| x | y |\n|--:|---|\n| 1 | 2 |\n\n    a < b\n")
    assert made[0] == Element("ol", (Element("li", ("a",)), Element("li", ("b",))), start=3)
    head = next(each for each in elements(made) if each.tag == "thead")
    assert head.children == (Element("tr", (Element("th", ("x",), align="right"), Element("th", ("y",)))),)
    assert made[2] == Element("pre", (Element("code", ("a < b\n",)),))


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=alert(1)>b</b>",
        "<!-- hidden -->",
        "<iframe src=//x></iframe>",
    ],
)
def test_markup_in_the_file_is_text(hostile: str) -> None:
    made = blocks(hostile)
    assert {each.tag for each in elements(made)} <= {"p"}
    assert text(made) == hostile


@pytest.mark.parametrize(
    "target",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/users"],
)
def test_links_lead_to_the_web_or_to_mail_only(target: str) -> None:
    made = blocks(f"[here]({target}) and <{target}>")
    assert not any(each.tag == "a" for each in elements(made))
    assert "here" in text(made)


def test_a_link_to_the_web_stays_and_an_image_is_told_by_its_text() -> None:
    made = blocks("[rules](https://example.org/a) ![a fig](https://example.org/b.png)")
    assert elements(made)[1] == Element("a", ("rules",), "https://example.org/a")
    assert text(made) == "rules [a fig]"


@given(st.text(alphabet=st.sampled_from("ab <>[]()!*_`#|-:/&\"'\n\\~1."), max_size=120))
def test_nothing_but_known_elements_comes_out_whatever_the_file_says(markdown: str) -> None:
    made = blocks(markdown)
    for each in elements(made):
        assert each.tag in guidelines._KINDS
        assert (each.tag == "a") == bool(each.href)
        assert each.href == "" or each.href.lower().startswith(("http://", "https://", "mailto:"))
        assert each.align in {"", "left", "right", "center"}
    assert msgspec.json.decode(msgspec.json.encode(made)) is not None


def test_a_campaign_without_the_file_has_none_and_one_with_it_tells_its_version(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "c")
    assert not guidelines.present(home)
    assert guidelines.guidelines(home) is None
    (home.path / "guidelines.md").write_text("\ufeffOne span.", encoding="utf-8")
    found = guidelines.guidelines(home)
    assert guidelines.present(home)
    assert found is not None
    assert (found.version, found.blocks) == (home.campaign.guideline, (Element("p", ("One span.",)),))


def test_a_file_that_is_no_text_or_too_long_is_told_without_its_path(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "c")
    (home.path / "guidelines.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match=r"^guidelines\.md: is not UTF-8"):
        guidelines.guidelines(home)
    (home.path / "guidelines.md").write_text("a" * (guidelines.LONGEST + 1))
    with pytest.raises(FormatError, match=r"^guidelines\.md: has 200,001 characters"):
        guidelines.guidelines(home)


@pytest.mark.parametrize("target", ["secret.key", "store.sqlite", "../outside.md", "../outside.key"])
def test_a_link_to_anything_but_a_markdown_file_of_the_home_is_not_shown(tmp_path: Path, target: str) -> None:
    home = Home.create(tmp_path / "home")
    (tmp_path / "outside.md").write_text("outside")
    (tmp_path / "outside.key").write_text("outside")
    (home.path / "guidelines.md").symlink_to(target)
    with pytest.raises(FormatError, match=r"is a link to .* which is not a Markdown file of the home"):
        guidelines.guidelines(home)


def test_a_link_to_another_markdown_file_of_the_home_is_shown(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home")
    (home.path / "v2.md").write_text("two", encoding="utf-8")
    (home.path / "guidelines.md").symlink_to("v2.md")
    found = guidelines.guidelines(home)
    assert found is not None
    assert text(found.blocks) == "two"


def test_a_huge_file_is_refused_without_reading_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home.create(tmp_path / "home")
    with (home.path / "guidelines.md").open("wb") as file:
        file.truncate(3 << 30)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(FormatError, match="more than 200,000 characters"):
        guidelines.guidelines(home)


def test_tables_make_few_elements_of_few_characters() -> None:
    """The parser fills up rows: 50,000 characters of short tables made 700,000 cells, which took 20 s."""
    a_table = "|" + "a|" * 90 + "\n|" + "-|" * 90 + "\n" + "|b\n" * 360 + "\n"
    many = blocks((a_table * 40)[:50_000])
    assert 10_000 < len(elements(many)) < 100_000
    assert sum(each.tag == "table" for each in elements(many)) >= 1
    assert "|b |b |b" in text(many)


def test_tables_as_people_write_them_are_all_read() -> None:
    a_table = "| Panel | Box? |\n|---|---|\n| colour bar | no |\n| inset | yes |\n\n"
    assert sum(each.tag == "table" for each in elements(blocks(a_table * 200))) == 200
