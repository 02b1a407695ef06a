"""What is called: definitions, functions, distributions, requests and entries; uses and faults as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.calls import parameters
from serq_lsp.sema.definitions import cycle
from serq_lsp.sema.faults import DefinitionCycle, UnknownName, WrongArity, WrongBody
from serq_lsp.sema.references import written
from serq_lsp.sema.resolve import SOURCE, body_of, head_of
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.sema.declarations import Engine, Queue
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.frames import Frame
    from serq_lsp.sema.resolve import Resolver
    from serq_lsp.syntax.tree import Node


def note_definition(out: Resolver, node: Node, made: Definition, given: int, frame: Frame, *, statement: bool) -> None:
    """Note the use of a definition with so many arguments; `node` is its name at the use."""
    out.use(Kind.DEF, node, frame, out.table.find(Kind.DEF, made.name))
    out.called(frame, made.name)
    definitions = out.program.definitions
    inside = definitions.get(frame.definition) if frame.definition is not None else None
    if inside is not None and made.order >= inside.order:
        circle = cycle(definitions, inside.name, made.name)
        if circle[0] == circle[-1] or inside.path == made.path or out.program.has_program:
            out.fault(DefinitionCycle(frame.path, node.span, circle, made.path, made.span), frame)
        return  # in a library alone, the order of two files is that of the program which uses them
    if inside is None and made.at > node.start:
        out.missing(UnknownName(frame.path, node.span, Kind.DEF, made.name, (), declared_below=True), frame)
        return
    if given != len(made.parameters):
        takes = (len(made.parameters),)
        out.fault(WrongArity(frame.path, node.span, Kind.DEF, made.name, given, takes), frame)
    wanted, other = (made.body, made.value) if statement else (made.value, made.body)
    if wanted is None and other is not None:
        out.fault(WrongBody(frame.path, node.span, made.name, statement), frame)


def note_function(out: Resolver, node: Node, given: int, frame: Frame, *, statement: bool) -> supplied.Function | None:
    """Note the call of a function of the language, or of nothing; return the function."""
    name = node.text
    for device in out.program.devices.values():
        made = device.resources.get(name) if frame.definition is not None else None
        if made is not None:
            out.called(frame, body_of(name, made.span))
    known = out.functions.get(name)
    out.use(Kind.FUNCTION, node, frame, out.table.find(Kind.FUNCTION, name))
    if out.edition is Edition.CURRENT or node.missing:
        return known
    if known is None or statement:
        kind = Kind.DEF if statement else Kind.FUNCTION
        out.miss(
            kind, name, node.span, frame, wants=(Kind.DEF, Kind.ENGINE) if statement else (Kind.FUNCTION, Kind.DEF)
        )
        return None
    if given not in known.counts:
        out.fault(WrongArity(frame.path, node.span, Kind.FUNCTION, name, given, known.counts), frame)
    return known


def note_distribution(out: Resolver, node: Node, given: int, frame: Frame) -> None:
    """Note a draw."""
    if out.parameter(node, Kind.DISTRIBUTION, frame):
        return
    known = supplied.DISTRIBUTIONS.get(node.text)
    out.use(Kind.DISTRIBUTION, node, frame, out.table.find(Kind.DISTRIBUTION, node.text))
    if out.edition is Edition.CURRENT or node.missing:
        return
    if known is None:
        out.miss(Kind.DISTRIBUTION, node.text, node.span, frame, wants=(Kind.DISTRIBUTION,))
    elif given != known[1]:
        fault = WrongArity(frame.path, node.span, Kind.DISTRIBUTION, node.text, given, (known[1],))
        out.fault(fault, frame)


def note_request(out: Resolver, node: Node, engine: Engine, given: int, frame: Frame) -> None:
    """Note the call of an engine's request, `E (…)` or `E.request (…)`."""
    name = head_of(node)
    if name is not None:
        out.use(Kind.ENGINE, name, frame, out.table.find(Kind.ENGINE, engine.name))
    if out.edition is Edition.CURRENT:
        return
    if engine.request is None:
        out.missing(UnknownName(frame.path, node.span, Kind.ENTRY, f"{engine.name}.request", ()), frame)
    else:
        _takes(out, node, (Kind.ENGINE, engine.name), engine.request, given=given, frame=frame)


