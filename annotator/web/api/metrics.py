"""`/metrics`: how the server does, for Prometheus. Numbers only, of no person, figure or address.

Asked from this machine itself it is open; else, and wherever a token is set or HTTPS is in front, only with the
token: behind a proxy on this machine every request would seem to come from here.
"""

from __future__ import annotations

import hmac
import ipaddress
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, abort, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from annotator.store.rows.records import Totals
from annotator.store.store import Store
from panelwise.domain import AnnotatorError

#: Upper bounds of the latency's buckets in seconds: a request is quick below .1 s, and a nuisance above 1 s.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: Seconds for which the store's totals are cached, so that frequent requests do not load it.
CACHED_SECONDS = 10.0

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def set_up(app: Flask, store: Store, *, token: str, https: bool) -> None:
    """Count what the app answers, and serve the numbers at /metrics. token: "" for none."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(_StoreTotals(store))
    Info("panelwise", "The program that answers.", registry=registry).info({"version": version("panelwise")})
    _count_requests(app, registry)
    blueprint = Blueprint("metrics", __name__)

    @blueprint.get("/metrics")
    def show() -> Response:
        """Return all metrics in Prometheus's text format; 403 without access."""
        if not (_knows(token) if token else _is_from_here() and not https):
            abort(403)
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    app.register_blueprint(blueprint)


def _count_requests(app: Flask, registry: CollectorRegistry) -> None:
    answered = Counter(
        "panelwise_requests", "Requests answered.", ("method", "route", "status"), registry=registry
    )
    took = Histogram(
        "panelwise_request_seconds",
        "Seconds until the answer was ready.",
        ("method", "route"),
        buckets=BUCKETS,
        registry=registry,
    )
    under_way = Gauge("panelwise_requests_under_way", "Requests that are being answered.", registry=registry)

    @app.before_request
    def begin() -> None:
        g.measured_from = time.perf_counter()
        under_way.inc()

    @app.after_request
    def end(response: Response) -> Response:
        rule = request.url_rule
        # Routes and methods that there are: a stranger must not be able to make up label values.
        route = "unknown" if rule is None else rule.rule
        method = request.method if request.method in _METHODS else "other"
        answered.labels(method, route, response.status_code).inc()
        now = time.perf_counter()
        took.labels(method, route).observe(now - g.get("measured_from", now))
        return response

    @app.teardown_request
    def over(_error: BaseException | None) -> None:
        if "measured_from" in g:
            under_way.dec()


def _knows(token: str) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


def _is_from_here() -> bool:
    """Return whether the request came from this machine and is addressed to it by name."""
    host = urlsplit(f"//{request.host}").hostname or ""
    return _is_loopback(request.remote_addr or "") and (host == "localhost" or _is_loopback(host))


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class _StoreTotals(Collector):
    """Totals of the store for metrics, computed on request and cached for KEPT seconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._until = 0.0
        self._last: Totals | None = None

    def collect(self) -> Iterable[Metric]:
        """Gauges and counters; with a store that does not answer only that it does not."""
        found = self._totals()
        yield GaugeMetricFamily("panelwise_store_up", "1 where the store answers.", value=float(found is not None))
        if found is None:
            return
        decisions = CounterMetricFamily("panelwise_decisions", "Decisions ever kept.", labels=["status"])
        for status, count in sorted(found.decisions.items()):
            decisions.add_metric([status], count)
        yield decisions
        yield CounterMetricFamily(
            "panelwise_reopenings", "Figures opened again after a decision.", value=found.reopenings
        )
        queue = GaugeMetricFamily("panelwise_queue_figures", "Figures of the queue.", labels=["state"])
        queue.add_metric(["open"], found.queue - found.decided)
        queue.add_metric(["decided"], found.decided)
        yield queue
        tasks = GaugeMetricFamily("panelwise_tasks", "Tasks given to annotators.", labels=["state"])
        tasks.add_metric(["open"], found.tasks_open)
        tasks.add_metric(["submitted"], found.tasks - found.tasks_open)
        yield tasks
        for name, told, value in (
            ("figures", "Figures of the campaign.", found.figures),
            ("annotations", "Annotations kept, superseded ones too.", found.annotations),
            ("people", "People of the campaign.", found.people),
            ("reviewers_at_work", "Reviewers who have a figure open.", found.reviewers_at_work),
        ):
            yield GaugeMetricFamily(f"panelwise_{name}", told, value=value)

    def describe(self) -> Iterable[Metric]:
        """Nothing: registering must not ask the store."""
        return ()

    def _totals(self) -> Totals | None:
        # One thread asks the store: where that takes long, others answer with the last totals.
        if time.monotonic() >= self._until and self._lock.acquire(blocking=False):
            try:
                with self._store.read() as tx:
                    self._last = tx.status.totals(datetime.now(UTC))
            except AnnotatorError:
                self._last = None
            finally:
                self._until = time.monotonic() + CACHED_SECONDS
                self._lock.release()
        return self._last
