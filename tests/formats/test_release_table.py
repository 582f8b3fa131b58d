"""The table [release] of campaign.toml: what it may hold, and the line that a mistake gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from panelwise.domain.errors import FormatError
from panelwise.settings.campaign_toml import read_campaign
from panelwise.settings.release_table import OPEN_LICENCES, Author, ReleaseSettings

PLAIN = 'name = "x"\nlabels = ["A"]\n'


def read(folder: Path, table: str) -> ReleaseSettings:
    path = folder / "campaign.toml"
    path.write_text(PLAIN + table, encoding="utf-8")
    return read_campaign(path).release


def test_without_the_table_only_open_licences_are_copied(tmp_path: Path) -> None:
    found = read(tmp_path, "")
    assert (found.licence, found.authors, found.image_licences) == ("", (), OPEN_LICENCES)
    assert read(tmp_path, "[release]\nimage_licences = []\n").image_licences == ()
    assert read(tmp_path, '[release]\nfigure_licence = "CC0-1.0"\n').figure_licence == "CC0-1.0"


def test_authors_are_people_or_organisations(tmp_path: Path) -> None:
    found = read(tmp_path, '[release]\nauthors = [{name = "Doe", forenames = "Jo"}, {name = "A Society"}]\n')
    assert found.authors == (Author("Doe", "Jo"), Author("A Society"))


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ("licence = 4\n", '"release.licence" holds a number, not a text'),
        ('license = "MIT"\n', '"release.license" is no known setting'),
        ('url = "example.org"\n', '"release.url" is "example.org"; give an address that begins with https://'),
        ('authors = [{forenames = "Jo"}]\n', '"release.authors[0].name" is missing'),
        ('authors = [{name = "Doe", orcid = "0000-0001"}]\n', '"release.authors[0].orcid" is "0000-0001"; give'),
        ('authors = ["Jo Doe"]\n', '"release.authors[0]" holds a text, not an object'),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, table: str, complaint: str) -> None:
    with pytest.raises(FormatError) as refused:
        read(tmp_path, f"[release]\n{table}")
    assert complaint in str(refused.value)
