"""What holds for every test."""

from __future__ import annotations

import signal

# Tests run in the background are told to ignore Ctrl-C, and so would be the processes they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
