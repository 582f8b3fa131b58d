"""The table [release] of campaign.toml: who made the dataset, its licences, and what its documentation says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields

from panelwise.files.jsonl import Fields

_ORCID = re.compile(r"https://orcid\.org/\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
#: Licences under which an image may be copied, of any version.
OPEN_LICENCES = ("CC0", "CC-BY", "CC-BY-SA", "PDM")


@dataclass(frozen=True, slots=True)
class Author:
    """An author of a release: a person, or an organisation without forenames."""

    name: str
    forenames: str = ""
    orcid: str = ""
    affiliation: str = ""


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements by a dataset's makers for datasheet, card and Croissant; "" where they say nothing."""

    description: str = ""
    motivation: str = ""
    collection: str = ""
    demographics: str = ""
    biases: str = ""
    uses: str = ""
    social_impact: str = ""
    personal_information: str = ""
    maintenance: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """The table [release].

    title: "" for the campaign's name. licence: of the annotations, an SPDX identifier such as CC-BY-4.0; "" if
    none was chosen. image_licences: licences under which images may be copied; without a version, all versions.
    figure_licence: of figures that state none; "" if it is unknown. url: of the dataset's page.
    """

    title: str = ""
    licence: str = ""
    url: str = ""
    image_licences: tuple[str, ...] = OPEN_LICENCES
    figure_licence: str = ""
    authors: tuple[Author, ...] = ()
    statements: Statements = field(default_factory=Statements)


def read_release(entry: Fields) -> ReleaseSettings:
    """Return the table [release], with defaults for missing keys. Raises FormatError."""
    said = [each.name for each in fields(Statements)]
    entry.only(("title", "licence", "url", "image_licences", "figure_licence", "authors", *said))
    url = entry.optional_text("url")
    if url and not url.startswith(("https://", "http://")):
        raise entry.error("url", f'is "{url}"; give an address that begins with https://')
    licences = entry.texts("image_licences")
    return ReleaseSettings(
        title=entry.optional_text("title").strip(),
        licence=entry.optional_text("licence").strip(),
        url=url,
        image_licences=licences if "image_licences" in entry.record else OPEN_LICENCES,
        figure_licence=entry.optional_text("figure_licence").strip(),
        authors=tuple(_author(each) for each in entry.objects("authors")),
        statements=Statements(**{name: entry.optional_text(name).strip() for name in said}),
    )


def _author(entry: Fields) -> Author:
    entry.only(("name", "forenames", "orcid", "affiliation"))
    orcid = entry.optional_text("orcid")
    if orcid and not _ORCID.fullmatch(orcid):
        raise entry.error("orcid", f'is "{orcid}"; give it as https://orcid.org/0000-0000-0000-0000')
    return Author(entry.text("name"), entry.optional_text("forenames"), orcid, entry.optional_text("affiliation"))
