"""Options that a client may send: at `initialize`, or as configuration later. Every one has a default that works (C31)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

ITEMS_MAX = 4


@dataclass(frozen=True, slots=True)
class Options:
    """The options, by the name a client sends them under (camel case there).

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
        """Return the options with what a client sent; anything that is unknown or does not fit is left out."""
        if not isinstance(sent, dict):
            return self
        sent = sent.get("serq", sent)
        if not isinstance(sent, dict):
            return self
        taken: dict[str, Any] = {}
        for field in fields(self):
            value, default = sent.get(_camel(field.name)), getattr(self, field.name)
            if isinstance(default, bool):
                fits = isinstance(value, bool)
            else:
                is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
                fits = is_number and 0 <= value <= 1000 and value == value  # noqa: PLR0124 (nan does not fit)
            if fits:
                taken[field.name] = type(default)(value)
        return replace(self, **taken)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
