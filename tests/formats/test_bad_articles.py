"""Articles that are broken, hostile or very large: one line each, and the rest is read."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from article_cases import article, fig, read

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import figure_records
from panelwise.formats.articles.reading import read_articles


def test_entities_of_html_are_read_and_those_outside_are_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    own = f'[<!ENTITY x SYSTEM "file://{secret}"><!ENTITY own "ours">]'
    head = f'<!DOCTYPE article SYSTEM "file://{tmp_path}/none.dtd" {own}>'
    with pytest.raises(FormatError, match="not valid XML"):
        read(article("<fig><caption><p>&x;</p></caption></fig>", head=head))
    (figure,) = read(article("<fig><caption><p>&alpha; &own;</p></caption></fig>", head=head)).figures
    assert figure.caption == "α ours"


def test_a_bomb_is_refused_in_one_line() -> None:
    rows = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE article [<!ENTITY e0 "{"x" * 100}">{rows}]>'
    with pytest.raises(FormatError, match=r"^a\.xml: not valid XML") as caught:
        read(article("<p>&e9;</p>", head=head))
    assert "\n" not in str(caught.value)
    assert "xmlCtxt" not in str(caught.value)
    with pytest.raises(FormatError, match=r"\(Resource limit exceeded: Text node too long, line 7, "):
        read(article("<p>" + "word " * 2_100_000 + "</p>"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"not XML", "not valid XML"),
        (article("<p>cut")[:-30], "not valid XML"),
        (b'<?xml version="1.0" encoding="utf-8"?><article>\xff</article>', "not valid XML"),
        (b"<html><body/></html>", "holds no article, but <html>"),
        (b'<TEI xmlns="http://www.tei-c.org/ns/1.0"/>', "<TEI> (TEI, as GROBID writes it); give JATS"),
        (b"<collection><document/></collection>", "<collection> (a BioC collection); give JATS"),
        (b'[{"source": "PMC", "documents": []}]', "is a BioC collection, which is not read; give"),
        (b'{"source": "PMC", "documents": []}', "is a BioC collection, which is not read; give"),
        (b"{", "not valid JSON"),
        (b'{"a": 1}', '"body_text" is missing'),
    ],
)
def test_bad_files_are_named(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(data)
    assert str(caught.value).startswith("a.xml: ")
    assert message in str(caught.value)


def test_two_figures_with_one_id_are_reported_and_both_read() -> None:
    problems = Problems()
    (found,) = read_articles(article(fig(1) + fig(1)), "a.xml", problems)
    assert problems.lines == ['a.xml: two figures have the id "f1"; links count for the first, give each its own']
    assert len({each["figure_id"] for each in figure_records(found, "a")}) == 2


def test_ten_thousand_figures_and_a_caption_of_fifty_thousand_characters() -> None:
    long = "<fig><caption><p>" + "word " * 10_000 + "</p></caption></fig>"
    found = read(article("<p>Figs. 1-9999999 and Figures 1–60.</p>" + "".join(map(fig, range(10_000))) + long))
    assert len(found.figures) == 10_001
    assert len(found.figures[-1].caption) == 49_999
    assert [len(found.figures[n].mentions) for n in (2, 60, 61)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(b"<article/>"), "a.xml: is packed with gzip; give the article's XML or JSON"),
        (b"%PDF-1.7\n", "a.xml: is PDF; give the article's XML or JSON"),
        (b'{"paper_id": "1"}\n{"paper_id": "2"}', "give each article a file of its own"),
        (b'{"paper_id": "1"', "is it cut off? fetch it again"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=re.escape(said)):
        read_articles(data, "a.xml", Problems())
