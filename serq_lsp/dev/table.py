"""Turns `lang/constructs.toml` and `lang/citations.toml` into the JSON that is loaded at run time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # Python 3.10 has no reader of its own
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LANG = ROOT / "serq_lsp" / "lang"
PROGRAM_EDITIONS = "classic engine current"
EDITIONS = tuple(PROGRAM_EDITIONS.split())
LISTS = ("editions", "words", "names", "reserved", "node", "select", "where", "cites", "see", "retired", "supplied")
"""Fields that the table writes as words with blanks between."""
PER_EDITION = ("forms", "snippets", "replaced", "gone", "moments")
TEXTS = ("id", "kind", "freed", "form", "summary", "snippet", "read")
_STRONG, _WEAK = 2.0, 1.0


def read(path: Path) -> dict[str, Any]:
    """Return a TOML file's content; raises on one that is not TOML."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def constructs(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table as it is loaded: lists as lists, defaults filled in, pages left out; empty fields are left out."""
    rows = [_row(it) for it in table["construct"]]
    vocabulary = {key: table[key] for key in ("kinds", "contexts", "containers", "moments")}
    skeletons = [it | {"editions": it["editions"].split()} for it in table["skeleton"]]
    return {**vocabulary, "skeletons": skeletons, "constructs": rows}


def pages(table: dict[str, Any]) -> dict[str, str]:
    """Return the page of each construct that has one."""
    return {it["id"]: it["page"] for it in table["construct"] if it.get("page")}


def marks(table: dict[str, Any]) -> list[list[Any]]:
    """Return the rows of tokens that tell an edition: words, editions, weight."""
    found = []
    for it in table["construct"]:
        for said in it.get("marks", ()):
            weight = _WEAK if said.startswith("? ") else _STRONG
            editions, colon, words = said.removeprefix("? ").partition(": ")
            if not colon or not set(editions.split()) <= set(EDITIONS):
                editions, words = it.get("editions", " ".join(EDITIONS)), said.removeprefix("? ")
            found.append([words.split(), editions.split(), weight])
    return found


def citations(table: dict[str, Any]) -> dict[str, Any]:
    """Return the citations as they are loaded: systems, citations and the hover order of each construct id."""
    hover = {construct_id(it["construct"]): it["first"] for it in table["hover"]}
    kept = ("id", "system", "path", "start", "end", "symbol", "summary", "verified", "digest")
    rows = [
        {key: it[key] for key in kept if key in it} | {"constructs": [construct_id(c) for c in it["constructs"]]}
        for it in table["citation"]
    ]
    return {"systems": table["system"], "citations": rows, "hover": hover}


def construct_id(term: str) -> str:
    """Return the construct id of a term of citations.toml: `running.count` is `running-count`."""
    return term.replace(" ", "-").replace(".", "-").replace("_", "-")


def compact(data: Any) -> str:
    """Return JSON without blanks, a line for each entry of its longest list, so that a change shows in a diff."""
    if isinstance(data, dict):
        parts = (f"{json.dumps(key)}:{compact(it) if key in _LONG else _flat(it)}" for key, it in data.items())
        return "{" + ",\n".join(parts) + "}"
    return "[\n" + ",\n".join(_flat(it) for it in data) + "\n]"


_LONG = {"constructs", "citations"}


def _flat(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _row(construct: dict[str, Any]) -> dict[str, Any]:
    """Return one construct as it is loaded; raises ValueError on a field that the table does not have."""
    if unknown := set(construct) - {*TEXTS, *LISTS, *PER_EDITION, "page", "marks"}:
        raise ValueError(f"`{unknown.pop()}` of `{construct['id']}` is no field of the table")
    row: dict[str, Any] = {key: construct[key] for key in TEXTS if key in construct}
    for key in LISTS:
        if key in construct:
            row[key] = construct[key].split()
    for key in PER_EDITION:
        if key in construct:
            row[key] = construct[key]
    if "moments" in row:
        row["moments"] = {edition: said.split() for edition, said in row["moments"].items()}
    row.setdefault("editions", list(EDITIONS))
    row.setdefault("reserved", row.get("words", []))
    row.setdefault("cites", [construct["id"]])
    return row


def files() -> dict[str, str]:
    """Make what `serq_lsp/lang` loads: path from the project's root to text."""
    table = read(LANG / "constructs.toml")
    made = {
        "constructs": constructs(table),
        "pages": pages(table),
        "marks": marks(table),
        "citations": citations(read(LANG / "citations.toml")),
    }
    return {f"serq_lsp/lang/{name}.json": compact(data) + "\n" for name, data in made.items()}
