"""What holds for every test."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# Tests run in the background are told to ignore Ctrl-C, and so would be the processes they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test depends on the speed of a machine, and what passed once passes again: new examples are for the nightly depth.
settings.register_profile("everyday", deadline=None, derandomize="WHEREIN_EXAMPLES" not in os.environ)
settings.load_profile("everyday")
