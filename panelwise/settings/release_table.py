"""The table [release] of campaign.toml: who made the dataset, its licences, and what its documentation says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from panelwise.domain.setting import Setting

#: Licences under which an image may be copied, of any version.
OPEN_LICENCES = ("CC0", "CC-BY", "CC-BY-SA", "PDM")
_RAI = "for datasheet, card and Croissant's RAI fields"


@dataclass(frozen=True, slots=True)
class Author:
    """An author of a release: a person, or an organisation without forenames."""

    name: Annotated[str, Setting("surname, or name of an organisation", give="the author's name")]
    forenames: Annotated[str, Setting("of a person")] = ""
    orcid: Annotated[
        str,
        Setting(
            "as https://orcid.org/0000-0000-0000-0000",
            pattern=r"https://orcid\.org/\d{4}-\d{4}-\d{4}-\d{3}[\dX]",
            give="it as https://orcid.org/0000-0000-0000-0000",
        ),
    ] = ""
    affiliation: Annotated[str, Setting("university, laboratory or company")] = ""


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """The settings of [release] that say whose the dataset is, and which licences it has."""

    title: Annotated[str, Setting("of the dataset", default="the campaign's name", clean=str.strip)] = ""
    licence: Annotated[
        str,
        Setting(
            "of the annotations, an [SPDX identifier](https://spdx.org/licenses/); without one the release "
            "says so",
            example='"CC-BY-4.0"',
            clean=str.strip,
        ),
    ] = ""
    url: Annotated[
        str,
        Setting("of the dataset's page", pattern="https?://.*", give="an address that begins with https://"),
    ] = ""
    image_licences: Annotated[
        tuple[str, ...],
        Setting("of figures whose images may be copied; without a version, all versions"),
    ] = OPEN_LICENCES
    figure_licence: Annotated[
        str, Setting("of all figures that state none; without it their images are not copied", clean=str.strip)
    ] = ""
    authors: Annotated[
        tuple[Author, ...],
        Setting(
            "a table each, below; without any the release says so",
            example='[{name = "Surname", forenames = "Forenames", affiliation = "University"}]',
        ),
    ] = ()


def _statement(about: str) -> Setting:
    return Setting(f"{about}; {_RAI}", default='"Not stated"', clean=str.strip)


@dataclass(frozen=True, slots=True)
class ReleaseSettings(DatasetSettings):
    """The table [release]; its own fields are statements by the dataset's makers, "" where they say nothing."""

    description: Annotated[str, _statement("what the dataset is")] = ""
    motivation: Annotated[str, _statement("why it was made")] = ""
    collection: Annotated[str, _statement("how figures were collected")] = ""
    demographics: Annotated[str, _statement("who annotated")] = ""
    biases: Annotated[str, _statement("known biases")] = ""
    uses: Annotated[str, _statement("what it is for")] = ""
    social_impact: Annotated[str, _statement("effects of its use on people")] = ""
    personal_information: Annotated[str, _statement("personal or sensitive information in it")] = ""
    maintenance: Annotated[str, _statement("who maintains it")] = ""
