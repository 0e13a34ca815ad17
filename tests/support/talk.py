"""A conversation at a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from tests.support.process import clean_environment
from tests.support.workspace import Workspace

ESCAPE = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


class Talk:
    """A conversation through a pseudo terminal."""

    def __init__(self, ws: Workspace, *flags: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wherein", "ask", *flags],
            cwd=ws.root,
            env=clean_environment(ws.home, {"TERM": "dumb"}),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._shown = ""

    def until(self, wanted: str) -> str:
        """What is shown up to and with this text; raises when the conversation ends before."""
        while wanted not in self._shown:
            self._shown += ESCAPE.sub("", os.read(self._ours, 65536).decode()).replace("\r", "")
        found, _, rest = self._shown.partition(wanted)
        self._shown = rest
        return found + wanted

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def ask(self, line: str) -> str:
        """What is shown between a line and the next prompt."""
        self.type(f"{line}\n")
        self.until(f"{line}\n")
        return self.until("\n? ")

    def hang_up(self) -> int:
        """Close the terminal; the exit code."""
        os.close(self._ours)
        return self.process.wait(60)

    def end(self, how: str = ":quit\n") -> int:
        self.type(how)
        code = self.process.wait(60)
        os.close(self._ours)
        return code
