"""Answers about a model that are worked out once and kept with it, however many rules ask."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.sema.model import Model

_T = TypeVar("_T")


def once(work: Callable[[Model], _T]) -> Callable[[Model], _T]:
    """Return the function as one that works once for each model; callers must not change what it returns."""

    @wraps(work)
    def answer(model: Model) -> _T:
        if work not in model.answers:
            model.answers[work] = work(model)
        found: _T = model.answers[work]
        return found

    return answer
