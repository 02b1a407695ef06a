"""What every test may use."""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, settings

# Trees are up to 1,000 levels deep; the commands and the server set the same limit where they start.
sys.setrecursionlimit(6000)

# The same examples every time; no wall-clock deadline, for the machine may be busy. `--hypothesis-profile=random` looks further.
settings.register_profile("serq", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", deadline=None, max_examples=1000)
settings.load_profile("serq")
