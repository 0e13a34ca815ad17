"""A network namespace that holds nothing but loopback, and a watch on what a process asks the network for."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
_CALLS = "connect,sendto,sendmsg,sendmmsg"
_ADDRESS = re.compile(
    r"sa_family=AF_INET6?, sin6?_port=htons\((?P<port>\d+)\).*?"
    r'(?:inet_addr\("(?P<four>[^"]+)"\)|inet_pton\(AF_INET6, "(?P<six>[^"]+)")'
)
DNS = 53


def enter() -> list[str]:
    """The command prefix that runs what follows in a namespace of its own."""
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", "--net", *as_root, "--"]


def obstacle() -> str | None:
    """Why no namespace can be made here; None if one can."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return "network namespaces need Linux and the command unshare"
    tried = subprocess.run([*enter(), "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"no network namespace can be made: {tried.stderr.strip()}"


def raise_loopback() -> None:
    """Bring up the namespace's loopback interface, which starts out down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def interfaces() -> list[str]:
    """The names of all interfaces seen from here."""
    return sorted(name for _, name in socket.if_nameindex())


def watched(log: Path) -> list[str]:
    """The command prefix that records every address a process and its children turn to; empty without strace."""
    if shutil.which("strace") is None:
        return []
    return ["strace", "-f", "-qq", "-e", "signal=none", "-e", f"trace={_CALLS}", "-o", str(log), "--"]


def outside(log: Path, ports: Sequence[int] = (DNS,)) -> list[str]:
    """The attempts to reach an address that is not loopback, or to look a name up (`ports`, wherever)."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if any(_leaves(*found, ports) for found in _addresses(line))]


def _addresses(line: str) -> Iterable[tuple[str, int]]:
    for match in _ADDRESS.finditer(line):
        yield match["four"] or match["six"], int(match["port"])


def _leaves(host: str, port: int, ports: Sequence[int]) -> bool:
    address = ipaddress.ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None) or address
    return port in ports or not (mapped.is_loopback or mapped.is_unspecified)
