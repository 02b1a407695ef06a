"""The settings of a run: who says what, who wins, and what the language refuses.

An option wins over `// serq: run`, that over the `[[program]]` of `serq.toml`, that over the program's own `run` block,
that over `[run]` of `serq.toml`, and that over the defaults (horizon 20 s where the edition needs one, warm-up 0, seed 1).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from serq_lsp.diag.model import Finding, Note
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.config import Given, edition
from serq_lsp.ide.rules import DIRECTIVE, SETTINGS
from serq_lsp.lang.editions import Edition
from serq_lsp.lower.settings import DEFAULT_HORIZON, RunSettings
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.model import Rule
    from serq_lsp.ide.config import Config
    from serq_lsp.ide.directives import Setting
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.ide.tomlplaces import Steps
    from serq_lsp.syntax.tree import Tree

SEED_MAX = 2**64 - 1
ARRIVALS_MAX = 2**53
_KINDS = {"seed": int, "arrivals": int, "horizon": float, "warmup": float, "trace": str}
_NAMES = (*_KINDS, "sets", "defs")


@dataclass(frozen=True)
class Layer:
    """One place that gives settings: their values, where each one stands in a file, and the file's path.

    The places go by the setting, or by `sets.x` and `defs.x`. `path` is None for the command line.
    """

    given: Given
    path: str | None = None
    places: dict[str, Span] = field(default_factory=dict)
    rule: Rule = SETTINGS

    def place(self, name: str) -> Span:
        """Return where a setting of this layer stands; the beginning of the file where that is not known."""
        return self.places.get(name, Span(0, 0))


class Resolved(NamedTuple):
    """The settings of a run, and what is refused: with a place as a finding, on the command line as a message."""

    settings: RunSettings
    layers: tuple[Layer, ...]
    findings: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()


def resolve(snapshot: Snapshot, path: str, given: Given) -> Resolved:
    """Return the settings with which `path` runs; `given` are the options."""
    directive, findings = _directive_layer(snapshot, path)
    config = snapshot.config(path)
    layers = [Layer(given), directive, Layer(snapshot.listed(path), config.path, _listed_places(snapshot, path))]
    low = _left_open(snapshot.tree(path), config.run)
    if edition(given) is not Edition.CLASSIC and snapshot.edition(path) is not Edition.CLASSIC:
        low = low.over(Given(horizon=DEFAULT_HORIZON))
    layers.append(Layer(low, config.path, _places(config, ("run",), config.run)))
    merged = Given()
    for layer in reversed(layers):
        merged = layer.given.over(merged)
    settings = RunSettings(
        seed=merged.seed,
        horizon=merged.horizon,
        warmup=merged.warmup,
        arrivals=merged.arrivals,
        sets=merged.sets,
        defs=merged.defs,
        trace=merged.trace,
    )
    findings += [*snapshot.directives(path).stops, *config.stops]
    resolved = Resolved(settings, tuple(layers), tuple(findings))
    for name, reason in _refused(settings):
        resolved = refuse(resolved, name, reason)
    return resolved


def refuse(resolved: Resolved, name: str, reason: str) -> Resolved:
    """Return the settings with one more refusal, at the place that gave `name` (a setting, or `sets.x` or `defs.x`)."""
    for layer in resolved.layers:
        if not _gives(layer.given, name):
            continue
        if layer.path is None:
            return resolved._replace(problems=(*resolved.problems, f"{_option(layer.given, name)}: {reason}"))
        key = name.rpartition(".")[2]
        near = nearest(key, _KINDS) if key != name else None
        hint = f"did you mean the setting `{near}`?" if near else None
        finding = Finding(layer.rule, layer.path, layer.place(name), reason, help=hint)
        return resolved._replace(findings=(*resolved.findings, finding))
    return resolved._replace(problems=(*resolved.problems, reason))


def sources(resolved: Resolved) -> Iterator[Note]:
    """Yield a note for each new value of a constant: who gives it, with the place where that is a file."""
    for name in resolved.settings.sets:
        layer = next(it for it in resolved.layers if name in it.given.sets)
        key = f"sets.{name}"
        if layer.path is None:
            yield Note(f"with `{_option(layer.given, key)}`")
        else:
            yield Note(f"with `{name} = {layer.given.sets[name]}` from here", layer.path, layer.place(key))


def _gives(given: Given, name: str) -> bool:
    table, _, key = name.rpartition(".")
    return key in getattr(given, table) if table else getattr(given, name) is not None


def _option(given: Given, name: str) -> str:
    """Return a setting as it stands on the command line."""
    table, _, key = name.rpartition(".")
    if table:
        return f"--{table[:-1]} {key}={getattr(given, table)[key]}"
    value = getattr(given, name)
    return f"--{name} {value:g}" if isinstance(value, float) else f"--{name} {value}"


def _refused(it: RunSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings that no program takes, each with the reason (engine.md 10)."""
    if it.seed is not None and not 0 <= it.seed <= SEED_MAX:
        yield "seed", f"a seed is a whole number from 0 to {SEED_MAX}"
    if it.horizon is not None and not (math.isfinite(it.horizon) and it.horizon > 0):
        yield "horizon", "a horizon is a number of seconds above 0"
    elif it.warmup is not None and not 0 <= it.warmup < (it.horizon or math.inf):
        yield "warmup", "a warm-up is a number of seconds from 0 to below the horizon"
    if it.arrivals is not None and not 1 <= it.arrivals <= ARRIVALS_MAX:
        yield "arrivals", "the number of arrivals is a whole number of at least 1"
    for table, names in (("sets", it.sets), ("defs", it.defs)):
        for name in names:
            if not re.fullmatch(r"[^\W\d]\w*", name):
                yield f"{table}.{name}", f"`{name}` is not a name"


