"""The construct table against the specification's lists and the grammars' words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from serq_lsp.lang import table
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import Construct, constructs

ROOT = Path(__file__).resolve().parents[2]
ALL = list(constructs().values())


def words(text: str) -> set[str]:
    """Return the words of a list as the specification prints it."""
    return set(text.split())


MAY_HAVE_NO_PAGE = {"function", "statistic", "variable", "attribute", "operator", "clause"}
CLASSIC = words("""
    admission admit arrivals arrive at batch bernoulli block bottleneck branch budget by cache cap choose chunk
    claim closed cost decode def delay drop else end every evict exclusive fifo first fits fork from gauge given
    granule grow growing head held hidden hold horizon in init iteration join latency lease let lifo link load
    loop lru mark maxmin memory nic none observe of on only ordered poisson pool preempt prefill ps pull push
    queue release renewal request requeue reserve reuse run seed serve server session set share some spill stage
    state step sum tail to tool trace transfer turn use via warmup when while with workload
    """)  # classic.md 1.6
ENGINE = CLASSIC | words("Cost Size advance device each engine execute fn most schedule taking")  # engine.md 2
CURRENT = (  # current.md 2
    ENGINE | words("connector forward if per_token prefix reply save scheduler send shrink suspend worker")
) - words("share maxmin bottleneck pull push branch")


@pytest.mark.parametrize(
    ("edition", "expected"), [(Edition.CLASSIC, CLASSIC), (Edition.ENGINE, ENGINE), (Edition.CURRENT, CURRENT)]
)
def test_reserved_words_are_those_of_the_specification(edition: Edition, expected: set[str]) -> None:
    """What may not name a definition follows from the table, edition by edition."""
    assert table.reserved(edition) == expected


def test_the_grammar_knows_exactly_the_words_of_the_table() -> None:
    """Each keyword of grammar.js is a word of the table, and each word of the table is a keyword."""
    nodes = json.loads((ROOT / "grammar/src/node-types.json").read_text(encoding="utf-8"))
    unnamed = {it["type"] for it in nodes if not it["named"] and it["type"][0].isalpha()}
    assert table.grammar_words() == unnamed | {"delay"}  # the node `delay` is its own word


def test_the_strict_grammar_knows_exactly_the_words_of_the_table() -> None:
    """The keywords quoted in serq.lark are the same."""
    text = re.sub(r"//.*", "", (ROOT / "serq_lsp/syntax/serq.lark").read_text(encoding="utf-8"))
    assert set(re.findall(r'"([A-Za-z_][A-Za-z0-9_]*)"', text)) == table.grammar_words()


def test_nodes_are_those_of_the_grammar() -> None:
    """A construct names only node kinds that the grammar has."""
    nodes = json.loads((ROOT / "grammar/src/node-types.json").read_text(encoding="utf-8"))
    assert {kind for it in ALL for kind in it.node} <= {it["type"] for it in nodes if it["named"]}


@pytest.mark.parametrize("it", ALL, ids=lambda it: str(it.id))
def test_a_row_is_whole(it: Construct) -> None:
    """Kinds, contexts, moments and other constructs that a row names exist; it says in words what it is."""
    contexts = {*table.vocabulary("contexts"), *constructs()}
    assert it.kind in table.vocabulary("kinds")
    assert set(it.where) <= contexts
    assert it.where
    assert {*it.see, *it.replaced.values()} <= set(constructs())
    assert {name for names in it.moments.values() for name in names} <= set(table.vocabulary("moments"))
    assert it.read is None or it.read in table.vocabulary("moments")
    assert set(it.reserved) <= {*it.words, *it.names}
    assert it.form
    assert it.summary.endswith(".")
    assert it.page or it.kind in MAY_HAVE_NO_PAGE
    assert it.id not in it.see


@pytest.mark.parametrize("it", ALL, ids=lambda it: str(it.id))
def test_editions_agree_within_a_row(it: Construct) -> None:
    """Forms and snippets are of editions that have the construct; what replaced it is of editions that have that."""
    assert {*it.forms, *it.snippets} <= set(it.editions)
    for edition, new in it.replaced.items():
        assert constructs()[new].is_in(edition)
        assert it.kind in {"retired", "variable"} or not it.is_in(edition)
    missing = [edition for edition in Edition if not it.is_in(edition)]
    later = [edition for edition in missing if it.editions and list(Edition).index(edition) > 0]
    if Edition.CLASSIC in it.editions:
        assert set(later) <= {*it.replaced, *it.gone} or it.kind in {"run-setting", "iteration-statement"}


def test_supplied_and_retired_names_are_those_of_the_specification() -> None:
    """Names that the language supplies, and words that name nothing (classic.md 1.6, 10; engine.md 2; current.md 2)."""
    variables = words("""
        now waited size age last waiting present residents decoders kv_decode kv_prefill tokens prefilled attention
        decoding admission remaining position admitted preempted demand served arrived inf
        """)
    assert table.supplied_names(Edition.CLASSIC) == variables
    assert table.supplied_names(Edition.ENGINE) == variables | {"running", "batch"}
    assert table.supplied_names(Edition.CURRENT) == variables | {"running", "batch", "request", "self"}
    assert table.retired_names(Edition.CLASSIC) == {"enter", "admit", "keep", "where", "fit"}
    assert table.retired_names(Edition.ENGINE) == {"enter", "keep", "where", "fit"}
    assert table.retired_names(Edition.CURRENT) == {"enter", "admit", "keep", "where", "fit", "branch"}


def test_functions_distributions_and_attributes_are_those_of_the_specification() -> None:
    """classic.md 9.2, 9.3 and 11.3; engine.md 7 adds `cost`, current.md 1 drops `pow`."""
    functions = words("""
        min max abs floor ceil sqrt exp ln pow queue busy work used free cachedin holders queued price budget_left
        est_lambda est_rho est_wait blocksize total count largest smallest prefix_total
        """)
    assert table.function_names(Edition.CLASSIC) == functions
    assert table.function_names(Edition.ENGINE) == functions | {"cost"}
    assert table.function_names(Edition.CURRENT) == (functions | {"cost"}) - {"pow"}
    assert table.distribution_names(Edition.CURRENT) == {"exp", "det", "uniform", "erlang", "h2", "bernoulli"}
    assert table.attribute_names() == (
        *("cached", "computed", "serial", "turn_no"),
        *("new", "out", "think", "more", "forced"),
    )


def test_look_ups() -> None:
    """By word and context, by node chain, by place and moment; a word another edition replaced leads to the new one."""
    assert [it.id for it in table.named("lru")] == ["evict-lru"]
    assert [it.id for it in table.named("queue", Edition.CLASSIC, "pool")] == ["queue-fifo", "queue-by"]
    assert {it.id for it in table.standing("step")} >= {"cost", "budget", "serve-by"}
    assert "budget" not in {it.id for it in table.standing("step", Edition.ENGINE)}
    readable = {it.id for it in table.standing("expression", Edition.CLASSIC, "select")}
    assert "waited" in readable
    assert "residents" not in readable
    budget = table.replacement("budget", Edition.ENGINE)
    assert budget is not None
    assert budget.id == "tokens-cap"
    assert table.replacement("hold", Edition.CURRENT) is None


@pytest.mark.parametrize(
    ("chain", "word", "edition", "expected"),
    [
        ([("preempt", {"preempt", "lifo"})], "preempt", Edition.CLASSIC, "preempt-lifo"),
        ([("preempt", {"preempt", "by", "requeue", "head"})], "head", Edition.CLASSIC, "requeue"),
        (
            [("exclusive_prefill", {"exclusive", "prefill"}), ("exclusive", set())],
            "prefill",
            Edition.ENGINE,
            "exclusive-prefill",
        ),
        ([("set", {"set"}), ("iteration_block", set())], "set", Edition.CLASSIC, "set-register"),
        ([("set", {"set"}), ("block", set()), ("init", set())], "set", Edition.CLASSIC, "set"),
        ([("let", {"let"}), ("schedule_block", set()), ("main", set())], "let", Edition.ENGINE, "schedule-let"),
        ([("let", {"let"}), ("source_file", set())], "let", Edition.ENGINE, "let"),
        ([("schedule_branch", {"if"})], "if", Edition.CURRENT, "schedule-if"),
        ([("run", {"run", "prefill"})], "prefill", Edition.CLASSIC, "run-prefill"),
        ([("run", {"run"})], "run", Edition.CLASSIC, "run"),
        ([("name", {"now"})], "now", Edition.CLASSIC, "now"),
        ([("name", {"prompt"})], "prompt", Edition.CLASSIC, None),
        ([("reserve", {"reserve"}), ("unit", set()), ("hold", {"hold"})], "reserve", None, "reserve"),
    ],
)
def test_a_word_in_its_node_has_one_construct(
    chain: list[tuple[str, set[str]]], word: str, edition: Edition | None, expected: str | None
) -> None:
    """Words of the node tell apart the constructs that share a node kind."""
    found = table.at([(kind, frozenset(words)) for kind, words in chain], word, edition)
    assert (found and found.id) == expected


def test_a_construct_is_found_by_id_form_and_word() -> None:
    """`serq explain` takes what a reader has before the eyes."""
    for said, expected in {
        "kv-cap": "kv-cap",
        "each at most": "each-at-most",
        "running.count": "running-count",
        "budget_left": "budget-left",
        "lru": "evict-lru",
        "kvt.nixl_pull": "nixl-pull",
    }.items():
        found = table.find(said)
        assert found, said
        assert found[0].id == expected
    assert table.find("nothing of the kind") == ()
