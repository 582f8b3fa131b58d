"""The store's URL changed in a campaign.toml that somebody wrote by hand."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from panelwise.settings.edit_toml import with_store_url

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
