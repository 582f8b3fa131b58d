"""Headers on every response, and how often someone may fail to sign in."""

from __future__ import annotations

from flask import Flask, Response, request
from flask_limiter import Limiter

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        # Annotorious colours its boxes, and the bars get their width, through style attributes.
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

#: Failed attempts to sign in: under one name from one address, and from one address.
FAILURES_PER_NAME = "10 per 5 minutes"
FAILURES_PER_ADDRESS = "100 per 5 minutes"


def add_headers(app: Flask, *, https: bool) -> None:
    """Set the security headers on whatever the app answers, errors included."""

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers[name] = value
        if https:
            response.headers["Strict-Transport-Security"] = "max-age=31536000"
        if request.endpoint == "static" and response.status_code < 400:
            response.headers["Cache-Control"] = "no-cache"
        elif "max-age" not in response.headers.get("Cache-Control", "") or response.status_code >= 400:
            response.headers["Cache-Control"] = "no-store"
        return response


def make_limiter(app: Flask) -> Limiter:
    """The counter of failed attempts. In memory: it starts from nothing with each start of the server."""
    return Limiter(_address, app=app, storage_uri="memory://", strategy="moving-window")


def address_and_name() -> str:
    """Whom an attempt to sign in counts against."""
    return f"{_address()} {request.form.get('name', '').strip().casefold()[:200]}"


def _address() -> str:
    return request.remote_addr or "unknown"
