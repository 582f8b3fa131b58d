"""Templates and routes compiled once a process: each test makes an app, and compiling is most of the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from werkzeug.routing import Rule


class Kept(BytecodeCache):
    """Compiled templates, in memory. Its keys carry the source's checksum."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get(bucket.key + bucket.checksum)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key + bucket.checksum] = bucket.code


@contextmanager
def compiled_once() -> Iterator[None]:
    """Every app made meanwhile finds what an earlier one has compiled; all have the same settings of Jinja."""
    make, build = Flask.create_jinja_environment, Rule._compile_builder
    cache = Kept()
    builders: dict[Any, Any] = {}

    def with_cache(app: Flask) -> Environment:
        made = make(app)
        made.bytecode_cache = cache
        return made

    def builder(rule: Rule, append_unknown: bool = True) -> Any:
        key = rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown
        if key not in builders:
            builders[key] = build(rule, append_unknown)
        return builders[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Flask, "create_jinja_environment", with_cache)
        patch.setattr(Rule, "_compile_builder", builder)
        yield
