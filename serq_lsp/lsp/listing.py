"""The names of the programs and libraries below a folder; their texts are not read."""

from __future__ import annotations

import os
import time

LIBRARIES_MAX, FOLDERS_MAX, DEPTH_MAX = 500, 2000, 8
"""So many files are listed, so many folders are looked into, so deep."""
KEPT = 10.0
"""Seconds for which a list is taken to be right."""
_SKIPPED = {"node_modules", "__pycache__", "build", "dist", "target"}


class Listing:
    """Lists of `*.sq` files by folder, kept for a moment."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}

    def below(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the `*.sq` files below a folder, hidden folders left out; empty where it cannot be read."""
        now = time.monotonic()
        at, found = self._known.get(folder, (now - 2 * KEPT, ()))
        if now - at > KEPT:
            found = tuple(_walk(folder))
            self._known = {folder: (now, found)}  # of one folder at a time
        return found


def _walk(folder: str) -> list[str]:
    """Return the files, nearest first; links to folders are not followed."""
    found: list[str] = []
    todo = [(folder, 0)]
    for looked in range(FOLDERS_MAX):
        if looked >= len(todo) or len(found) >= LIBRARIES_MAX:
            break
        here, depth = todo[looked]
        try:
            with os.scandir(here) as entries:
                inside = sorted(entries, key=lambda it: it.name)
        except OSError:
            continue
        for it in inside:
            if it.name.startswith(".") or it.name in _SKIPPED:
                continue
            if it.is_dir(follow_symlinks=False):
                todo += [(it.path, depth + 1)] * (depth < DEPTH_MAX)
            elif it.name.endswith(".sq"):
                found.append(it.path.replace(os.sep, "/"))
    return found[:LIBRARIES_MAX]
