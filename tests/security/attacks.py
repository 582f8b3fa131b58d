"""Requests as attackers, scanners and broken programs make them: for every route that the app has."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from damage import ODD_VALUES, odd_record
from hypothesis import strategies as st
from security.whole_campaign import FIGURES
from werkzeug.routing import Rule

from panelwise.domain.addresses import figure_segment

#: Where a program's tables, files and templates give way, if they do.
NASTY = (
    *("", " ", "0", "-1", "1", "2", "9" * 30, "1e999", "NaN", "null", "true", "undefined", "None", "[]", "{}"),
    *("'", '"', "' OR '1'='1", "1; DROP TABLE decisions--", "%", "_", "%00", "\\", "*", "a* b*", '"a" NEAR "b"'),
    *(
        "../../../../etc/passwd",
        "..\\..\\secret.key",
        "/etc/passwd",
        "....//secret.key",
        "secret.key",
        "store.sqlite",
    ),
    *(
        "<script>alert(1)</script>",
        "{{7*7}}",
        "${7*7}",
        "{% raise %}",
        "javascript:alert(1)",
        "//evil.example",
        "\r\nX-A: 1",
    ),
    *(
        "\x00",
        "a\x00b",
        "\ud800",
        "\ufeff",
        "\u202e",
        "é",
        "e\u0301",
        "漢字",
        "😀",
        "\U0010ffff",
        "ﬀ",
        "ſ",
        "İ",
        "\x7f",
        "\x85",
    ),
    *("9" * 5000, "x" * 5000, "😀" * 2000, "(" * 3000, "[" * 3000, "a b " * 1500),
    *("=1+1", "http://169.254.169.254/", "file:///etc/passwd", "2026-13-45", "+1", "0x10", "１", "1_000", " 1 "),
)
#: Parameters that some route knows.
PARAMETERS = (
    *("gold", "predicted", "phase", "page", "after", "before", "show", "loss", "annotator", "agreed", "status"),
    *(
        "reviewer",
        "second",
        "skipped",
        "q",
        "revision",
        "name",
        "failed",
        "next",
        "done",
        "password",
        "old",
        "new",
    ),
    *("again", "figure", "version", "loaded", "note", "csrf_token", "v", "fields", "unheard-of", "order"),
)
#: Values that some route knows, so that the attack gets past the first door.
KNOWN = (
    "open",
    "settled",
    "all",
    "1",
    "2",
    "types",
    "qa",
    "f1",
    "q/1",
    "plain",
    "yes",
    "accepted",
    "rev1",
    "lung",
    "x f1",
)
SUBFIGURES = {
    "version": 0,
    "status": "accepted",
    "subfigures": [{"label": "A", "box": [0, 0, 400, 600], "tokens": [4, 6, 7]}],
    "based_on": ["a"],
    "note": "fine",
    "seconds": 12.5,
    "error_kind": "gap",
    "guideline_flag": "does a scale bar count?",
    "second": False,
}
#: What a route takes as JSON, by its endpoint.
DRAFTS: Mapping[str, Mapping[str, Any]] = {
    "api.decide": SUBFIGURES,
    "api.findings": SUBFIGURES,
    "items.decide": {
        "version": 0,
        "status": "accepted",
        "kind": {"compound": True, "count": 2, "types": ["tree"], "note": ""},
        "verdicts": [{"item": "q/1-q1", "verdict": "Correct", "note": "", "edited": None}],
        "based_on": [],
        "note": "",
    },
    "items.findings": {"version": 0, "status": "accepted", "kind": None, "verdicts": []},
    "blind.write": {"version": 0, "status": "accepted", "texts": [[4, 6], [10, 12]], "seconds": 3.5},
    "taking.look": {"done": True},
    "taking.skip": {},
    "comments.add": {"body": "Does B reach the colour bar?", "thread": None, "recipient": ""},
    "comments.read": {"last": 1},
    "own_tasks.comment": {"body": "Does B reach the colour bar?", "thread": None},
    "own_tasks.read_comments": {"last": 1},
    "own_tasks.submit": SUBFIGURES,
    "v1.decide": SUBFIGURES,
}
#: Whole numbers beside and beyond what the databases' columns and Python's own conversions hold.
NUMBERS = (2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30)
#: Texts that no table, file system, index or expression holds, or only after long work.
TEXTS = (
    *(str(2**63), "9" * 5000, "1e400", "-1", "x" * 256, "é" * 200, "x" * 100_000),
    *(
        "\x00",
        "a\x00b",
        "\ud800",
        "a\udfffb",
        "..",
        ". " * 3000,
        "a b " * 1500,
        '"' * 3001,
        "漢 " * 4000,
        "%" * 3000,
    ),
)
#: One of each kind of these, which every run tries; `--soak` tries all.
SOME_NUMBERS, SOME_TEXTS = (2**63,), (TEXTS[0], "x" * 256, "a\x00b", "\ud800", TEXTS[-1])
#: What no reader of JSON makes a value of: no text, brackets without end, a number longer than Python reads.
BROKEN_JSON = (b'{"note": "\xff"}', b'{"\xff": 1}', b"[" * 100_000, b'{"done":' * 100_000, b"9" * 5000)
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
TYPES = (
    JSON,
    f"{JSON}; charset=utf-16",
    FORM,
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "text/plain",
    "a/b;" * 50,
    "",
)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")

text = st.one_of(st.sampled_from(NASTY), st.sampled_from(KNOWN), st.text(max_size=30))
odd_json = st.one_of(
    st.sampled_from(ODD_VALUES),
    st.recursive(st.none() | st.booleans() | st.floats() | text, lambda inner: st.lists(inner, max_size=3)).map(
        lambda value: json.dumps(value)
    ),
)


@dataclass(frozen=True)
class Request:
    """One request, as a server hands it to the app. path, query: their bytes, percent signs in the path undone."""

    method: str
    path: bytes
    query: bytes
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    sealed: bool = True

    def environ(self, cookie: str, seal: str) -> dict[str, Any]:
        """The WSGI environment."""
        headers = dict(self.headers)
        if self.sealed:
            headers.setdefault("X-CSRFToken", seal)
        kind = headers.pop("Content-Type", None)
        built = {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path.decode("latin-1"),
            "QUERY_STRING": self.query.decode("latin-1"),
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": cookie,
            "CONTENT_LENGTH": str(len(self.body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        if kind is not None:
            built["CONTENT_TYPE"] = kind
        for name, value in headers.items():
            # What a server lets through of a header: latin-1, on one line.
            built[f"HTTP_{name.upper().replace('-', '_')}"] = value
        return built


header_value = text.map(
    lambda value: "".join(each for each in value if 0x20 <= ord(each) < 0x7F or 0xA0 <= ord(each) < 0x100)[:2000]
)
headers = st.dictionaries(
    st.sampled_from(
        (
            "Range",
            "If-None-Match",
            "If-Modified-Since",
            "If-Range",
            "Accept",
            "Accept-Language",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "Host",
            "Referer",
            "Origin",
            "X-CSRFToken",
            "Cookie",
            "Content-Encoding",
            "Authorization",
            "X-Request-Id",
            "X-HTTP-Method-Override",
            "Transfer-Encoding",
            "Expect",
            "Forwarded",
            "X-Original-URL",
        )
    ),
    header_value
    | st.sampled_from(
        ("bytes=0-", "bytes=-1,5-,0-0,99999999999-", 'W/"x", *', "Thu, 99 Foo 2026", "localhost", "a" * 64)
    ),
    max_size=2,
)


def on_the_wire(value: str) -> bytes:
    """The bytes that a path is of, once the server has undone the percent signs."""
    return value.encode("utf-8", "surrogatepass")


def part(name: str, keys: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    """What stands in a variable part of a route; mostly what exists, so that what lies behind is reached."""
    if name == "figure_id":
        there = st.sampled_from([figure_segment(each).encode() for each in FIGURES])
    elif name == "key":
        there = st.sampled_from([key.encode() for key in keys])
    elif name == "filename":
        there = st.sampled_from(
            (b"pages.css", b"dist/adjudication.js", b"dist/../pages.css", b"dist", b"../web/app.py")
        )
    else:
        there = st.just(b"1")
    odd = text.map(on_the_wire) | st.binary(max_size=12)
    return there | there | odd


@st.composite
def path(draw: st.DrawFn, rule: Rule, keys: tuple[str, ...]) -> bytes:
    """An address of the route, its variable parts filled in."""
    made = b""
    for is_variable, piece in rule._trace:
        if piece == "|":
            continue
        made += draw(part(piece, keys)) if is_variable else piece.encode()
    return made


@st.composite
def query(draw: st.DrawFn) -> bytes:
    """What stands behind the question mark."""
    if draw(st.booleans()):
        return b""
    if draw(st.integers(0, 7)) == 0:
        return draw(st.binary(max_size=30))
    pairs = draw(st.lists(st.tuples(st.sampled_from(PARAMETERS), text), max_size=4))
    return urlencode(pairs, errors="surrogatepass").encode()


@st.composite
def body(draw: st.DrawFn, endpoint: str) -> tuple[bytes, str]:
    """A body and its type: mostly what the route reads, spoilt."""
    draft = DRAFTS.get(endpoint)
    kind = draw(st.sampled_from(["own", "own", "own", "json", "form", "files", "bytes", "broken"]))
    if kind == "broken":
        return draw(st.sampled_from(BROKEN_JSON)), JSON
    if kind == "own" and draft:
        sound = draw(st.integers(0, 4)) == 0
        return (json.dumps(draft) if sound else draw(odd_record(draft))).encode("utf-8", "surrogatepass"), JSON
    if kind == "json":
        return draw(odd_json).encode("utf-8", "surrogatepass"), JSON
    if kind == "files":
        return multipart(draw(st.lists(st.tuples(text, text, st.binary(max_size=40)), max_size=3)))
    if kind == "bytes":
        return draw(st.binary(max_size=200)), draw(st.sampled_from(TYPES))
    pairs = draw(st.lists(st.tuples(st.sampled_from(PARAMETERS), text), max_size=6))
    return urlencode(pairs, errors="surrogatepass").encode(), FORM


def multipart(files: list[tuple[str, str, bytes]]) -> tuple[bytes, str]:
    """A form with files, as no page of the app sends one."""
    lines = b""
    for name, file, content in files:
        head = f'Content-Disposition: form-data; name="{quote(name, errors="replace")}"; filename="{file}"'
        lines += b"--edge\r\n" + head.encode("utf-8", "surrogatepass") + b"\r\n\r\n" + content + b"\r\n"
    return lines + b"--edge--\r\n", "multipart/form-data; boundary=edge"


@st.composite
def attack(draw: st.DrawFn, rule: Rule, keys: tuple[str, ...]) -> Request:
    """A request to the route: of its own methods mostly, sealed mostly."""
    own = sorted((rule.methods or set()) - {"OPTIONS"})
    method = draw(st.sampled_from(own) | st.sampled_from(own) | st.sampled_from(METHODS))
    carried = draw(headers)
    content = b""
    if method in ("POST", "PUT", "PATCH", "DELETE") or draw(st.integers(0, 5)) == 0:
        content, kind = draw(body(rule.endpoint))
        carried = {**carried, "Content-Type": kind}
    return Request(method, draw(path(rule, keys)), draw(query()), content, carried, draw(st.integers(0, 9)) > 0)


@dataclass(frozen=True)
class Hostile:
    """Hostile values, and the places of a request that they are put into, one at a time."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]

    def in_path(self, rule: Rule, keys: tuple[str, ...]) -> Iterator[bytes]:
        """Addresses of the route with one part hostile and the others known; the first with known parts only."""
        known = {"figure_id": figure_segment("f1"), "key": keys[0], "filename": "pages.css", "number": "1"}
        pieces = [piece for piece in rule._trace if piece[1] != "|"]

        def filled(spoilt: str, value: bytes) -> bytes:
            return b"".join(
                (value if name == spoilt else known.get(name, "f1").encode()) if is_variable else name.encode()
                for is_variable, name in pieces
            )

        yield filled("", b"")
        values = [on_the_wire(value) for value in self.as_texts() if len(value) < 20_000]
        for is_variable, name in pieces:
            for value in (*values, b"\xff\xfe", b"a%00b") if is_variable else ():
                yield filled(name, value)

    def in_pairs(self, names: Iterable[str]) -> Iterator[bytes]:
        """`name=value`, as in an address or a form."""
        for name in names:
            for value in self.as_texts():
                yield urlencode([(name, value)], errors="surrogatepass").encode()

    def in_draft(self, draft: Any) -> Iterator[Any]:
        """The draft with one of its values replaced, or with an unknown key."""
        if isinstance(draft, Mapping):
            for key, inner in draft.items():
                yield from ({**draft, key: spoilt} for spoilt in self.in_draft(inner))
            yield {**draft, "\ud800": 1}
        elif isinstance(draft, list) and draft:
            yield from ([spoilt, *draft[1:]] for spoilt in self.in_draft(draft[0]))
            yield draft * 2000
        yield from (*self.numbers, *self.texts, None, True, 1e308, [], {}, [[[]]])

    def as_texts(self) -> tuple[str, ...]:
        """The numbers and the texts, as an address has them."""
        return (*map(str, self.numbers), *self.texts)


def json_bytes(value: Any) -> bytes:
    """The value as JSON, half surrogates escaped."""
    return json.dumps(value).encode()
