"""The HTTP API does what its OpenAPI document says: schemathesis asks it, within the process."""

from __future__ import annotations

from contextlib import closing
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from web.asking import a_draft

from annotator.accounts.tokens import make_token
from annotator.campaign.home import Home
from annotator.imports.uploads import UPLOADS
from annotator.jobs.folders import FILES
from annotator.jobs.jobs import WORKER, start_job
from annotator.store.store import Store
from annotator.web.api.v1.openapi import document
from annotator.web.api.v1.routes import api
from panelwise.domain.campaign import Task

#: What schemathesis asks of each operation in each mode.
EXAMPLES = 12
UPLOAD = "0123456789abcdef"
#: What there is, for paths.
THERE: dict[str, object] = {"figure_id": "f1", "number": 1, "name": "made.txt", "upload": UPLOAD}
#: What refuses even these with any values: a decision on a version, and a table that is none of an upload.
NEVER = {"POST /api/v1/figures/{figure_id}/decisions", "POST /api/v1/uploads/{upload}"}
DONE = {200, 201, 202}
FEW = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def token(app: Flask, home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    """A lead's, in a campaign with something in each list. Jobs wait for a worker, which never comes."""
    monkeypatch.setenv(WORKER, "1")
    made = start_job(home, "test", "A test", lambda _files: [["true"]], "lead")
    (made.folder / FILES / "made.txt").write_text("made", "utf-8")
    (home.path / UPLOADS / UPLOAD).mkdir(parents=True)
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", "1")])
    made = make_token(store, "lead", "schemathesis")
    headers = {"Authorization": f"Bearer {made}"}
    saved = app.test_client().post("/api/v1/figures/f1/decisions", json=a_draft(), headers=headers)
    assert saved.status_code == 201
    return made


def reading_to_the_end(app: Flask) -> WSGIApplication:
    """The app, with every answer read and closed: schemathesis leaves files open."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        with closing(app(environ, start_response)) as parts:
            return [b"".join(parts)]

    return answer


@pytest.mark.slow
@pytest.mark.parametrize("there", [{}, THERE], ids=["any", "what there is"])
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_the_api_keeps_to_its_document(
    app: Flask, token: str, mode: GenerationMode, there: dict[str, object]
) -> None:
    schema = schemathesis.openapi.from_dict(document(app, api.endpoints))
    schema.app = reading_to_the_end(app)
    headers = {"Authorization": f"Bearer {token}"}
    codes: dict[str, set[int]] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        named = {name: value for name, value in there.items() if f"{{{name}}}" in operation.path}
        if there and not named:
            continue

        @FEW
        @given(case=operation.as_strategy(generation_mode=mode, path_parameters=named or None))
        def ask(case: schemathesis.Case) -> None:
            # A schema cannot say which cursors there are, nor which decisions a figure allows.
            response = case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
            codes.setdefault(case.operation.label, set()).add(response.status_code)

        ask()
    if mode.is_positive:
        by_chance = {label for label in codes if there or "{" not in label} - NEVER
        assert {label for label, seen in codes.items() if seen & DONE} == by_chance
    assert not [label for label, seen in codes.items() if any(code >= 500 for code in seen)]
