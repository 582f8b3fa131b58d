"""Settings changed in a campaign.toml that somebody wrote by hand: all else stays."""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.campaign import Role
from panelwise.domain.errors import FormatError
from panelwise.settings.edit_toml import with_store_url, with_values

PLAIN = '# mine\nname = "lungs"\nlabels = ["A"]\n'
WAYS = {
    "not at all": PLAIN,
    "as a table": PLAIN
    + '\n[store] # where\n  url = "postgresql://a:secret@b/c" # ours\n\n[[phases]]\nname = "1"\n',
    "as a table without a URL": PLAIN + "\n[store]\n\n[view]\nidle_minutes = 5\n",
    "in one line": PLAIN + 'store = {url = "sqlite:///a"}\n[[phases]]\nname = "1"\n',
    "by a dotted key": PLAIN + 'store.url = "sqlite:///a"\n[[phases]]\nname = "1"\n',
}
URL = 'postgresql://panelwise@/lungs?host=/run/"pg"'


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("url", [None, URL])
def test_however_it_was_written_the_url_is_the_new_one_and_all_else_stays(way: str, url: str | None) -> None:
    changed = with_store_url(WAYS[way], url, "campaign.toml")
    before, after = tomllib.loads(WAYS[way]), tomllib.loads(changed)
    assert after.pop("store", {}) == ({} if url is None else {"url": url})
    before.pop("store", None)
    assert after == before
    assert "secret" not in changed
    assert changed.startswith("# mine\n")
    assert with_store_url(changed, url, "campaign.toml") == changed


@given(
    st.sampled_from(sorted(WAYS)), st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), min_size=1)
)
def test_any_text_can_be_a_url(way: str, url: str) -> None:
    assert tomllib.loads(with_store_url(WAYS[way], url, "x"))["store"]["url"] == url


def test_a_url_of_several_lines_that_look_like_a_table_is_replaced() -> None:
    text = PLAIN + '[store]\nurl = """\n[view]\nurl = 1\n"""\n'
    assert with_store_url(text, "sqlite:///x", "c.toml") == PLAIN + '[store]\nurl = "sqlite:///x"\n'


def test_what_is_no_toml_is_told() -> None:
    with pytest.raises(FormatError, match=r"c\.toml: cannot be read"):
        with_store_url("name = ", None, "c.toml")


SETTINGS = """# ours
name = "lungs"  # the name
labels = ["A"]
# max_boxes = 500

# [release]   # the dataset
# licence = "CC-BY-4.0"

[[phases]]
name = "1"
seeded = true  # as ever

# The second round
[[phases]]
name = "2"
annotators = [
  "ann",  # since May
]
"""


def changed(values: dict[str, object], text: str = SETTINGS, *, phase: int | None = None, table: str = "") -> str:
    """The text after a change, with whatever was no part of it unchanged."""
    return with_values(text, values, "campaign.toml", phase=phase, table=table)


def test_a_value_is_replaced_where_it_is_and_its_comment_stays() -> None:
    text = changed({"name": 'a "b"', "labels": ["A", "B"]})
    expected = SETTINGS.replace('"lungs"', '"a \\"b\\""').replace('["A"]', '["A", "B"]')
    assert text == expected


def test_a_setting_that_is_a_comment_becomes_one_and_another_is_added_at_the_top() -> None:
    assert changed({"max_boxes": 40}) == SETTINGS.replace("# max_boxes = 500", "max_boxes = 40")
    assert changed({"guideline": "2"}) == f'guideline = "2"\n{SETTINGS}'
    inside = 'name = "x"\n[[phases]]\nname = "1"\n# quorum = 5\n'
    assert changed({"quorum": 3}, inside) == f"quorum = 3\n{inside}"


def test_a_new_setting_of_a_phase_stays_above_the_comment_on_the_next_phase() -> None:
    text = changed({"overlap": 3, "seeded": False}, phase=0)
    assert 'seeded = false  # as ever\noverlap = 3\n\n# The second round\n[[phases]]\nname = "2"' in text
    assert tomllib.loads(text)["phases"][0] == {"name": "1", "seeded": False, "overlap": 3}


def test_none_removes_a_setting_and_nothing_if_it_is_not_there() -> None:
    assert changed({"seeded": None}, phase=0) == SETTINGS.replace("seeded = true  # as ever\n", "")
    assert changed({"overlap": None, "quorum": None}) == SETTINGS
    assert "ann" not in changed({"annotators": None}, phase=1)


def test_a_missing_table_is_made_of_its_comment_or_added_at_the_end() -> None:
    text = changed({"title": "Lungs", "authors": [{"name": "Doe", "forenames": "Jo"}]}, table="release")
    assert '\n[release]   # the dataset\ntitle = "Lungs"\nauthors = [{name = "Doe", forenames = "Jo"}]\n' in text
    assert '# licence = "CC-BY-4.0"' in text
    plain = 'name = "x"\n'
    assert changed({"title": "T"}, plain, table="release") == f'{plain}\n[release]\ntitle = "T"\n'


@pytest.mark.parametrize(
    "text",
    [
        'name = "x"\nrelease = {title = "old"}\n',
        'name = "x"\nrelease.title = "old"\n',
        'name = "x"\n[release]\ntitle = """\n[view]\nold"""\n[[release.authors]]\nname = "a"\n[view]\nport = 1\n',
        'name = "x"\r\n[release]\r\ntitle = "old"\r\n# on the view\r\n[view]\r\nport = 1\r\n',
    ],
)
def test_however_a_table_is_written_its_settings_change_and_no_others(text: str) -> None:
    values: dict[str, object] = {"title": "new", "licence": "CC0-1.0", "authors": [{"name": "Doe"}]}
    data = tomllib.loads(text)
    after = tomllib.loads(changed(values, text, table="release"))
    assert after == data | {"release": values}


def test_values_of_all_kinds_are_written_as_they_are_read() -> None:
    moment = datetime(2026, 12, 1, 18, tzinfo=timezone(timedelta(hours=2)))
    values: dict[str, object] = {
        "a": moment,
        "b": True,
        "c": 0.5,
        "d": (),
        "e": frozenset({"y", "x"}),
        "f": Role.LEAD,
    }
    text = changed(values)
    assert "a = 2026-12-01T16:00:00Z\n" in text
    assert 'e = ["x", "y"]\n' in text
    assert tomllib.loads(text)["f"] == "lead"


@pytest.mark.parametrize("phase", [7, 0])
def test_a_phase_that_is_not_there_is_refused(phase: int) -> None:
    with pytest.raises(
        FormatError, match=r"campaign\.toml: overlap cannot be changed there; edit the file as text"
    ):
        changed({"overlap": 3}, 'name = "x"\n', phase=phase)


def test_text_that_is_no_toml_is_refused_with_its_place() -> None:
    with pytest.raises(FormatError, match=r"campaign\.toml: cannot be read \(Invalid value"):
        changed({"name": "y"}, "name = ")
