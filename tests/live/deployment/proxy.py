"""The proxy of a deployment, run outside its container."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from deployment.services import Deployment
from free_ports import free_port


def _caddy() -> str:
    program = os.environ.get("PANELWISE_CADDY") or shutil.which("caddy")
    if program is None:
        pytest.skip("no Caddy here: name one with PANELWISE_CADDY, or apt-get install caddy")
    return program


@contextmanager
def running_proxy(deployed: Deployment) -> Iterator[tuple[int, ssl.SSLContext]]:
    """Run the proxy with its own configuration on free ports; yields its port and a context that trusts it."""
    program = _caddy()
    secure, plain, alive = free_port(), free_port(), free_port()
    text = (deployed.folder / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    text = text.replace(
        "admin off", f"admin off\n\thttp_port {plain}\n\thttps_port {secure}\n\tskip_install_trust", 1
    )
    for name, port in deployed.ports.items():
        text = re.sub(rf"\b{name}:\d+", f"127.0.0.1:{port}", text)
    text = text.replace(":8001", f":{alive}")
    version = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
    if re.match(r"v?2\.[0-6]\.", version):  # Debian's, older than the pinned image, has another word for it
        text = re.sub(r"request_buffers \S+", "buffer_requests", text)
    file = deployed.run_folder / "Caddyfile"
    file.write_text(text)
    data = deployed.run_folder / "caddy"
    given = {key: deployed.here(value) for key, value in deployed.services["proxy"]["environment"].items()}
    process = subprocess.Popen(
        [program, "run", "--config", file, "--adapter", "caddyfile"],
        env={"PATH": os.environ["PATH"], "HOME": str(data), "XDG_DATA_HOME": str(data), **given},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    authority = data / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    try:
        until = time.monotonic() + 300
        while True:
            try:
                assert httpx.get(f"http://127.0.0.1:{alive}/", trust_env=False, timeout=300).status_code == 200
                context = ssl.create_default_context(cafile=str(authority))
                ask_proxy(secure, context, "panelwise.localhost", "GET", "/health")
                break
            except (httpx.HTTPError, OSError):
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.1)
        yield secure, context
    finally:
        process.terminate()
        process.wait(300)


def ask_proxy(
    port: int, context: ssl.SSLContext, host: str, method: str, path: str, **more: Any
) -> httpx.Response:
    """Ask the proxy, under one of its names."""
    headers = {"Host": host, **more.pop("headers", {})}
    with httpx.Client(verify=context, trust_env=False, timeout=300) as client:
        url = f"https://127.0.0.1:{port}{path}"
        return client.request(method, url, headers=headers, extensions={"sni_hostname": host}, **more)
