"""The socket that a server of ours listens on."""

from __future__ import annotations

import errno
import socket

from annotator.domain.errors import AnnotatorError


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises AnnotatorError, one line, where it cannot be had.

    Bound before the server is made, so that a refusal leaves nothing behind.
    """
    listening = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        if listening is not None:
            listening.close()
        raise AnnotatorError(_why_not(host, port, error)) from error
    return listening


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; stop what uses it, or give another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not for ordinary users; give one above 1023 with --port"
    return f"cannot listen on {host}, port {port} ({error.strerror}); give an address of this machine with --host"
