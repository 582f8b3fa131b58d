"""Licence and citation of a release. `about` is the manifest's: title, licence, authors, url."""

from __future__ import annotations

import json
from collections.abc import Mapping

from agreement.report import escaped
from annotator.gold.manifest import About

_TEXTS = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    **{
        f"CC-{kind}-{version}": f"https://creativecommons.org/licenses/{kind.lower()}/{version}/"
        for kind in ("BY", "BY-SA", "BY-NC", "BY-NC-SA", "BY-ND", "BY-NC-ND")
        for version in ("3.0", "4.0")
    },
}
#: Licences to choose from in forms; any other SPDX identifier is as good.
COMMON_LICENCES = tuple(name for name in _TEXTS if not name.endswith("-3.0"))


def licence_address(licence: str) -> str:
    """Return where the licence's text is, "" without a licence."""
    return _TEXTS.get(licence, f"https://spdx.org/licenses/{licence}.html") if licence else ""


def bibtex(about: About, *, key: str, year: str) -> str:
    """Return the dataset as a BibTeX entry."""
    authors = " and ".join(
        escaped(f"{each['name']}, {each['forenames']}") if each["forenames"] else f"{{{escaped(each['name'])}}}"
        for each in about["authors"]
    )
    lines = [
        *([f"  author = {{{authors}}},"] if authors else []),
        f"  title = {{{{{escaped(about['title'])}}}}},",
        f"  year = {{{year}}},",
        *([f"  url = {{{about['url']}}},"] if about["url"] else []),
    ]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def author_name(author: Mapping[str, str]) -> str:
    """Return an author's name as it is read."""
    return f"{author['forenames']} {author['name']}".strip()


def quoted(text: str) -> str:
    """Return a text as a YAML scalar: JSON's strings are YAML's."""
    return json.dumps(text, ensure_ascii=False)
