"""The front matter of a JATS article: identifiers, title, journal, year, licence."""

from __future__ import annotations

import re
from typing import Any

from panelwise.formats.articles.flat import Reading, flat_text, local_name

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
_ZERO = re.compile(r"\bCC0\b|public domain dedication", re.IGNORECASE)
#: Dates that a repository adds, not the journal.
_NO_PUBLICATION = frozenset({"pmc-release", "nihms-submitted", "received", "accepted"})
_TITLE = Reading(frozenset({"fn", "xref", "alt-text"}))


def read_front(article: Any) -> dict[str, Any]:
    """Return doi, pmcid, title, journal, year and licence of an article element; "" or None where missing."""
    front = article.find("front")
    if front is None:
        front = article.find("front-stub")
    if front is None:
        return {"doi": "", "pmcid": "", "title": "", "journal": "", "year": None, "licence": ""}
    meta = front.find("article-meta")
    meta = front if meta is None else meta
    ids = {each.get("pub-id-type"): "".join(each.itertext()).strip() for each in meta.iterchildren("article-id")}
    return {
        "doi": ids.get("doi", ""),
        "pmcid": _pmcid(ids.get("pmc") or ids.get("pmcid") or ""),
        "title": _text(meta.find("title-group/article-title")),
        "journal": _text(front.find(".//journal-title")),
        "year": _year(meta),
        "licence": _licence(meta),
    }


def _pmcid(text: str) -> str:
    found = re.fullmatch(r"(?:PMC)?(\d+)", text.strip(), re.IGNORECASE)
    return f"PMC{found[1]}" if found else ""


def _year(meta: Any) -> int | None:
    """Return the earliest year of publication."""
    years = [
        int(text)
        for date in meta.iterchildren("pub-date")
        if (date.get("pub-type") or date.get("date-type")) not in _NO_PUBLICATION
        for year in date.iterchildren("year")
        if re.fullmatch(r"\d{4}", text := "".join(year.itertext()).strip())
    ]
    return min(years, default=None)


def _licence(meta: Any) -> str:
    """Return the article's licence in short, such as "CC BY 4.0"; the link counts before the words."""
    for licence in meta.iterfind("permissions/license"):
        texts: list[str] = []
        for each in licence.iter():
            if local_name(each.tag):
                texts += [*each.values(), each.text or ""]
        found = _COMMONS.search(" ".join(texts))
        if found:
            return _commons(found[1].lower() == "publicdomain", found[2], found[3])
        return _in_words(_text(licence)) or licence.get("license-type") or ""
    statement = meta.find("permissions/copyright-statement")
    return _in_words(_text(statement))


def _commons(public: bool, kind: str, version: str | None) -> str:
    name = ("CC0" if kind.lower() == "zero" else "Public domain") if public else f"CC {kind.upper()}"
    return f"{name} {version}" if version and name != "Public domain" else name


def _in_words(text: str) -> str:
    found = _IN_WORDS.search(text)
    if found is None:
        return "CC0" if _ZERO.search(text) else ""
    kind = "-".join(["BY", *(name for name, pattern in _PARTS if pattern.search(found[1] or ""))])
    return _commons(False, kind, found[2])


def _text(element: Any) -> str:
    return flat_text(element, _TITLE)