def note_entry(out: Resolver, node: Node, given: int, frame: Frame, *, statement: bool, source: bool) -> None:
    """Note `Q.verb`, `Q[i].verb` or `E.request` before its arguments; `source` says that `from S` follows."""
    parts = written(node)
    head = head_of(node)
    if parts is None or parts.member is None or head is None:
        return
    tail = node.child("member")
    if tail is not None and out.parameter(tail, Kind.ENTRY, frame):
        out.parameter(head, SOURCE, frame)
        return
    if out.parameter(head, SOURCE, frame):
        return
    queue, engine = out.program.queues.get(parts.name), out.program.engines.get(parts.name)
    if engine is not None and parts.member == "request":
        note_request(out, node, engine, given, frame)
    elif queue is not None:
        out.use(Kind.QUEUE, head, frame, out.table.find(Kind.QUEUE, parts.name))
        _verb(out, node, queue, given, frame=frame, source=source)
    elif statement:
        out.use(Kind.QUEUE, head, frame, None)
        out.miss(Kind.QUEUE, parts.name, head.span, frame, wants=(Kind.QUEUE, Kind.ENGINE))


def note_handed(out: Resolver, name: Node, kind: Kind, frame: Frame) -> bool:
    """Note an argument that stands for a name which is no value, pool or stage; say whether the name is known.

    `kind` is what the parameter stands for in the body. What a verb or a member is shows where the body is unfolded.
    """
    if out.parameter(name, kind, frame):
        return True
    text = name.text
    local = frame.find(text, "calls")
    kinds = {
        Kind.FUNCTION: (Kind.DEF, Kind.FUNCTION, Kind.ENGINE),
        SOURCE: (Kind.QUEUE, Kind.ENGINE) if frame.find(text, "pools") is None else (),
    }.get(kind, (kind,))
    found = next((it for each in kinds if (it := out.table.find(each, text)) is not None), None)
    if kind is Kind.FUNCTION:
        if local is not None and local.span is not None:
            found = local
            out.called(frame, body_of(text, local.span))
        out.called(frame, text)
    elif kind is SOURCE and found is None and text in supplied.ENGINE_LISTS:
        found = out.word(text)
    if found is None and kind not in (Kind.ENTRY, Kind.MARK):
        return False
    out.use(found.kind if found is not None else kind, name, frame, found)
    return True


def _verb(out: Resolver, node: Node, queue: Queue, given: int, *, frame: Frame, source: bool) -> None:
    """Note the verb of an entry call."""
    tail = node.child("member")
    if tail is None:
        return
    verb = tail.text
    out.use(Kind.ENTRY, tail, frame, out.table.find(Kind.ENTRY, f"{queue.name}.{verb}"))
    found = queue.entries.get(f"{verb} from" if source else verb)
    if out.edition is Edition.CURRENT:
        return
    if found is None:
        names = tuple(dict.fromkeys(each.removesuffix(" from") for each in queue.entries))
        out.missing(UnknownName(frame.path, node.span, Kind.ENTRY, f"{queue.name}.{verb}", names), frame)
    else:
        _takes(out, node, (Kind.ENTRY, f"{queue.name}.{verb}"), found, given=given, frame=frame)


def _takes(out: Resolver, node: Node, called: tuple[Kind, str], taker: Node, *, given: int, frame: Frame) -> None:
    """Note a wrong number of arguments of an entry or a request."""
    wanted = len(parameters(taker))
    if given != wanted:
        out.fault(WrongArity(frame.path, node.span, *called, given, (wanted,)), frame)
