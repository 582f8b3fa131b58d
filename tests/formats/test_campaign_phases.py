"""The tables [[phases]] of campaign.toml."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from builders import names
from conftest import REPOSITORY
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.campaign import Campaign, Phase, Screen, TaskType
from panelwise.domain.errors import FormatError
from panelwise.domain.setting import setting_rows
from panelwise.settings.campaign_toml import campaign_text, read_campaign

HEAD = 'name = "x"\nlabels = ["A"]\n[[phases]]\nname = "p"\n'
moments = st.datetimes(datetime(2020, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


@st.composite
def phases(draw: st.DrawFn) -> Phase:
    people = tuple(draw(st.lists(names, unique=True, max_size=4)))
    sharing = tuple(draw(st.permutations(people)))[: draw(st.integers(2, 4))] if len(people) > 1 else ()
    figures = draw(st.none() | st.integers(1, 500))
    batch = draw(st.none() | st.integers(1, 90))
    dates = sorted(draw(st.sets(moments, max_size=3))) if batch else []
    deadline = draw(st.none() | moments)
    if dates and deadline is not None:
        deadline = max(deadline, dates[-1] + timedelta(days=1))
    blind = draw(st.booleans())
    return Phase(
        draw(names),
        TaskType.SUBFIGURES if blind else draw(st.sampled_from(TaskType)),
        deadline,
        draw(st.booleans()),
        draw(st.booleans()),
        figures,
        batch=batch,
        batch_deadlines=tuple(dates),
        overlap=draw(st.none() | st.integers(0, figures or 99)),
        overlap_annotators=sharing,
        overlap_seeded=draw(st.booleans()),
        by_document=draw(st.booleans()),
        annotators=people,
        reviewers=tuple(draw(st.lists(names, unique=True, max_size=2))),
        blind=blind,
        given=draw(st.sampled_from(["gold", "ann1", "prediction:m"])) if blind else "",
        fine_types=draw(st.booleans()),
        figure_type=draw(st.booleans()),
    )


@given(drawn=st.lists(phases(), min_size=1, max_size=3, unique_by=lambda phase: phase.name), follow=st.booleans())
def test_every_setting_of_a_phase_reads_back_equal(
    drawn: list[Phase], follow: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    last = Phase(f"{drawn[0].name}+", figures_of=drawn[0].name) if follow else drawn.pop()
    campaign = Campaign("c", (*drawn, last), ("A",), reviewers=("r1", "r2"), guideline_file="texts/g.md")
    file = tmp_path_factory.mktemp("campaign") / "campaign.toml"
    notes = {last.name: "What this is for.\nTwo lines."}
    file.write_text(campaign_text(campaign, notes=notes, title="A trial"), encoding="utf-8")
    assert read_campaign(file).campaign == campaign
    assert "# What this is for.\n# Two lines.\n[[phases]]" in file.read_text(encoding="utf-8")


def read(tmp_path: Path, text: str) -> Phase:
    file = tmp_path / "campaign.toml"
    file.write_text(HEAD + text, encoding="utf-8")
    return read_campaign(file).campaign.phases[0]


def test_what_a_setting_means_is_said_once(tmp_path: Path) -> None:
    text = campaign_text(Campaign("c", (Phase("1", figures=3), Phase("2", figures=4)), ("A",)))
    assert (text.count("# how many the phase draws"), text.count("figures = ")) == (1, 2)


def test_times_are_kept_as_utc_whatever_their_zone(tmp_path: Path) -> None:
    phase = read(tmp_path, "batch = 2\nbatch_deadlines = [2026-12-01T18:00:00+02:00, 2026-12-08T18:00:00Z]\n")
    assert phase.batch_deadlines == (datetime(2026, 12, 1, 16, tzinfo=UTC), datetime(2026, 12, 8, 18, tzinfo=UTC))


def test_a_phase_may_be_named_by_a_number_wherever_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text('name = "x"\nlabels = ["A"]\n[[phases]]\nname = 1\n[[phases]]\nname = 2\nfigures_of = 1\n')
    assert read_campaign(file).campaign.phases == (Phase("1"), Phase("2", figures_of="1"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("overlaps = 3", '"phases[0].overlaps" is no known setting; known are name, task_type'),
        ("overlap = 1.5", '"phases[0].overlap" holds 1.5, not a whole number from 0 up'),
        ("overlap = -1", "not a whole number from 0 up"),
        ("figures = 0", '"phases[0].figures" holds 0, not a whole number from 1 up'),
        ("batch = true", '"phases[0].batch" holds true or false, not a whole number from 1 up'),
        ("figures = 99999999999", "not a whole number from 1 up"),
        ('annotators = "a,b"', '"phases[0].annotators" holds a text, not a list'),
        ("annotators = [1]", '"phases[0].annotators[0]" holds a number, not a text'),
        (
            "deadline = 2026-12-01",
            "holds 2026-12-01, not a time with its zone; give one such as 2026-12-01T18:00:00Z",
        ),
        ("deadline = 2026-12-01T18:00:00", "not a time with its zone"),
        ('deadline = "soon"', '"phases[0].deadline" holds a text, not a time'),
        ("batch = 2\nbatch_deadlines = [2026-12-01]", '"phases[0].batch_deadlines[0]" holds 2026-12-01'),
        ("blind = true", 'phase "p": blind, but given does not say'),
        ("figures_of = true", '"phases[0].figures_of" holds true or false, not a text'),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=re.escape(complaint)) as told:
        read(tmp_path, text)
    assert str(told.value).startswith(str(tmp_path / "campaign.toml"))


def test_every_field_of_a_phase_is_a_setting() -> None:
    assert [*setting_rows(Phase), "types"] == [field.name for field in fields(Phase)]  # the campaign's types


def test_the_example_of_the_reference_is_read(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "reference" / "campaign.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "campaign.toml").write_text(example, encoding="utf-8")
    campaign = read_campaign(tmp_path / "campaign.toml").campaign
    assert [phase.name for phase in campaign.phases] == ["1", "2"]


def test_a_phase_says_where_it_is_annotated(tmp_path: Path) -> None:
    assert read(tmp_path, "").annotate_in is Screen.LABEL_STUDIO
    phase = read(tmp_path, 'annotate_in = "panelwise"\n')
    assert phase.annotate_in is Screen.PANELWISE
    text = campaign_text(Campaign("c", (phase,), ("A",)))
    assert 'annotate_in = "panelwise"' in text
    with pytest.raises(FormatError, match=r'annotate_in.*is "paper"; give label-studio or panelwise'):
        read(tmp_path, 'annotate_in = "paper"\n')
