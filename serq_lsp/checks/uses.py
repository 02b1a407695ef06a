"""Do uses of functions, definitions and entries fit what they use?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import syntax_faults
from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.sema.faults import DefinitionCycle, EntryCycle, WrongArity, WrongBody
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model

FUNCTION = Rule(
    "function-arity",
    Severity.ERROR,
    "a function takes another number of arguments",
    aliases=("arity",),
)
DISTRIBUTION = Rule(
    "distribution-arity", Severity.ERROR, "a distribution takes another number of parameters", aliases=("arity",)
)
DEFINITION = Rule(
    "def-arity",
    Severity.ERROR,
    "a definition is used with another number of arguments",
)
TIME = Rule("time-arity", Severity.ERROR, "a time is called with another number of arguments", ("engine",))
AGGREGATE = Rule("claim-aggregate-form", Severity.ERROR, "a sum of observations names not exactly one")
BLOCKSIZE = Rule("blocksize-argument", Severity.ERROR, "`blocksize` takes one pool")
COST = Rule("cost-call", Severity.ERROR, "a cost without a resource or without an expression", ("engine",))
ENTRY = Rule(
    "call-arity", Severity.ERROR, "an entry or request takes another number of arguments", aliases=("req-arity",)
)
NOT_EXPRESSION = Rule(
    "def-not-an-expression",
    Severity.ERROR,
    "a definition of statements is used as a value",
    aliases=("def-is-statements",),
)
NOT_STATEMENT = Rule(
    "def-not-a-statement",
    Severity.ERROR,
    "a definition of a value is used as a statement",
    aliases=("def-is-expression",),
)
CYCLE = Rule("call-cycle", Severity.ERROR, "entries call one another in a circle", aliases=("req-cycle",))
ITSELF = Rule("def-uses-itself", Severity.ERROR, "a definition uses itself", aliases=("def-recursive",))
LATER = Rule("def-uses-later", Severity.ERROR, "a definition uses one that stands below it", aliases=("def-forward",))
_BY_NAME = {"blocksize": BLOCKSIZE, "cost": COST} | dict.fromkeys(
    ("total", "count", "largest", "smallest", "prefix_total"), AGGREGATE
)
RULES = (
    TIME,
    AGGREGATE,
    BLOCKSIZE,
    COST,
    FUNCTION,
    DISTRIBUTION,
    DEFINITION,
    ENTRY,
    NOT_EXPRESSION,
    NOT_STATEMENT,
    CYCLE,
    ITSELF,
    LATER,
)
_ARITY = {Kind.FUNCTION: FUNCTION, Kind.DISTRIBUTION: DISTRIBUTION, Kind.DEF: DEFINITION}


def check(model: Model) -> Iterator[Finding]:
    """Yield the uses that do not fit."""
    times = {name for it in model.declared.devices.values() for name in it.resources}
    told = {(tree.source.path, it.span) for tree, faults in syntax_faults(model) for it in faults}
    for fault in model.faults:
        match fault:
            case WrongArity(path, span) if (path, span) in told:
                continue  # an argument is missing or broken
            case WrongArity():
                yield _arity(fault, times)
            case WrongBody(path, span, name, wants_statements, in_unused):
                rule = NOT_STATEMENT if wants_statements else NOT_EXPRESSION
                message = (
                    f"`{name}` is a value, not statements"
                    if wants_statements
                    else f"`{name}` is statements, not a value"
                )
                yield Finding(rule, path, span, message, override=Severity.WARNING if in_unused else None)
            case EntryCycle(path, span, cycle):
                yield Finding(CYCLE, path, span, "entries call one another in a circle: " + _arrows(cycle))
            case DefinitionCycle(path, span, cycle):
                same = len(set(cycle)) == 1
                message = (
                    f"`{cycle[0]}` uses itself" if same else f"`{cycle[0]}` uses `{cycle[-1]}`, which stands below it"
                )
                yield Finding(ITSELF if same else LATER, path, span, message)


def _arity(fault: WrongArity, times: set[str]) -> Finding:
    takes = " or ".join(str(count) for count in fault.takes[:3])
    rule = _ARITY.get(fault.kind, ENTRY)
    rule = _BY_NAME.get(fault.name, rule) if rule is FUNCTION else TIME if fault.name in times else rule
    things = "argument" if fault.takes == (1,) else "arguments"
    return Finding(
        rule,
        fault.path,
        fault.span,
        f"`{fault.name}` takes {takes} {things}, not {fault.given}",
        override=Severity.WARNING if fault.in_unused_def else None,
    )


def _arrows(cycle: tuple[str, ...]) -> str:
    return " → ".join(f"`{name}`" for name in cycle)
