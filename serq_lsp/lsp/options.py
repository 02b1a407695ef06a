"""Options that a client may send: at `initialize`, or as configuration later. Every one has a default that works (C31)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

ITEMS_MAX = 4
NUMBER_MAX = 1000

NAMES = {
    "inlayHints.trace": "hint_items",
    "inlayHints.iterations": "hint_iterations",
    "inlayHints.itemsMax": "items_max",
    "codeLens.run": "lens",
    "run.onSave": "run_on_save",
    "check.delay": "delay",
    "diagnostics.pull": "pull_diagnostics",
}
"""The options by the name that clients send, each part of it an object inside the one before."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options.

    `hint_items`: ITER items beside the statements; `hint_iterations`: the count beside the engine; `items_max`: how
    many items a line shows before `… +n`; `lens`: the run lens; `run_on_save`: run a program when it is saved;
    `delay`: seconds that a check waits after a change; `pull_diagnostics`: the client asks, the server does not send.
    """

    hint_items: bool = True
    hint_iterations: bool = True
    items_max: int = ITEMS_MAX
    lens: bool = True
    run_on_save: bool = False
    delay: float = 0.0
    pull_diagnostics: bool = False

    def updated(self, sent: Any) -> Options:
        """Return the options with what a client sent, with or without an outer `serq`.

        Anything that is unknown or does not fit is left out.
        """
        outer = sent.get("serq", sent) if isinstance(sent, dict) else None
        taken: dict[str, Any] = {}
        for name, attribute in NAMES.items():
            value, default = outer, getattr(self, attribute)
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if isinstance(default, bool):
                fits = isinstance(value, bool)
            else:
                is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
                fits = is_number and value is not None and 0 <= value <= NUMBER_MAX
            if fits:
                taken[attribute] = type(default)(value)
        return replace(self, **taken)
