"""Where in the text the parts of a lowered program come from; kept beside the IR."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sema.scopes import Place


@dataclass(frozen=True)
class Origins:
    """Places in the sources.

    `statements` maps (block, index in the block) to the chain of places that made the statement: the statement itself
    first, then the uses of definitions, requests and entries that brought it, the program's own last. `stages` and
    `pools` map numbers to the place of the declared name, `observations` numbers to the first `observe`.
    """

    statements: dict[tuple[int, int], tuple[Place, ...]] = field(default_factory=dict)
    stages: dict[int, Place] = field(default_factory=dict)
    pools: dict[int, Place] = field(default_factory=dict)
    observations: dict[int, Place] = field(default_factory=dict)

    def of_statement(self, block: int, index: int) -> tuple[Place, ...]:
        """Return the chain of places of a statement; empty for one that the text does not have (`End` of a session)."""
        return self.statements.get((block, index), ())
