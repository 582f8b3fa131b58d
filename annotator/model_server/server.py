"""The models' server on a port, in a thread of its own."""

from __future__ import annotations

from annotator.model_server.answers import Answers
from annotator.model_server.app import MAX_REQUEST, create_app
from panelwise.runtime.slow_clients import ClientLimits
from panelwise.runtime.sockets import HttpServer

#: Requests answered at the same time; the model takes one figure at a time, the rest is reading and sending.
THREADS = 4


class ModelServer(HttpServer):
    """A context manager. port: 0 takes any free one; `url` says which. Raises AnnotatorError if it is taken."""

    def __init__(
        self,
        answers: Answers,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        password: str = "",
        limits: ClientLimits | None = None,
    ) -> None:
        super().__init__(
            create_app(answers, password=password),
            host=host,
            port=port,
            threads=THREADS,
            name="models",
            limits=limits,
            max_request_body_size=2 * MAX_REQUEST,
        )

    @property
    def url(self) -> str:
        """The address of the server on this machine."""
        return self.address
