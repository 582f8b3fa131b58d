"""The front matter of a JATS article: identifiers, title, journal, year, licence."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from panelwise.formats.articles.flat import Reading, flat_text

_COMMONS = re.compile(
    r"creativecommons\.org/(licenses|publicdomain)/(?:CC[ -])?([A-Za-z-]+)(?:/(\d\.\d))?", re.IGNORECASE
)
_IN_WORDS = re.compile(
    r"(?:Creative\s+Commons\s+Attribution|\bCC[\s-]BY\b)((?:[\s–-]*(?:Non-?\s?Commercial|No-?\s?Deriv\w*|Share-?\s?Alike|NC|ND|SA)\b)*)"
    r"(?:[\s,(]*(?:CC[\s-]BY[\w\s-]*[),]*)?\s*(?:International|Unported|Generic|Licen[sc]e|v(?:ersion)?)?[\s,.]*(\d\.\d))?",
    re.IGNORECASE,
)
_PARTS = (
    ("NC", re.compile("nc|non", re.IGNORECASE)),
    ("ND", re.compile("nd|deriv", re.IGNORECASE)),
    ("SA", re.compile("sa|share", re.IGNORECASE)),
)
_PMCID = re.compile(r"(?:PMC)?(\d+)", re.IGNORECASE)
_ZERO = re.compile(r"\bCC0\b|public domain dedication", re.IGNORECASE)
#: Dates that a repository adds, not the journal.
_NO_PUBLICATION = frozenset({"pmc-release", "nihms-submitted", "received", "accepted"})
_DIGITS_OF_A_YEAR = 4
_TITLE = Reading(frozenset({"fn", "xref", "alt-text"}))


def read_front(article: Any) -> dict[str, Any]:
    """Return doi, pmcid, title, journal, year and licence of an article element; "" or None if missing."""
    found: dict[str, Any] = {"doi": "", "pmcid": "", "title": "", "journal": "", "year": None, "licence": ""}
    front = next(article.iterchildren("front", "front-stub"), None)
    if front is None:
        return found
    meta = next(front.iterchildren("article-meta"), front)
    ids: dict[str | None, str] = {}
    years: list[int] = []
    for each in meta.iterchildren("article-id", "pub-date", "title-group", "permissions"):
        tag = each.tag
        if tag == "article-id":
            ids[each.get("pub-id-type")] = flat_text(each, _TITLE)
        elif tag == "pub-date":
            years += _years(each)
        elif tag == "title-group":
            found["title"] = found["title"] or flat_text(each.find("article-title"), _TITLE)
        else:
            found["licence"] = found["licence"] or _licence(each)
    found["doi"] = ids.get("doi", "")
    found["pmcid"] = _pmcid(ids.get("pmc") or ids.get("pmcid") or "")
    found["journal"] = flat_text(next(front.iter("journal-title"), None), _TITLE)
    found["year"] = min(years, default=None)
    return found


def _pmcid(text: str) -> str:
    found = _PMCID.fullmatch(text)
    return f"PMC{found[1]}" if found else ""


def _years(date: Any) -> list[int]:
    """Return the year of a date of publication; the earliest counts."""
    if (date.get("pub-type") or date.get("date-type")) in _NO_PUBLICATION:
        return []
    texts = [flat_text(year, _TITLE) for year in date.iterchildren("year")]
    return [int(text) for text in texts if len(text) == _DIGITS_OF_A_YEAR and text.isdecimal()]


def _licence(permissions: Any) -> str:
    """Return the article's licence in short, such as "CC BY 4.0"; the link counts before the words."""
    licence = next(permissions.iterchildren("license"), None)
    if licence is None:
        return _in_words(flat_text(permissions.find("copyright-statement"), _TITLE))
    texts: list[str] = []
    for each in licence.iter(etree.Element):
        texts += [*each.values(), each.text or ""]
    found = _COMMONS.search(" ".join(texts))
    if found:
        return _commons(found[1].lower() == "publicdomain", found[2], found[3])
    return _in_words(flat_text(licence, _TITLE)) or licence.get("license-type") or ""


def _commons(public: bool, kind: str, version: str | None) -> str:
    name = ("CC0" if kind.lower() == "zero" else "Public domain") if public else f"CC {kind.upper()}"
    return f"{name} {version}" if version and name != "Public domain" else name


def _in_words(text: str) -> str:
    found = _IN_WORDS.search(text)
    if found is None:
        return "CC0" if _ZERO.search(text) else ""
    kind = "-".join(["BY", *(name for name, pattern in _PARTS if pattern.search(found[1] or ""))])
    return _commons(False, kind, found[2])
