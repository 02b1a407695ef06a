"""All that is known of one program: what it declares, what its names mean, what is certainly wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from serq_lsp.lang.editions import Edition
from serq_lsp.sema.attributes import Slots, number
from serq_lsp.sema.broken import broken_words
from serq_lsp.sema.collect import Collector
from serq_lsp.sema.deep import certain, deep_faults, merged
from serq_lsp.sema.faults import EntryCycle, HorizonMissing, LibraryFault, TooDeep, TooManyStatements
from serq_lsp.sema.flow import Flow, Unfolder
from serq_lsp.sema.libraries import Libraries
from serq_lsp.sema.names import Names
from serq_lsp.sema.resolve import Resolver
from serq_lsp.sema.table import Table
from serq_lsp.sema.tables import run_settings, tables_of
from serq_lsp.syntax.tree import MAX_DEPTH, parse
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.sema.declarations import Declarations
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.libraries import Library, Parse, Reader
    from serq_lsp.sema.scopes import Tables
    from serq_lsp.sema.symbols import Symbol, Use
    from serq_lsp.syntax.tree import Node, Tree


@dataclass(frozen=True, eq=False)
class Model:
    """One program and its libraries, analysed. `targets` say which file a `use` names, by (path, offset of `use`)."""

    tree: Tree
    edition: Edition
    libraries: tuple[Library, ...]
    targets: dict[tuple[str, int], str]
    declared: Declarations
    flow: Flow
    slots: Slots
    tables: Tables
    symbols: tuple[Symbol, ...]
    uses: tuple[Use, ...]
    faults: tuple[Fault, ...]
    used: frozenset[str]
    """The bodies that are used, directly or through others: definitions `f`, entries `Q.verb`, requests `E.request`."""
    answers: dict[Callable[[Model], Any], Any] = field(default_factory=dict, repr=False)
    """What functions have worked out about this model (`sema.once`)."""

    @property
    def path(self) -> str:
        """Return the path of the program."""
        return self.tree.source.path

    @property
    def constants(self) -> Mapping[str, float]:
        """Return the values of the constants that readers see."""
        return self.tables.constants

    @property
    def unread_libraries(self) -> bool:
        """Say whether a library that is used could not be read: it may define anything that is called."""
        return any(isinstance(it, LibraryFault) for it in self.faults)

    @property
    def is_library(self) -> bool:
        """Say whether the file holds nothing but `use` and `def`."""
        return not self.declared.has_program


def analyze(
    tree: Tree,
    edition: Edition,
    reader: Reader,
    parse_library: Parse = parse,
    sets: Mapping[str, Node] = MappingProxyType({}),
) -> Model:
    """Return what is known of the program in `tree`; never raises, on any tree.

    `reader` gets a path (relative ones are resolved against the naming file) and gives a text or says why not.
    `parse_library` may give trees the caller has already. `sets` gives constants (by their own name) and inputs (by their
    external one) other values than the text does.
    """
    path = tree.source.path
    libraries = Libraries(reader, tree, parse_library)
    collector = Collector(libraries, edition, sets)
    declared = collector.collect()
    faults: list[Fault] = [*collector.faults, *libraries.faults]
    trees = (tree, *(library.tree for library in libraries.found))
    faults += [TooDeep(it.source.path, it.too_deep, MAX_DEPTH) for it in trees if it.too_deep is not None]
    unfolding: list[Fault] = []
    flow = Unfolder(declared, edition, path, unfolding.append).flow()
    faults += [it for it in unfolding if isinstance(it, (EntryCycle, TooManyStatements))]
    slots = number(flow)
    tables = tables_of(
        declared, slots, edition, declared.constants, definitions=declared.definitions, report=faults.append, path=path
    )
    table = Table(declared, edition, path)
    resolver = Resolver(table, declared, edition, flow, slots.attributes)
    Names(declared, edition, resolver).walk(tree.root)
    broken = broken_words(trees)
    unread = any(isinstance(it, LibraryFault) for it in faults)
    faults += resolver.faults(broken, unread=unread)
    if edition is not Edition.CURRENT:
        faults = merged(faults, certain(deep_faults(declared, flow, tables, path), broken, unread=unread))
    if edition is Edition.CLASSIC and declared.has_program and "horizon" not in broken and not _horizon(declared):
        faults.append(HorizonMissing(path, Span(len(tree.source.text), len(tree.source.text))))
    return Model(
        tree,
        edition,
        tuple(libraries.found),
        libraries.targets,
        declared,
        flow,
        slots,
        tables,
        tuple(table.symbols),
        tuple(resolver.uses),
        tuple(faults),
        frozenset(resolver.used()),
    )


def _horizon(declared: Declarations) -> bool:
    """Say whether a run block names a horizon."""
    return any(word == "horizon" for word, _ in run_settings(declared))