def _directive_layer(snapshot: Snapshot, path: str) -> tuple[Layer, list[Finding]]:
    """Return what the `run` directives of a file give; where a name stands twice, the last one counts."""
    findings: list[Finding] = []
    values: dict[str, Any] = {}
    sets: dict[str, str] = {}
    places: dict[str, Span] = {}
    for it in snapshot.directives(path).run:
        kind = _KINDS.get(it.name)
        places[it.name if kind is not None else f"sets.{it.name}"] = it.span
        if kind is None:
            sets[it.name] = it.value
            continue
        try:
            values[it.name] = kind(it.value)
        except ValueError:
            findings.append(_no_number(path, it, kind))
    return Layer(Given(**values, sets=sets), path, places, DIRECTIVE), findings


def _listed_places(snapshot: Snapshot, path: str) -> dict[str, Span]:
    """Return where the settings stand that the settings file gives for one program."""
    config = snapshot.config(path)
    found: dict[str, Span] = {}
    for entry in snapshot.entries(path):
        found |= _places(config, entry.steps, entry.given)
    return found


def _places(config: Config, steps: Steps, given: Given) -> dict[str, Span]:
    """Return where the settings of one table of the settings file stand."""
    found = {name: config.value_at(*steps, name) for name in _KINDS if getattr(given, name) is not None}
    found |= {f"sets.{name}": config.value_at(*steps, "sets", name) for name in given.sets}
    return found | {f"defs.{name}": config.value_at(*steps, "defs", name) for name in given.defs}


def _no_number(path: str, it: Setting, kind: type) -> Finding:
    what = "a whole number" if kind is int else "a number"
    return Finding(DIRECTIVE, path, it.span, f"`{it.name}` is `{it.value}`, not {what}")


def _left_open(tree: Tree, run: Given) -> Given:
    """Return what `[run]` gives and the program's own `run` block does not."""
    said: set[str] = set()
    for block in tree.root.of_kind("run_block"):
        for setting in block.of_kind("setting"):
            word = setting.child("setting")
            said |= {word.kind} if word is not None else set()
    return replace(
        run,
        seed=None if "seed" in said else run.seed,
        horizon=None if "horizon" in said else run.horizon,
        warmup=None if "warmup" in said else run.warmup,
        arrivals=None if "arrivals" in said else run.arrivals,
    )
