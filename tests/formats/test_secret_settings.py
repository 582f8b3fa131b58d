from __future__ import annotations

from pathlib import Path

import pytest

from panelwise.domain.errors import FormatError
from panelwise.settings.secrets import secret_setting


def test_a_secret_is_the_variable_or_what_the_named_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert secret_setting("PANELWISE_TEST_SECRET") == ""
    monkeypatch.setenv("PANELWISE_TEST_SECRET", " as it is ")
    assert secret_setting("PANELWISE_TEST_SECRET") == " as it is "
    monkeypatch.delenv("PANELWISE_TEST_SECRET")
    (tmp_path / "secret").write_text("grün und lang\n", encoding="utf-8")
    monkeypatch.setenv("PANELWISE_TEST_SECRET_FILE", str(tmp_path / "secret"))
    assert secret_setting("PANELWISE_TEST_SECRET") == "grün und lang"


@pytest.mark.parametrize(
    ("held", "told"),
    [(None, "No such file"), (b" \n", "is empty"), (b"\xff\xfe", "not UTF-8"), (b"x" * 5000, "too large")],
)
def test_a_file_without_a_secret_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: bytes | None, told: str
) -> None:
    file = tmp_path / "secret"
    if held is not None:
        file.write_bytes(held)
    monkeypatch.setenv("PANELWISE_TEST_SECRET_FILE", str(file))
    with pytest.raises(FormatError, match=told) as refused:
        secret_setting("PANELWISE_TEST_SECRET")
    assert "PANELWISE_TEST_SECRET_FILE" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_two_secrets_for_one_thing_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANELWISE_TEST_SECRET", "one")
    monkeypatch.setenv("PANELWISE_TEST_SECRET_FILE", "/somewhere")
    with pytest.raises(FormatError, match="both set"):
        secret_setting("PANELWISE_TEST_SECRET")
