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
from annotator.store.store import Store
from annotator.web.api.v1.openapi import document
from annotator.web.api.v1.routes import api
from panelwise.domain.campaign import Task

#: What schemathesis asks of each operation in each mode.
EXAMPLES = 12
#: What needs more than valid values: a job that there is, and the version of the figure's last decision.
NOT_BY_CHANCE = {"GET /api/v1/jobs/{number}", "POST /api/v1/figures/{figure_id}/decisions"}
FEW = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def token(app: Flask, store: Store) -> str:
    """A lead's, in a campaign with something in each list."""
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
@pytest.mark.parametrize("figure", [{}, {"figure_id": "f1"}], ids=["any figure", "one there is"])
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_the_api_keeps_to_its_document(
    app: Flask, token: str, mode: GenerationMode, figure: dict[str, str]
) -> None:
    schema = schemathesis.openapi.from_dict(document(app, api.endpoints))
    schema.app = reading_to_the_end(app)
    headers = {"Authorization": f"Bearer {token}"}
    codes: dict[str, set[int]] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        if figure and "{figure_id}" not in operation.path:
            continue

        @FEW
        @given(case=operation.as_strategy(generation_mode=mode, path_parameters=figure or None))
        def ask(case: schemathesis.Case) -> None:
            # A schema cannot say which cursors there are, nor which decisions a figure allows.
            response = case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
            codes.setdefault(case.operation.label, set()).add(response.status_code)

        ask()
    if mode.is_positive:
        by_chance = {label for label in codes.keys() - NOT_BY_CHANCE if figure or "figure_id" not in label}
        assert {label for label, seen in codes.items() if 200 in seen} == by_chance
    assert not [label for label, seen in codes.items() if any(code >= 500 for code in seen)]
