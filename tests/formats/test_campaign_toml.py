from __future__ import annotations

import re
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest
from builders import names
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import FormatError
from panelwise.domain.setting import setting_rows
from panelwise.settings.campaign_toml import TABLES, campaign_text, read_campaign
from panelwise.settings.file_tables import ImageSettings, ViewSettings
from panelwise.settings.release_table import Author

phases = st.lists(
    st.builds(Phase, names, st.sampled_from(TaskType), seeded=st.booleans(), single_span=st.booleans()),
    min_size=1,
    max_size=3,
    unique_by=lambda phase: phase.name,
).map(tuple)


@given(
    campaign=st.builds(
        Campaign,
        names,
        phases,
        st.lists(names, min_size=1, unique=True, max_size=5).map(tuple),
        names,
        st.integers(1, 9),
        include=st.sampled_from([frozenset(), frozenset({GoldSource.SINGLE})]),
    )
)
def test_a_campaign_reads_back_equal(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("campaign") / "campaign.toml"
    file.write_text(campaign_text(campaign), encoding="utf-8")
    assert read_campaign(file).campaign == campaign


def test_what_people_write_is_read(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(
        'name = "lungs"\nlabels = ["a", "b"]\n[label_studio]\nurl = "http://ls"\n[store]\nurl = "sqlite:///x"\n'
        "[[phases]]\nname = 2\ndeadline = 2026-12-01T18:00:00Z\n"
    )
    found = read_campaign(file)
    assert (found.label_studio.url, found.store.url) == ("http://ls", "sqlite:///x")
    assert found.campaign.phases == (Phase("2", deadline=datetime(2026, 12, 1, 18, tzinfo=UTC)),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name = ", "not valid TOML"),
        ('labels = ["A"]', '"name" is missing'),
        ('name = "x"', '"labels" is missing or empty; give the labels'),
        ('name = "x"\nlabels = ["A", "A"]', "empty or repeated label"),
        ('name = "x"\nlabel = ["A"]', '"label" is no known setting'),
        ('name = "x"\nlabels = ["A"]\nquorum = 0', "not a whole number from 1 up"),
        ('name = "x"\nlabels = ["A"]\n[[phases]]\ntask_type = "y"\nname = "1"', "give subfigures, "),
        ('name = "x"\nlabels = ["A"]\n[[phases]]\nseeded = true', '"phases[0].name" is missing'),
        ('name = "x"\nlabels = ["A"]\n[[phases]]\nname = "1"\nseeded = 1', "not true or false"),
        ('name = "x"\nlabels = ["A"]\n[[phases]]\nname = "1"\ndeadline = 2026-12-01', "with its zone"),
        (
            'name = "x"\nlabels = ["A"]\n[[phases]]\nname = "1"\ndeadline = 9999-12-31T23:59:59-14:00',
            "outside the years 1 to 9999",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(text)
    with pytest.raises(FormatError, match=re.escape(complaint)) as told:
        read_campaign(file)
    assert str(told.value).startswith(str(file))


def test_a_file_that_is_missing_or_not_utf8_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="annotator init"):
        read_campaign(tmp_path / "campaign.toml")
    (tmp_path / "campaign.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(FormatError, match="not UTF-8"):
        read_campaign(tmp_path / "campaign.toml")


def test_the_table_of_images_is_read(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    head = 'name = "x"\nlabels = ["A"]\n'
    file.write_text(head)
    assert read_campaign(file).images == ImageSettings()
    file.write_text(
        f"{head}[images]\nmax_pixels = 1_000\nmax_side = 50\nmax_bytes = 2_000\nallow_urls = true\n"
        'url_hosts = ["CDN.example.org:8443", "*.example.com"]\nconnect_seconds = 0.5\ntotal_seconds = 9\n'
    )
    assert read_campaign(file).images == ImageSettings(
        1000, 50, 2000, True, ("cdn.example.org:8443", "*.example.com"), 0.5, 9.0
    )


def test_what_a_fresh_file_says_of_images_in_comments_are_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    text = campaign_text(Campaign("x", (Phase("1"),), ("A",)))
    begin, end = text.index("# [images]"), text.index("\n\n[[phases]]")
    table = "\n".join(line.removeprefix("# ") for line in text[begin:end].splitlines() if "url_hosts" not in line)
    file.write_text(f"{text[:begin]}{table}\n")
    assert read_campaign(file).images == ImageSettings()
    hosts = next(line for line in text.splitlines() if "url_hosts" in line)
    assert "# for example; default: any public host" in hosts
    assert "# The tables below show the defaults, or an example." in text


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("max_pixel = 1", '"images.max_pixel" is no known setting'),
        ("max_pixels = 0", "not a whole number from 1 up"),
        ("max_bytes = 1.5", "not a whole number from 1 up"),
        ("allow_urls = 1", "not true or false"),
        ('url_hosts = "a"', "not a list"),
        ('url_hosts = ["http://a.org"]', '"images.url_hosts[0]" is "http://a.org"; give a host'),
        ('url_hosts = ["a.org:0"]', "give a port from 1 to 65535"),
        ('url_hosts = ["a.org", "b.org:65536"]', '"images": url_hosts[1] is "b.org:65536"; give a port'),
        ("connect_seconds = 0", "not a number above 0 and up to 3600"),
        ("total_seconds = 99999", "not a number above 0 and up to 3600"),
    ],
)
def test_a_mistake_about_images_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(f'name = "x"\nlabels = ["A"]\n[images]\n{line}\n')
    with pytest.raises(FormatError, match=re.escape(complaint)):
        read_campaign(file)


def written(folder: Path, text: str) -> Path:
    file = folder / "campaign.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_view_has_settings_and_defaults(tmp_path: Path) -> None:
    assert read_campaign(written(tmp_path, 'labels = ["A"]\nname = "x"\n')).view == ViewSettings(720, 168, False)
    text = 'labels = ["A"]\nname = "x"\n[view]\nidle_minutes = 30\nsession_hours = 8\nfeedback = true\n'
    assert read_campaign(written(tmp_path, text)).view == ViewSettings(30, 8, True)
    without = read_campaign(written(tmp_path, text + "writes_per_minute = 0\n")).view
    assert without == ViewSettings(30, 8, True, 0)
    text = (
        'labels = ["A"]\nname = "x"\n[view]\nhost = "0.0.0.0"\nport = 8100\nhttps = true\nproxy = "10.0.0.2"\n'
        'public_url = "https://lab.example.org/"\nstudio_port = 8101\n'
    )
    view = read_campaign(written(tmp_path, text)).view
    assert (view.host, view.port, view.https, view.proxy) == ("0.0.0.0", 8100, True, "10.0.0.2")
    assert (view.public_url, view.studio_port) == ("https://lab.example.org", 8101)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("idle_minutes = 0", "idle_minutes"),
        ("idle_minutes = 20000", "not a whole number from 1 to 10080"),
        ("session_hours = -1", "session_hours"),
        ("session_hours = 9999", "from 1 to 2160"),
        ("writes_per_minute = -1", "writes_per_minute"),
        ("writes_per_minute = 99999", "from 0 to 60000"),
        ('feedback = "yes"', "not true or false"),
        ("feedbak = true", "no known setting"),
        ("port = 70000", "from 1 to 65535"),
        ("studio_port = 0", "studio_port"),
        ('public_url = "lab.example.org"', "give an address such as"),
    ],
)
def test_a_slip_in_the_views_settings_is_told(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read_campaign(written(tmp_path, f'labels = ["A"]\nname = "x"\n[view]\n{line}\n'))


def test_a_fresh_file_shows_the_views_defaults_as_they_are(tmp_path: Path) -> None:
    text = campaign_text(Campaign("x", (Phase("1"),), ("A",)))
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("[view]"))
    shown = "\n".join(lines[start : start + 7])
    assert "port" in shown
    assert read_campaign(written(tmp_path, f'labels = ["A"]\nname = "x"\n{shown}\n')).view == ViewSettings()


@pytest.mark.parametrize(("line", "wanted"), [("", False), ("second_reviewer = true", True)])
def test_a_campaign_may_want_a_second_reviewer(tmp_path: Path, line: str, wanted: bool) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(f'name = "x"\nlabels = ["A"]\n{line}\n')
    assert read_campaign(file).campaign.second_reviewer is wanted


def test_whether_a_second_reviewer_is_wanted_is_true_or_false(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text('name = "x"\nlabels = ["A"]\nsecond_reviewer = "yes"\n')
    with pytest.raises(FormatError, match="second_reviewer"):
        read_campaign(file)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('name = "x"\nlabels = ["A"]\n\nquorum = 0\n', ':4: "quorum"'),
        ('name = "x"\nlabels = [\n  "A",\n  1,\n]\n', ':5: "labels[1]"'),
        ('name = "x"\nlabels = ["A"]\n[view]\n# port = 0\nport = 0\n', ':5: "view.port"'),
        ('name = "x"\nlabels = ["A"]\nview.port = 0\n', ':3: "view.port"'),
        (
            'name = "x"\nlabels = ["A"]\n[[phases]]\nname = "1"\n[[phases]]\nname = "2"\nbatch = 0\n',
            ':7: "phases[1].batch"',
        ),
        ('name = "x"\nlabels = ["A"]\n[[phases]]\nname = "1"\n\n[[phases]]\n', ':6: "phases[1].name" is missing'),
        (
            'name = "x"\nlabels = ["A"]\n[[release.authors]]\nname = "a"\norcid = "1"\n',
            ':5: "release.authors[0].orcid"',
        ),
        ('labels = ["A"]\n', ': "name" is missing'),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, place: str, end: str) -> None:
    file = tmp_path / "campaign.toml"
    file.write_bytes(text.replace("\n", end).encode("utf-8-sig"))
    with pytest.raises(FormatError, match=re.escape(f"{file}{place}")):
        read_campaign(file)


def test_the_line_of_a_mistake_is_not_looked_for_in_an_endless_file(tmp_path: Path) -> None:
    comments = "# so much to say\n" * 2_000
    with pytest.raises(FormatError, match=r'campaign\.toml: "quorum" holds 0, not a whole number from 1 up'):
        read_campaign(written(tmp_path, f'name = "x"\nlabels = ["A"]\nquorum = 0\n{comments}'))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("quorum = nan", '"quorum" holds nan, not a whole number from 1 up'),
        ("quorum = inf", '"quorum" holds inf, not a whole number from 1 up'),
        ("quorum = 99999999999", '"quorum" holds 99999999999, not a whole number from 1 up'),
        ('quorum = "2"', '"quorum" holds a text, not a whole number from 1 up'),
        ('language_models = "true"', '"language_models" holds a text, not true or false'),
        ("max_boxes = 5001", '"max_boxes" holds 5001, not a whole number from 1 to 5000'),
        ('labels = ""', '"labels" holds a text, not a list'),
        ('phases = ""', '"phases" holds a text, not a list'),
        ("phases = [1]", '"phases[0]" holds a number, not an object'),
        ('include = ["x"]', '"include[0]" is "x"; give ["single"], or leave include out'),
        ('include = ["adjudicated"]', "include has adjudicated, which is gold in any case"),
        ('comments = ["boss"]', '"comments[0]" is "boss"; give lead, reviewer or annotator'),
        ("store = 1", '"store" holds a number, not an object'),
        ('store.uri = "x"', '"store.uri" is no known setting; known are url'),
        ('assistant.promt = "x"', '"assistant.promt" is no known setting; known are prompt'),
        ('images.url_hosts = [""]', '"images.url_hosts[0]" is ""; give a host'),
        ("images.total_seconds = nan", '"images.total_seconds" holds nan, not a number above 0 and up to 3600'),
        ("phases = [{name = 1.5}]", '"phases[0].name" holds a number, not a text'),
        ('phases = [{name = "1", deadline = "2026-12-01T18:00:00Z"}]', "holds a text, not a time with its zone"),
    ],
)
def test_odd_spellings_are_refused_with_what_is_allowed(tmp_path: Path, line: str, complaint: str) -> None:
    labels = "" if line.startswith("labels") else 'labels = ["A"]\n'
    with pytest.raises(FormatError, match=re.escape(complaint)):
        read_campaign(written(tmp_path, f'name = "x"\n{labels}{line}\n'))


def test_empty_texts_lists_of_phases_and_whole_numbers_with_a_point_are_read(tmp_path: Path) -> None:
    text = 'name = "x"\nlabels = ["A"]\nguideline_file = ""\nquorum = 3.0\nphases = []\nview.host = ""\n'
    found = read_campaign(written(tmp_path, text))
    plain = read_campaign(written(tmp_path, 'name = "x"\nlabels = ["A"]\nquorum = 3\n'))
    assert found == plain


def test_every_setting_has_a_text(tmp_path: Path) -> None:
    for table in (Campaign, Phase, Author, *TABLES.values()):
        rows = setting_rows(table)
        # A phase's types are those that its campaign lists.
        inherited = ["types"] if table is Phase else []
        assert [*rows, *inherited] == [field.name for field in fields(table)]
        assert all(row.setting.text for row in rows.values())
        assert all(row.setting.give for row in rows.values() if row.required and row.key != "phases")
