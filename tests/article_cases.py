"""JATS articles in a line of Python, and what is read of them."""

from __future__ import annotations

from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article
from panelwise.formats.articles.reading import read_articles

XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
MATHML = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
FRONT = """<front><journal-meta><journal-title-group><journal-title>Journal of Panels</journal-title>
</journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="doi">10.1/a</article-id><article-id pub-id-type="pmc">12</article-id>
<title-group><article-title>On <italic>two</italic> lungs</article-title></title-group>
<pub-date pub-type="epub"><year>2020</year></pub-date><pub-date pub-type="ppub"><year>2021</year></pub-date>
<permissions><license xlink:href="https://creativecommons.org/licenses/by-nc/4.0/"><license-p>Open.</license-p></license>
</permissions></article-meta></front>"""


def fig(number: int, inner: str = "") -> str:
    return (
        f'<fig id="f{number}"><label>Figure {number}</label><caption><title>Title {number}.</title>'
        f'<p>Text {number}.</p></caption><graphic xlink:href="g{number}"/>{inner}</fig>'
    )


def article(body: str, *, head: str = "", after: str = "") -> bytes:
    return f"{head}<article {XLINK}>{FRONT}<body>{body}</body>{after}</article>".encode()


def read(data: bytes) -> Article:
    problems = Problems()
    (found,) = read_articles(data, "a.xml", problems)
    assert problems.lines == []
    return found


def cited(found: Article) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(figure.label[7:], each.kind, each.panels) for figure in found.figures for each in figure.mentions]


def link(number: int, words: str) -> str:
    return f'<xref ref-type="fig" rid="f{number}">{words}</xref>'


def labelled(*labels: str, caption: str = "") -> str:
    return "".join(
        f'<fig id="f{n}"><label>{each}</label><caption><p>{caption}</p></caption></fig>'
        for n, each in enumerate(labels, start=1)
    )
