"""Makes what VS Code reads without the server from the construct table: TextMate grammar, snippets, brackets.

A TextMate grammar sees words, not their use: a constant called `budget` looks like the option. The server's semantic
tokens correct that; this grammar is what a reader sees before them, and on sites that show code.
"""

from __future__ import annotations

import json
import re
from typing import Any

from serq_lsp.dev.table import LANG, PROGRAM_EDITIONS, read

NAME = r"[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{N}_]*"
_ALONE, _END = r"(?<![\p{L}\p{N}_.])", r"(?![\p{L}\p{N}_])"
ACTIONS = {"statement", "iteration-statement", "schedule-statement"}
DECLARED = {
    "def": "entity.name.function.serq",
    "let": "variable.other.constant.serq",
    **dict.fromkeys(("gauge", "claim", "state", "hidden"), "variable.other.readwrite.serq"),
}
"""How a declared name is shown; other declarations name a type-like thing, statements a variable."""
SNIPPET_KINDS = {"item", "statement", "stage-kind", "entry", "step-option", "engine-item", "pool-option"}


def files() -> dict[str, str]:
    """Make the extension's generated files: path from the project's root to text."""
    table = read(LANG / "constructs.toml")
    made = {
        "syntaxes/serq.tmLanguage.json": grammar(table["construct"]),
        "snippets/serq.json": snippets(table),
        "language-configuration.json": configuration(),
    }
    return {f"editors/vscode/{path}": json.dumps(it, indent=2, ensure_ascii=False) + "\n" for path, it in made.items()}


