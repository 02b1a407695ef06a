"""What is worked out about a model is worked out once, and goes away with it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from serq_lsp.checks.all import check
from serq_lsp.sema.model import Model
from serq_lsp.sema.once import once
from tests.sema.programs import analysed

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "let a = 1; session { set b = a; observe c = b; } run { horizon 1; }"


def test_a_function_is_asked_once_for_each_model() -> None:
    """A second question about the same model gets the first answer; another model gets its own."""
    asked: list[Model] = []

    @once
    def lets(model: Model) -> list[str]:
        asked.append(model)
        return [it.name for it in model.declared.lets]

    one, other = analysed(TEXT), analysed(TEXT)
    assert lets(one) is lets(one)
    assert lets(one) == lets(other) == ["a"]
    assert asked == [one, other]


def test_a_checked_model_leaves_no_garbage_in_circles() -> None:
    """Models are freed as soon as nobody holds them: an editor makes one at every keystroke."""

    def models() -> Iterator[Model]:
        return (it for it in gc.get_objects() if isinstance(it, Model))

    gc.collect()
    before = len(list(models()))
    gc.disable()
    try:
        check(analysed(TEXT))
        assert len(list(models())) == before
    finally:
        gc.enable()
