"""Serves Label Studio by a WSGI module, as the uWSGI of its image does: `wsgi_server.py MODULE PORT`.

Runs in Label Studio's own environment and imports nothing of ours.
"""

import importlib.util
import os
import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def main() -> None:
    module, port = Path(sys.argv[1]), int(sys.argv[2])
    found = importlib.util.find_spec("label_studio")
    assert found is not None
    assert found.origin is not None
    # uWSGI's `chdir`: the package's folder comes first.
    sys.path.insert(0, str(Path(found.origin).parent))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "label_studio.core.settings.label_studio")
    spec = importlib.util.spec_from_file_location("core_wsgi", module)
    assert spec is not None
    assert spec.loader is not None
    served = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(served)
    with make_server("127.0.0.1", port, served.application, server_class=Server, handler_class=Quiet) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
