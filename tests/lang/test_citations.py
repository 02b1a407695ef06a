"""Citations of native source: records, links, honest labels."""

from __future__ import annotations

import pytest

from serq_lsp.lang.citations import citations, for_construct, resolve, systems
from serq_lsp.lang.table import constructs

ALL = list(citations().values())


def test_every_citation_explains_constructs_of_the_table() -> None:
    """The vocabulary of citations.toml is the table's ids."""
    assert {term for it in ALL for term in it.constructs} <= set(constructs())
    own = {term for it in constructs().values() for term in it.cites if term != it.id}
    assert own <= {term for it in ALL for term in it.constructs} | {""}


@pytest.mark.parametrize("it", ALL, ids=lambda it: str(it.id))
def test_a_citation_is_pinned_and_sound(it: object) -> None:
    """Lines are in order, the summary is short, and the link names a tag or commit, never a branch."""
    citation = citations()[getattr(it, "id", "")]
    assert 1 <= citation.start <= citation.end
    assert len(citation.summary) <= 200
    assert citation.summary
    assert f"/blob/{citation.system.ref}/" in citation.url or "nearby" in citation.verified
    assert not {"main", "master"} & set(citation.url.split("/"))
    lines = f"#L{citation.start}" + (f"-L{citation.end}" if citation.end > citation.start else "")
    assert citation.url.endswith(f"/{citation.path}{lines}")


def test_labels_say_what_was_read() -> None:
    """`exact` is told plainly, another version by its name, what was not seen as not checked."""
    by_kind = {it.verified.partition(":")[0]: it for it in ALL}
    assert by_kind["exact"].label == by_kind["exact"].system.label
    assert by_kind["no"].label.endswith("(not checked)")
    tagged = next(it for it in ALL if it.system.id == "vllm-tag")
    assert tagged.label == "vLLM v0.31.0 (for v0.31.0rc2, whose lines may differ)"
    assert "/blob/v0.31.0/" in tagged.url
    pinned = next(it for it in ALL if it.system.id == "vllm-pin" and it.verified.startswith("nearby"))
    assert pinned.label.startswith("vLLM at 0c87a197 (read in ")


def test_a_file_as_a_whole_has_a_link_without_lines() -> None:
    """Line 0 stands for the whole file, one line for itself."""
    pin = systems()["vllm-pin"]
    assert pin.link("vllm/x.py") == f"https://github.com/vllm-project/vllm/blob/{pin.ref}/vllm/x.py"
    assert pin.link("vllm/x.py", 7, 7).endswith("/vllm/x.py#L7")
    assert pin.link("vllm/x.py", 7, 9).endswith("/vllm/x.py#L7-L9")


def test_hover_order_comes_first() -> None:
    """What a hover shows first is in front, and nothing comes twice."""
    found = [it.id for it in for_construct("reserve")]
    assert found[:2] == ["vllm-pin:kv.full-sequence-test", "vllm-pin:config.reserve-full-isl"]
    assert len(found) == len(set(found))
    assert found == [it.id for it in for_construct("reserve")]


def test_related_constructs_share_lines() -> None:
    """`forward` is explained by the lines of `execute`; a construct without native counterpart has none."""
    assert for_construct("forward") == for_construct("execute")
    assert for_construct("scheduler") == for_construct("schedule")
    assert for_construct("gauge") == []


def test_lines_resolve_to_the_nearest_entry() -> None:
    """Exactly these lines, else the smallest entry around them, else the largest inside, else none."""
    path = "vllm/v1/core/sched/scheduler.py"
    exact = resolve("vllm-pin", path, 932, 939)
    assert exact is not None
    assert exact.id == "vllm-pin:waiting.prefix-lookup"
    inside = resolve("vllm-pin", path, 933, 934)
    assert inside is not None
    assert (inside.start <= 933, inside.end >= 934) == (True, True)
    whole = resolve("vllm-pin", path, 1, 5000)
    assert whole is not None
    assert resolve("vllm-pin", path, 1, 2) is None
