"""LICENSE and CITATION.cff of a release. `about` is the manifest's: title, licence, authors, url."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agreement.report import escaped

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
_CHOOSE = "The makers of this dataset have not chosen a licence yet: ask them before you use it."


def licence_address(licence: str) -> str:
    """Return where the licence's text is, "" without a licence."""
    return _TEXTS.get(licence, f"https://spdx.org/licenses/{licence}.html") if licence else ""


def licence_text(about: Mapping[str, Any]) -> str:
    """Return the LICENSE file: of the annotations, and where those of images stand."""
    licence = about["licence"]
    stated = f"licensed under {licence}: {licence_address(licence)}" if licence else f"not licensed.\n{_CHOOSE}"
    owners = ", ".join(map(author_name, about["authors"])) or "the makers of the dataset"
    return (
        f"{about['title']}\n"
        f"Copyright of the annotations: {owners}\n\n"
        f"The annotations (boxes, labels, subcaptions, types, verdicts and their documentation) are {stated}\n\n"
        "Figures and captions belong to their articles. Each has a licence of its own: `licence` in the\n"
        "tables of data/, and `licences` in manifest.json. Images whose licence does not allow copies are\n"
        "listed in images_not_included.jsonl and are not part of this dataset.\n"
    )


def citation_cff(about: Mapping[str, Any], *, version: str, released: str) -> str:
    """Return CITATION.cff, version 1.2.0. released: day, YYYY-MM-DD."""
    return "\n".join(_citation(about, version, released)) + "\n"


def bibtex(about: Mapping[str, Any], *, key: str, year: str) -> str:
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


def _citation(about: Mapping[str, Any], version: str, released: str) -> Iterator[str]:
    yield "cff-version: 1.2.0"
    yield "type: dataset"
    yield "message: If you use this dataset, please cite it as below."
    yield f"title: {quoted(about['title'])}"
    yield f"version: {quoted(version)}"
    yield f"date-released: {released}"
    if about["licence"]:
        yield f"license: {quoted(about['licence'])}"
    if about["url"]:
        yield f"url: {quoted(about['url'])}"
    yield "authors:"
    for author in about["authors"] or [{"name": f"The makers of {about['title']}", "forenames": ""}]:
        person = bool(author["forenames"])
        yield f"  - {'family-names' if person else 'name'}: {quoted(author['name'])}"
        if person:
            yield f"    given-names: {quoted(author['forenames'])}"
        for key in ("orcid", "affiliation"):
            # An organisation has no affiliation in this format.
            if author.get(key) and (person or key == "orcid"):
                yield f"    {key}: {quoted(author[key])}"
