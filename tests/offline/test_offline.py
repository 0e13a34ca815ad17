"""The program where there is no network at all: a namespace that holds nothing but loopback."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from bench import namespace
from bench.offline import COMMANDS, CONTROLS
from bench.processes import PROJECT, environment, module

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What became of every command, and which interfaces there were."""
    reason = namespace.obstacle()
    if reason is not None:
        pytest.skip(reason)
    command = module("bench.offline", "--json")
    done = subprocess.run(command, cwd=PROJECT, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report | {each["name"]: each for each in report["commands"]}


def test_the_namespace_holds_nothing_but_loopback(seen: dict[str, Any]) -> None:
    assert seen["interfaces"] == ["lo"]


def test_nothing_is_left_in_the_home_folder(seen: dict[str, Any]) -> None:
    assert seen["home"] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_works_without_a_network(seen: dict[str, Any], name: str) -> None:
    assert seen[name]["code"] == 0, seen[name]["said"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_turns_to_no_address_beyond_loopback(seen: dict[str, Any], name: str) -> None:
    assert _outside(seen, name) == []


@pytest.mark.parametrize("name", CONTROLS)
def test_the_watch_sees_what_does_try_to_leave(seen: dict[str, Any], name: str) -> None:
    assert _outside(seen, name)


def _outside(seen: dict[str, Any], name: str) -> list[str]:
    found: list[str] | None = seen[name]["outside"]
    if found is None:
        pytest.skip("strace is not installed, so addresses cannot be watched")
    return found


@pytest.mark.parametrize(
    ("call", "leaves"),
    [
        ('connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("198.51.100.1")}, 16) = -1', True),
        ('connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', False),
        ('connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0', True),
        ('connect(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), '
         'inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1', True),
        ('connect(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), '
         'inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0', False),
        ('connect(3, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), '
         'inet_pton(AF_INET6, "::ffff:198.51.100.1", &sin6_addr), sin6_scope_id=0}, 28) = -1', True),
        ('connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT', False),
        ('sendto(4, [{nlmsg_len=20}], 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20', False),
    ],
)  # fmt: skip
def test_a_recorded_call_leaves_the_machine_or_not(tmp_path: Any, call: str, leaves: bool) -> None:
    log = tmp_path / "calls.txt"
    log.write_text(f"12 socket(AF_INET) = 3\n12 {call}\n", encoding="utf-8")
    assert bool(namespace.outside(log)) == leaves
