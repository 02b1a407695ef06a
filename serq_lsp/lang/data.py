"""The room's data as loaded at run time: JSON that `serq_lsp.dev.gen` writes from the TOML tables beside it."""

# ruff: noqa: PTH118, PTH120, PTH123
# (pathlib loads much that `serq check` needs for nothing else)

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

_FOLDER = os.path.dirname(__file__)


@cache
def load(name: str) -> Any:
    """Return the content of `<name>.json` in this folder, read once; callers must not change it."""
    with open(os.path.join(_FOLDER, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)
