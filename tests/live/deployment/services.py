"""The services of docker-compose.yml as processes of this machine: for where there is no container engine.

Each runs the command and the environment that the file gives it. What belongs to a container is replaced: names of
services become ports of this machine, its folders become folders below one. Run as a program, it stands for docker
and knows as much of `docker compose` as the how-to needs.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

sys.path.append(str(Path(__file__).parents[2]))  # Where it runs as a program, too.
from free_ports import free_port

BIN = Path(sys.executable).parent
#: Seconds that a service may take to be healthy: Label Studio makes some 300 tables first.
PATIENCE = 900.0


class Deployment:
    """folder: a copy of what is deployed, with .env. Ports, process ids and logs are kept in its folder `.run`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_folder = folder / ".run"
        self.run_folder.mkdir(exist_ok=True)
        file = yaml.safe_load((folder / "docker-compose.yml").read_text(encoding="utf-8"))
        self.services: dict[str, dict[str, Any]] = file["services"]
        self.settings = dict(
            line.split("=", 1)
            for line in (folder / ".env").read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")
        )
        ports = self.run_folder / "ports.json"
        if not ports.exists():
            ports.write_text(
                json.dumps({name: free_port() for name in ("postgres", "label-studio", "adjudication", "model")})
            )
        self.ports: dict[str, int] = json.loads(ports.read_text())

    # -- what a container has, here ---------------------------------------------------------------------------

    def here(self, text: str, mounts: dict[str, str] | None = None) -> str:
        """A text of the file as it must be on this machine."""

        def setting(found: re.Match[str]) -> str:
            value = self.settings.get(found[1], "")
            assert value, f"{found[1]}{found[2]}"
            return value

        text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)  # what has a default has it
        text = re.sub(r"\$\{(\w+)(:\?[^}]*)\}", setting, text)
        places = {
            **(mounts or {}),
            "/run/secrets": str(self.folder / "deploy" / "secrets"),
            "/run/panelwise": str(self.folder / "deploy" / "label-studio"),
            "/run/databases": str(self.folder / "deploy" / "postgres"),
            "/access": str(self.run_folder / "access"),
            "/files": str(self.run_folder / "files"),
            "/campaign": str(self.run_folder / "campaign"),
            "@postgres:5432": f"@127.0.0.1:{self.ports['postgres']}",
            "http://label-studio:8000": f"http://127.0.0.1:{self.ports['label-studio']}",
            "http://127.0.0.1:8000": f"http://127.0.0.1:{self.ports['label-studio']}",
            "http://127.0.0.1:8090": f"http://127.0.0.1:{self.ports['adjudication']}",
            "--port=8090": f"--port={self.ports['adjudication']}",
            "http://model:9090": f"http://127.0.0.1:{self.ports['model']}",
            "http://127.0.0.1:9090": f"http://127.0.0.1:{self.ports['model']}",
            "--port=9090": f"--port={self.ports['model']}",
            "--host=0.0.0.0": "--host=127.0.0.1",
            "172.31.57.2": "127.0.0.1",
        }
        # In one go, and a folder only where a path begins: what was put in is not looked at again.
        begins = r"(?<![\w.-])"
        either = "|".join((begins if there[0] == "/" else "") + re.escape(there) for there in places)
        return re.sub(rf"(?:{either})(?![\w-])", lambda found: places[found[0]], text)

    def environment(self, name: str) -> dict[str, str]:
        """What the service gets: what the file says, and of ours only what every program needs."""
        kept = {each: os.environ[each] for each in ("PATH", "HOME", "LANG", "TMPDIR") if each in os.environ}
        given = {key: self.here(str(value)) for key, value in self.services[name].get("environment", {}).items()}
        if name == "label-studio":
            given["POSTGRE_HOST"], given["POSTGRE_PORT"] = "127.0.0.1", str(self.ports["postgres"])
            given["PANELWISE_SECRETS"] = str(self.folder / "deploy" / "secrets")
            given["LABEL_STUDIO_BASE_DATA_DIR"] = str(self.run_folder / "label-studio")
            # A network without a way out.
            given |= {
                each: "http://127.0.0.1:9" for each in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
            }
        given["NO_PROXY"] = given["no_proxy"] = "127.0.0.1,localhost"
        return {**kept, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1", **given, "PATH": f"{BIN}:{kept['PATH']}"}

    # -- processes --------------------------------------------------------------------------------------------

    def start(self, name: str, command: list[str], environment: dict[str, str], **more: Any) -> None:
        with (self.run_folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **{"cwd": self.run_folder, **more},
            )
        (self.run_folder / f"{name}.pid").write_text(str(process.pid))
        # It goes on when this program ends; `stop`, perhaps of another one, waits for it by its id.
        process.returncode = 0

    def pid(self, name: str) -> int | None:
        """Of the service's process; None where none runs."""
        try:
            pid = int((self.run_folder / f"{name}.pid").read_text())
            with (Path("/proc") / str(pid) / "stat").open() as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            return None
        return None if state == "Z" else pid

    def log(self, name: str) -> str:
        file = self.run_folder / f"{name}.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def log_with(self, name: str, words: str, seconds: float = 300.0) -> str:
        """Its log once it says so: a request is told after its answer, and whoever asked may be here before."""
        until = time.monotonic() + seconds
        while words not in (log := self.log(name)):
            assert time.monotonic() < until, f"{name} does not say {words}: {log[-2000:]}"
            time.sleep(0.02)
        return log

    def stop(self, name: str, seconds: float = 120.0) -> bool:
        """SIGTERM as docker sends it; whether that was enough."""
        pid = self.pid(name)
        if pid is None:
            return True
        os.killpg(pid, signal.SIGINT if name == "postgres" else signal.SIGTERM)
        until = time.monotonic() + seconds
        while self._alive(pid) and time.monotonic() < until:
            time.sleep(0.05)
        if self._alive(pid):
            os.killpg(pid, signal.SIGKILL)
            return False
        return True

    def _alive(self, pid: int) -> bool:
        try:
            ended, _ = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return Path(f"/proc/{pid}").exists()
        return not ended

    def healthy(self, name: str) -> bool:
        """What the service's own check says."""
        check = self.services[name]["healthcheck"]
        if check.get("disable"):
            return self.pid(name) is not None
        program, *arguments = [self.here(each) for each in check["test"][1:]]
        environment = None
        if name == "postgres":
            environment = {
                "PATH": f"{self.postgres_programs()}:{os.environ['PATH']}",
                "PGHOST": str(self.run_folder / "socket"),
                "PGPORT": str(self.ports["postgres"]),
            }
        if program == "python3":
            program = sys.executable
        command = [program, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0

    def up(self, *names: str) -> None:
        """Start those services and what they wait for; returns once they are healthy."""
        for name in names:
            self.up(*self.services[name].get("depends_on", {}))
            if self.pid(name) is None:
                getattr(self, f"_start_{name.replace('-', '_')}")()
            until, pause = time.monotonic() + PATIENCE, 0.2
            while not self.healthy(name):
                assert self.pid(name) is not None, f"{name} ended: {self.log(name)[-2000:]}"
                assert time.monotonic() < until, f"{name} is not healthy: {self.log(name)[-2000:]}"
                time.sleep(pause)
                # Each check is a process that takes from what the service needs to get there.
                pause = min(1.5 * pause, 3.0)

    def down(self) -> None:
        for name in reversed(list(self.services)):
            self.stop(name)

    def run(
        self, name: str, command: list[str], mounts: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """One command in the service's environment, as `docker compose run` does."""
        return subprocess.run(
            [self.here(each, mounts) for each in command],
            env=self.environment(name),
            cwd=self.run_folder,
            capture_output=True,
            text=True,
            check=False,
        )

    # -- one by one -------------------------------------------------------------------------------------------

    def postgres_programs(self) -> Path:
        kept = self.run_folder / "programs.txt"
        return Path(kept.read_text())

    def _start_postgres(self) -> None:
        """What the image does: initdb, its scripts once, then the server on TCP."""
        import pwd

        programs, data = self.postgres_programs(), self.run_folder / "postgres-data"
        nobody = pwd.getpwnam("nobody")
        who: dict[str, Any] = {}
        if os.geteuid() == 0:
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        new = not data.exists()
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C", "HOME": str(self.run_folder)}
        settings = self.services["postgres"]["environment"]
        if new:
            data.mkdir(mode=0o700)
            password = self.run_folder / "pwfile"
            shutil.copy(self.here(settings["POSTGRES_PASSWORD_FILE"]), password)
            if who:
                shutil.chown(data, who["user"], who["group"])
                shutil.chown(password, who["user"], who["group"])
            command = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", f"--pwfile={password}"]
            command += [*shlex.split(settings["POSTGRES_INITDB_ARGS"]), "-E", "UTF8", "--no-sync"]
            done = subprocess.run(
                command, env=environment, cwd="/", capture_output=True, text=True, check=False, **who
            )
            assert done.returncode == 0, done.stderr
            password.unlink()
        socket_folder = self.run_folder / "socket"
        socket_folder.mkdir(exist_ok=True)
        if who:
            shutil.chown(socket_folder, who["user"], who["group"])
        port = str(self.ports["postgres"])
        options = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={socket_folder}"]
        options += ["-c", f"port={port}", "-c", "fsync=off", "-c", "synchronous_commit=off"]
        self.start("postgres", [str(programs / "postgres"), "-D", str(data), *options], environment, **who)
        if not new:
            return
        ready = [programs / "pg_isready", "-q", "-h", socket_folder, "-p", port]
        until = time.monotonic() + 300
        while subprocess.run(ready, check=False).returncode:
            assert time.monotonic() < until, self.log("postgres")
            time.sleep(0.05)
        script = next(
            each for each in self.services["postgres"]["volumes"] if "/docker-entrypoint-initdb.d/" in each
        ).split(":")[0]
        done = subprocess.run(
            ["sh", self.folder / script],
            env={
                **environment,
                **{"PGHOST": str(socket_folder), "PGPORT": port, "POSTGRES_USER": "postgres"},
                "PANELWISE_SECRETS": str(self.folder / "deploy" / "secrets"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def _start_label_studio(self) -> None:
        """What the image's entry point does for `label-studio-uwsgi`, by a WSGI server that is not uWSGI."""
        (self.run_folder / "label-studio").mkdir(exist_ok=True)
        assert self.services["label-studio"]["command"] == ["label-studio-uwsgi"]
        environment = self.environment("label-studio")
        program = (self.run_folder / "label-studio.txt").read_text()
        environment["PATH"] = f"{Path(program).parent}:{os.environ['PATH']}"
        mounts = [each.removesuffix(":ro").split(":") for each in self.services["label-studio"]["volumes"]]
        module = self.folder / next(ours for ours, there in mounts if there.endswith("/core/wsgi.py"))
        rules = next((ours, there) for ours, there in mounts if there.startswith("/run/panelwise/panelwise_"))
        link = Path(self.here(rules[1]))
        if not link.is_symlink():
            link.symlink_to(self.folder / rules[0], target_is_directory=True)
        server = Path(__file__).with_name("wsgi_server.py")
        serve = f"{Path(program).with_name('python')} -P {server} {module} {self.ports['label-studio']}"
        script = f'set -e; . "$ENV_INJECT_SOURCES"; label-studio init; exec {serve}'
        self.start("label-studio", ["sh", "-c", script], environment)

    def _start_adjudication(self) -> None:
        self._start_as_it_stands("adjudication")

    def _start_worker(self) -> None:
        self._start_as_it_stands("worker")

    def _start_model_classic(self) -> None:
        self._start_as_it_stands("model-classic")

    def _start_as_it_stands(self, name: str) -> None:
        """A service of ours: nothing but its command and its environment."""
        command = [self.here(each) for each in self.services[name]["command"]]
        self.start(name, command, self.environment(name))


def main() -> int:
    """`docker compose ...`, as far as the how-to uses it."""
    assert sys.argv[1] == "compose", sys.argv
    deployment = Deployment(Path.cwd())
    arguments = sys.argv[2:]
    profiles = []
    while arguments[0] == "--profile":
        profiles.append(arguments[1])
        del arguments[:2]
    verb = arguments.pop(0)
    mounts: dict[str, str] = {}
    while arguments and arguments[0].startswith("-"):
        option = arguments.pop(0)
        if option == "-v":
            ours, there = arguments.pop(0).removesuffix(":ro").split(":")
            mounts[there] = ours
        else:
            assert option in ("-d", "--build", "--wait", "--rm", "-T", "-q"), option
    # The proxy takes ports 80 and 443, which are not ours to take.
    running = [
        name
        for name, service in deployment.services.items()
        if name != "proxy" and set(service.get("profiles", [])) <= set(profiles)
    ]
    if verb == "up":
        deployment.up(*(arguments or running))
    elif verb == "run":
        needed = deployment.services[arguments[0]].get("depends_on", {})
        deployment.up(*(each for each in needed if deployment.pid(each) is None))
        done = deployment.run(arguments[0], arguments[1:], mounts)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        return done.returncode
    elif verb == "ps":
        for name in running:
            sys.stdout.write(f"{name} {'healthy' if deployment.healthy(name) else 'unhealthy'}\n")
    else:
        raise AssertionError(f"docker compose {verb}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
