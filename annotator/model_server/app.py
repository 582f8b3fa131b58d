"""Label Studio's ML backend protocol over HTTP: /health, /setup, /predict, /versions, /webhook."""

from __future__ import annotations

import hmac
from typing import Any

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from annotator.model_server.answers import Answers
from label_config import names
from panelwise.domain import AnnotatorError, one_line
from panelwise.runtime import HttpServer

#: Who signs in with the password; Label Studio sends a name with it.
USER = "panelwise"
#: Bytes of a request that are taken at most: a batch of tasks with their captions.
MAX_REQUEST = 16 * 1024 * 1024
#: Projects whose settings are remembered.
MOST_PROJECTS = 10_000
_FOR_EVERYBODY = ("/", "/health", "/webhook")


def create_app(answers: Answers, *, password: str = "") -> Flask:
    """Make the app. password: required as HTTP Basic of user `panelwise` or as a bearer token; "" for none.

    Without it only /health answers, which says no more than that the server is up, and /webhook, which does
    nothing: Label Studio calls it after each annotation, and gives no password there.
    """
    app = Flask("annotator.model_server", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_REQUEST
    single_span: dict[str, bool] = {}

    @app.before_request
    def known() -> Response | None:
        if not password or request.path in _FOR_EVERYBODY or _is_known(password):
            return None
        refused = jsonify(error="who are you? send the password of PANELWISE_MODEL_PASSWORD")
        refused.status_code = 401
        refused.headers["WWW-Authenticate"] = 'Basic realm="panelwise", Bearer'
        return refused

    @app.get("/")
    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "UP", "model_class": "Panelwise"}

    @app.post("/setup")
    def setup() -> dict[str, str]:
        given = _object()
        answers.check(_text(given, "schema"))
        extra = given.get("extra_params")
        if len(single_span) >= MOST_PROJECTS:
            single_span.clear()
        single_span[str(given.get("project"))] = isinstance(extra, dict) and extra.get("single_span") is True
        # The one version under which the server keeps what was pushed: a task that has such is not requested.
        return {"model_version": names.SHOWN_VERSION}

    @app.post("/predict")
    def predict() -> dict[str, Any]:
        given = _object()
        tasks = given.get("tasks")
        if not isinstance(tasks, list):
            raise _Bad('"tasks" is no list')
        config = _text(given, "label_config")
        one = single_span.get(str(given.get("project")), False)
        return {
            "results": answers.predictions(tasks, config, single_span=one),
            "model_version": names.SHOWN_VERSION,
        }

    @app.get("/versions")
    @app.post("/versions")
    def versions() -> dict[str, list[str]]:
        return {"versions": [answers.version]}

    @app.post("/webhook")
    @app.post("/train")
    def webhook() -> dict[str, str]:
        return {"status": "passed over", "message": "training is a command of its own: prelabel train"}

    @app.errorhandler(AnnotatorError)
    def told(error: AnnotatorError) -> tuple[Response, int]:
        return jsonify(error=one_line(error)), 400

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=one_line(error.description or error.name)), error.code or 500

    return app


class _Bad(AnnotatorError):
    """A request that is not as the protocol has it."""


def _object() -> dict[str, Any]:
    try:
        given = request.get_json(force=True, silent=True)
    except RecursionError as error:
        raise _Bad("the request is nested too deeply; send tasks as Label Studio does") from error
    if not isinstance(given, dict):
        raise _Bad("the request holds no JSON object")
    return given


def _text(given: dict[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value:
        raise _Bad(f'"{key}" is no text')
    return value


def _is_known(password: str) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.casefold() in ("bearer", "token"):
        return _same(token.strip(), password)  # werkzeug takes one with "=" for a list of parameters
    sent = request.authorization
    return (
        sent is not None
        and sent.type == "basic"
        and _same(sent.username or "", USER) & _same(sent.password or "", password)
    )


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


#: Requests answered at the same time; the model takes one figure at a time, the rest is reading and sending.
THREADS = 4


class ModelServer(HttpServer):
    """A context manager. port: 0 takes any free one; `url` says which. Raises AnnotatorError if it is taken."""

    def __init__(self, answers: Answers, *, host: str = "127.0.0.1", port: int = 0, password: str = "") -> None:
        super().__init__(
            create_app(answers, password=password),
            host=host,
            port=port,
            threads=THREADS,
            name="models",
            prompt_paths=("/", "/health"),
            max_request_body_size=2 * MAX_REQUEST,
        )

    @property
    def url(self) -> str:
        """The address of the server on this machine."""
        return self.address
