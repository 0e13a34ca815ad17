"""What a Prefect server knows, read from its REST API."""

from __future__ import annotations

import time
from typing import Any

import httpx

FINAL = {"COMPLETED", "FAILED", "CANCELLED", "CRASHED"}


class Api:
    """A server by its address; every wait is bounded."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=url, timeout=30, trust_env=False)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._answer("POST", path, json=body or {})

    def get(self, path: str) -> Any:
        return self._answer("GET", path)

    def _answer(self, method: str, path: str, **content: Any) -> Any:
        """The JSON answer; a server that is busy asks to be asked again."""
        for _ in range(20):
            answer = self._client.request(method, path, **content)
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(0.5)
        answer.raise_for_status()
        return answer.json()

    def flow_runs(self) -> list[dict[str, Any]]:
        """All flow runs, the oldest first."""
        runs: list[dict[str, Any]] = self.post("/flow_runs/filter", {"sort": "START_TIME_ASC", "limit": 200})
        return runs

    def flow_run(self, run_id: str) -> dict[str, Any]:
        run: dict[str, Any] = self.get(f"/flow_runs/{run_id}")
        return run

    def task_runs(self, run_id: str) -> list[dict[str, Any]]:
        """The task runs of a flow run that have started, the first one first."""
        body = {"flow_runs": {"id": {"any_": [run_id]}}, "limit": 200}
        runs = [run for run in self.post("/task_runs/filter", body) if run["start_time"]]
        return sorted(runs, key=lambda run: (run["start_time"], run["id"]))

    def stages(self, run_id: str, last: str, seconds: float = 20, times: int = 1) -> list[str]:
        """Names of the task runs of a flow run, once those of the last stage have been recorded, so many."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            runs = self.task_runs(run_id)
            if sum(run["name"] == last for run in runs) >= times and all(run["state_type"] in FINAL for run in runs):
                return [run["name"] for run in runs]
            time.sleep(0.2)
        raise TimeoutError(f"no task run {last} of {run_id} within {seconds} s")

    def artifacts(self, run_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run_id]}}})
        return found

    def deployment(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/deployments/name/{name}/{name}")
        return found

    def start(self, deployment: str, parameters: dict[str, Any] | None = None) -> str:
        """A run of a deployment, now; its id."""
        made = self.post(
            f"/deployments/{self.deployment(deployment)['id']}/create_flow_run", {"parameters": parameters or {}}
        )
        return str(made["id"])

    def finished(self, run_id: str, seconds: float = 90) -> dict[str, Any]:
        """A flow run, once it has ended."""
        return self.reached(run_id, FINAL, seconds)

    def reached(self, run_id: str, states: set[str], seconds: float = 90) -> dict[str, Any]:
        """A flow run, once it is in one of some states."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            run = self.flow_run(run_id)
            if run["state_type"] in states:
                return run
            time.sleep(0.2)
        raise TimeoutError(f"flow run {run_id} is {run['state_type']} after {seconds} s")
