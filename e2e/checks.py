"""What must hold of the running containers. Each check is a function; a failed one raises an AssertionError."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from e2e.engine import Engine
from e2e.visitor import Visitor

READY_TIMEOUT_S = 90.0
# Longer than a tick and a restart.
WORK_TIMEOUT_S = 60.0
REQUEST = {
    "id": "e2e",
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "accelerator": "nvidia-rtx-4090",
    "count": 1,
    "engine": {"name": "vllm", "version": None},
    "settings": {"max_model_len": 4096, "max_num_seqs": 16},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
}


@dataclass(slots=True)
class Stage:
    """The running project: its engine, how Compose is called for it, and where it answers."""

    engine: Engine
    compose: list[str]
    address: str
    visitor: Visitor = field(init=False)

    def __post_init__(self) -> None:
        self.visitor = Visitor(self.address)

    def container(self, service: str) -> str:
        """Return the id of the service's container."""
        return self.engine.run([*self.compose, "ps", "--quiet", service]).split()[0]

    def inspect(self, service: str, what: str) -> str:
        """Return one value of the container's state, in the engine's template language."""
        return self.engine.docker("inspect", "--format", what, self.container(service)).strip()

    def inside(self, service: str, *command: str) -> str:
        """Run a command in the container and return what it printed."""
        return self.engine.docker("exec", self.container(service), *command)


def wait_for(is_so: Callable[[], bool], *, what: str, seconds: float) -> None:
    """Wait until `is_so`, or fail naming `what` was waited for."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"{what} not within {seconds:.0f} s"
        time.sleep(0.5)


def _is_ready(stage: Stage) -> bool:
    return stage.visitor.get("/readyz")[0] == 200


def every_component_gets_ready(stage: Stage) -> None:
    """Database, migrations, broker and catalog."""
    wait_for(
        lambda: _is_ready(stage),
        what=f"ready (last answer: {stage.visitor.get('/readyz')})",
        seconds=READY_TIMEOUT_S,
    )


def containers_are_not_root(stage: Stage) -> None:
    """None of ours runs as root, can write to its files, or can install packages."""
    for service in ("web", "worker", "scheduler"):
        assert stage.inside(service, "id", "-u").strip() == "10001", service
        assert stage.inspect(service, "{{.HostConfig.ReadonlyRootfs}}") == "true", service
    assert (
        stage.inside("web", "python", "-c", "import importlib.util as u; print(u.find_spec('pip'))").strip()
        == "None"
    )


def a_person_signs_in_by_the_link_once(stage: Stage) -> None:
    """The link of the README's command signs in; a second time it doesn't."""
    link = stage.inside("web", "python", "manage.py", "sign_in_link").strip()
    status, _page = stage.visitor.submit(link, password="", repeated="")
    assert status == 200, f"status {status}"
    assert stage.visitor.get("/account/")[0] == 200
    stranger = Visitor(stage.address)
    assert stranger.submit(link, password="", repeated="")[0] in (404, 410)
    assert 'name="username"' in stranger.get("/account/")[1]


def the_planner_answers(stage: Stage) -> None:
    """The page opens with its worked example."""
    status, page = stage.visitor.get("/plan/")
    assert status == 200, f"status {status}"
    assert "Qwen" in page


def an_estimate_is_answered(stage: Stage) -> None:
    """A 7B model in bf16 needs 15 GB, which a card of 24 GB holds."""
    status, body = stage.visitor.post_json("/api/v1/estimates", REQUEST)
    assert status == 200, f"status {status}: {body[:300]}"
    assert json.loads(body)["verdict"] == "fits", body[:300]


def metrics_count_the_requests(stage: Stage) -> None:
    """Strangers get nothing; an administrator sees requests of every web process."""
    assert Visitor(stage.address).get("/metrics")[0] == 401
    status, text = stage.visitor.get("/metrics")
    assert status == 200, f"status {status}"
    assert "decodeck_requests_total{" in text


def _worker_answers(stage: Stage) -> bool:
    ping = ["python", "-m", "celery", "--quiet", "--app", "config", "inspect", "ping", "--timeout", "5"]
    return "pong" in stage.engine.docker("exec", stage.container("worker"), *ping, check=False)


def a_killed_worker_comes_back_and_works(stage: Stage) -> None:
    """SIGKILL the worker's first process on the host, as the kernel would when memory runs out."""
    before = int(stage.inspect("worker", "{{.RestartCount}}"))
    os.kill(int(stage.inspect("worker", "{{.State.Pid}}")), signal.SIGKILL)
    wait_for(
        lambda: int(stage.inspect("worker", "{{.RestartCount}}")) > before,
        what="a restart of the worker",
        seconds=WORK_TIMEOUT_S,
    )
    wait_for(lambda: _worker_answers(stage), what="an answer of the new worker", seconds=WORK_TIMEOUT_S)


def a_lost_queue_is_reported_and_survived(stage: Stage) -> None:
    """Without Redis /readyz says so and pages still answer; when it's back, all is well."""
    stage.engine.run([*stage.compose, "stop", "--timeout", "2", "redis"])
    wait_for(lambda: stage.visitor.get("/readyz")[0] == 503, what="status 503", seconds=30)
    components = json.loads(stage.visitor.get("/readyz")[1])["components"]
    assert components == {"database": "ok", "migrations": "ok", "broker": "failing", "catalog": "ok"}, (
        components
    )
    assert stage.visitor.get("/plan/")[0] == 200
    stage.engine.run([*stage.compose, "start", "redis"])
    wait_for(lambda: _is_ready(stage), what="ready again", seconds=60)


def a_restarted_database_is_found_again(stage: Stage) -> None:
    """Connections that died with the database are made anew, and the data is still there."""
    stage.engine.run([*stage.compose, "restart", "--timeout", "5", "postgres"])
    wait_for(lambda: _is_ready(stage), what="ready again", seconds=60)
    assert stage.visitor.get("/account/")[0] == 200


def everything_stops_within_its_grace(stage: Stage) -> None:
    """SIGTERM ends each part by itself: exit code 137 would mean that it had to be killed."""
    stage.engine.run([*stage.compose, "stop", "--timeout", "30", "web", "worker", "scheduler"])
    codes = {
        service: stage.inspect(service, "{{.State.ExitCode}}") for service in ("web", "worker", "scheduler")
    }
    assert codes == {"web": "0", "worker": "0", "scheduler": "0"}, codes


CHECKS: tuple[Callable[[Stage], None], ...] = (
    every_component_gets_ready,
    containers_are_not_root,
    a_person_signs_in_by_the_link_once,
    the_planner_answers,
    an_estimate_is_answered,
    metrics_count_the_requests,
    a_killed_worker_comes_back_and_works,
    a_lost_queue_is_reported_and_survived,
    a_restarted_database_is_found_again,
    everything_stops_within_its_grace,
)