def grammar(constructs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the TextMate grammar: earlier patterns win, so phrases and declarations stand before single words."""
    repository = {
        "comments": [
            {"name": "comment.line.double-slash.serq", "match": r"//.*$"},
            {"name": "comment.block.serq", "begin": r"/\*", "end": r"\*/"},
        ],
        "strings": [{"name": "string.quoted.double.serq", "begin": '"', "end": '"'}],
        "draws": [_draws(constructs)],
        "members": _members(constructs),
        "declarations": _declarations(constructs),
        "phrases": _phrases(constructs),
        "functions": [_functions(constructs)],
        "keywords": _keywords(constructs),
        "values": _values(constructs),
        "numbers": [_number()],
        "operators": _operators(),
    }
    return {
        "name": "serQ",
        "scopeName": "source.serq",
        "fileTypes": ["sq"],
        "patterns": [{"include": f"#{name}"} for name in repository],
        "repository": {name: {"patterns": rows} for name, rows in repository.items()},
    }


def snippets(table: dict[str, Any]) -> dict[str, Any]:
    """Return VS Code's snippets: whole programs and the forms worth a template, one for each edition that differs."""
    found: dict[str, Any] = {}
    for it in table["skeleton"]:
        found[it["id"]] = _snippet(it["id"].replace("-", " "), it["snippet"].strip("\n") + "\n$0", it["summary"])
    for it in table["construct"]:
        if it["kind"] not in SNIPPET_KINDS:
            continue
        editions = it.get("editions", PROGRAM_EDITIONS).split()
        special = it.get("snippets", {})
        plain = [edition for edition in editions if edition not in special]
        texts = {"": it["snippet"]} if it.get("snippet") and plain else {}
        texts |= {edition: text for edition, text in special.items() if edition in editions}
        for edition, text in texts.items():
            suffix = edition or ("" if len(plain) == len(PROGRAM_EDITIONS.split()) else " and ".join(plain))
            title = it["id"] + (f" ({suffix})" if suffix else "")
            prefix = it["form"].split(" ", 1)[0] if it["kind"] == "item" else it["id"].replace("-", " ")
            found[title] = _snippet(prefix, text, it["summary"] + (f" ({suffix} edition)" if suffix else ""))
    return found


def configuration() -> dict[str, Any]:
    """Return the language configuration: comments, brackets, words, indentation."""
    pairs = [["{", "}"], ["[", "]"], ["(", ")"]]
    closing = [{"open": it[0], "close": it[1]} for it in pairs]
    return {
        "comments": {"lineComment": "//", "blockComment": ["/*", "*/"]},
        "brackets": pairs,
        "autoClosingPairs": [*closing, {"open": '"', "close": '"', "notIn": ["string", "comment"]}],
        "surroundingPairs": [*pairs, ['"', '"']],
        "autoCloseBefore": ";:.,=}])> \n\t",
        "wordPattern": {"pattern": NAME, "flags": "u"},
        "indentationRules": {"increaseIndentPattern": r"^[^/]*\{[^}\"]*$", "decreaseIndentPattern": r"^\s*\}"},
        "onEnterRules": [
            {"beforeText": r"^\s*//.*\S", "afterText": r"\S", "action": {"indent": "none", "appendText": "// "}}
        ],
    }


def _snippet(prefix: str, text: str, description: str) -> dict[str, Any]:
    return {"prefix": prefix, "body": text.split("\n"), "description": description}


def _any(words: set[str] | list[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "(?:" + "|".join(re.escape(it) for it in sorted(words, key=lambda it: (-len(it), it))) + ")"


def _of(constructs: list[dict[str, Any]], *kinds: str, field: str = "names") -> set[str]:
    return {word for it in constructs if it["kind"] in kinds for word in it.get(field, "").split()}


def _draws(constructs: list[dict[str, Any]]) -> dict[str, Any]:
    names = _any(_of(constructs, "distribution"))
    return {
        "match": rf"(~)\s*(?:({names}){_END}|({NAME}))?",
        "captures": {
            "1": {"name": "keyword.operator.draw.serq"},
            "2": {"name": "support.function.distribution.serq"},
            "3": {"name": "variable.other.serq"},
        },
    }


def _members(constructs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the dotted values (`running.count`) and, after any other dot, a plain member."""
    dotted = [it["names"].split() for it in constructs if it["kind"] == "variable" and len(it["names"].split()) == 2]
    rows = []
    for head in sorted({it[0] for it in dotted}):
        members = _any([it[1] for it in dotted if it[0] == head])
        rows.append(
            {
                "match": rf"{_ALONE}({head})\s*(\.)\s*({members}){_END}",
                "captures": {
                    "1": {"name": "variable.language.serq"},
                    "2": {"name": "punctuation.accessor.serq"},
                    "3": {"name": "variable.language.member.serq"},
                },
            }
        )
    plain = {"1": {"name": "punctuation.accessor.serq"}, "2": {"name": "variable.other.member.serq"}}
    return [*rows, {"match": rf"(?<![0-9])(\.)\s*({NAME})", "captures": plain}]


def _declarations(constructs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a pattern for each word that a name follows: `pool kv`, `set a`; keywords that may follow are no names."""
    rows: dict[str, Any] = {}
    phrases = _runs(constructs)
    for it in constructs:
        found = re.match(r"([A-Za-z]+)( main)? ?(NAME|REGISTER)?\b", it.get("form", ""))
        word = found.group(1) if found else ""
        if not found or not (found.group(3) or found.group(2)) or word not in it.get("words", "").split():
            continue
        if word in rows:
            continue
        following = _any({phrase[1] for phrase in phrases if phrase[0] == word} or {"\0"})
        is_statement = it["kind"] in ACTIONS
        name = "variable.other.readwrite.serq" if is_statement else DECLARED.get(word, "entity.name.type.serq")
        rows[word] = {
            "match": rf"{_ALONE}({word})\s+(?!{following}{_END})({NAME})",
            "captures": {
                "1": {"name": "keyword.control.serq" if is_statement else "storage.type.serq"},
                "2": {"name": "entity.name.function.serq" if found.group(2) else name},
            },
        }
    return [rows[word] for word in sorted(rows)]


def _runs(constructs: list[dict[str, Any]]) -> dict[tuple[str, ...], str]:
    """Return the phrases of keywords, such as `each at most`, that stand side by side in a form, and the form's kind."""
    found: dict[tuple[str, ...], str] = {}
    for it in constructs:
        words = set(it.get("words", "").split())
        forms = [it.get("form", ""), *it.get("forms", {}).values()]
        for form in forms:
            run: list[str] = []
            for part in [*re.findall(r"\w+|[^\w\s]", form), ""]:
                if part in words:
                    run.append(part)
                    continue
                if len(run) > 1:
                    found.setdefault(tuple(run), it["kind"])
                run = []
    return found


def _phrases(constructs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    runs = _runs(constructs)
    return [
        {"name": _shown({runs[phrase]}), "match": _ALONE + r"\s+".join(phrase) + _END}
        for phrase in sorted(runs, key=lambda it: (-len(it), it))
    ]


def _functions(constructs: list[dict[str, Any]]) -> dict[str, Any]:
    names = _of(constructs, "function", "statistic") - {"cost"}
    return {
        "name": "support.function.serq",
        "match": rf"{_ALONE}(?:{_any(names)}|cost(?=\s*\(\s*{NAME})){_END}(?=\s*\()",
    }


def _keywords(constructs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words = {word for it in constructs for word in it.get("words", "").split()}
    words |= _of(constructs, "role", "entry")
    words -= {it for it in _of(constructs, "variable") if it in words}
    by_scope: dict[str, set[str]] = {}
    for word in words:
        by_scope.setdefault(_scope(constructs, word), set()).add(word)
    return [{"name": scope, "match": _ALONE + _any(by_scope[scope]) + _END} for scope in sorted(by_scope)]


def _scope(constructs: list[dict[str, Any]], word: str) -> str:
    """Return how a keyword is shown, by the kinds of the constructs that begin with it, else that have it."""
    first = {it["kind"] for it in constructs if word in it.get("words", "").split()[:1]}
    return _shown(first or {it["kind"] for it in constructs if word in it.get("words", "").split()})


def _shown(kinds: set[str]) -> str:
    """Return how a word of these kinds is shown: as an action, as a declaration, or as a part of either."""
    if "statement" in kinds or (kinds & ACTIONS and "item" not in kinds):
        return "keyword.control.serq"
    if kinds & {"item", "workload-clause"}:
        return "storage.type.serq"
    return "keyword.other.serq"


def _values(constructs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    supplied = {it["names"] for it in constructs if it["kind"] == "variable" and " " not in it["names"]} - {"inf"}
    return [
        {"name": "constant.language.serq", "match": rf"{_ALONE}inf{_END}"},
        {"name": "variable.language.serq", "match": _ALONE + _any(supplied) + _END},
        {"name": "support.variable.serq", "match": _ALONE + _any(_of(constructs, "attribute")) + _END},
    ]


def _number() -> dict[str, Any]:
    return {
        "name": "constant.numeric.serq",
        "match": r"(?<![\p{L}\p{N}_])(?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)?",
    }


def _operators() -> list[dict[str, Any]]:
    return [
        {"name": "keyword.operator.comparison.serq", "match": r"<=|>=|==|!=|<|>"},
        {"name": "keyword.operator.logical.serq", "match": r"&&|\|\||!"},
        {"name": "keyword.operator.arithmetic.serq", "match": r"[-+*/^]"},
        {"name": "keyword.operator.assignment.serq", "match": r"="},
        {"name": "keyword.operator.conditional.serq", "match": r"\?"},
        {"name": "punctuation.separator.serq", "match": r"[,:]"},
        {"name": "punctuation.terminator.serq", "match": r";"},
    ]
