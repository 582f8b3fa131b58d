"""Whose a project is by the file, and which calls annotators may make at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotator.label_studio.isolation.rules import (
    ANNOTATOR_CALLS,
    PUBLIC_ROUTES,
    AccessFile,
    ProjectAccess,
    call_of,
    format_access,
    parse_access,
)


def test_what_is_written_is_read() -> None:
    access = parse_access(
        format_access({12: frozenset({"Ann@lab.org"}), 3: frozenset({"ann@lab.org", "b@lab.org"})})
    )
    assert access.of("ANN@lab.org") == (3, 12)
    assert access.of("b@lab.org") == (3,)
    assert access.allows("ann@LAB.org", 12)
    assert not access.allows("b@lab.org", 12)
    assert not access.allows("b@lab.org", 99)
    assert not access.allows("b@lab.org", None)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "Expecting value"),
        ("[]", "no object"),
        ("{}", "no object"),
        ('{"projects": []}', "no object"),
        ('{"projects": {"x": []}}', "invalid literal"),
        ('{"projects": {"1": "ann@lab.org"}}', "no list"),
    ],
)
def test_another_form_is_an_error(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        parse_access(text)


def test_a_file_is_read_again_when_it_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "projects.json"
    file = AccessFile(path)
    assert file.read() == ProjectAccess()
    for number in (1, 2):
        fresh = tmp_path / f"{number}.json"
        fresh.write_text(format_access({number: frozenset({"ann@lab.org"})}))
        os.replace(fresh, path)
        assert file.read().of("ann@lab.org") == (number,)


@pytest.mark.parametrize("content", [b"", b'{"projects": {"1": ["ann@', b"\xff\xfe"])
def test_a_broken_file_allows_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "projects.json"
    path.write_text(format_access({1: frozenset({"ann@lab.org"})}))
    file = AccessFile(path)
    assert file.read().of("ann@lab.org") == (1,)
    path.write_bytes(content)
    assert file.read().of("ann@lab.org") == ()
    path.unlink()
    assert file.read().of("ann@lab.org") == ()


def test_a_server_without_a_file_allows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PANELWISE_PROJECT_ACCESS", raising=False)
    assert AccessFile.from_environment().read() == ProjectAccess()


@pytest.mark.parametrize(
    ("route", "method"),
    [
        ("^api/projects/", "POST"),
        ("^api/projects/<int:pk>/", "PATCH"),
        ("^api/projects/<int:pk>/", "DELETE"),
        ("^api/projects/<int:pk>/export", "GET"),
        ("^api/projects/<int:pk>/tasks/", "DELETE"),
        ("^api/tasks/<int:pk>/", "DELETE"),
        ("^api/users/$", "POST"),
        ("^api/current-user/token", "GET"),
        ("^api/invite", "GET"),
        ("^projects/<int:pk>/settings/", "GET"),
        ("^organization/", "GET"),
        ("^api/storages/localfiles/", "POST"),
        ("^api/webhooks/", "POST"),
        ("^api/predictions/$", "GET"),
        ("^a/route/that/a/later/version/adds", "GET"),
    ],
)
def test_annotators_may_not_call(route: str, method: str) -> None:
    assert call_of(route, method) is None
    assert route not in PUBLIC_ROUTES


def test_head_is_as_get() -> None:
    assert call_of("^api/tasks/<int:pk>/", "HEAD") == call_of("^api/tasks/<int:pk>/", "GET")
    assert ANNOTATOR_CALLS["^api/tasks/<int:pk>/"].methods == {"GET"}
