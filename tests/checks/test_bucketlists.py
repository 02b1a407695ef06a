"""The sizes that vllm-rbln compiles, case by case as its own functions answered (native-facts.md a)."""

from __future__ import annotations

import pytest

from serq_lsp.checks.bucketlists import Contract, Refused, covering, is_contract, read, sizes


@pytest.mark.parametrize(
    ("contract", "capacity", "wanted"),
    [
        (Contract("exponential"), 8, [8]),
        (Contract("exponential", 1, 2, 4), 8, [1, 2, 4, 8]),
        (Contract("exponential", 1, 2, 8), 16, [1, 2, 4, 8, 16]),
        (Contract("exponential", 4, 2, 8), 16, [4, 8, 16]),
        (Contract("exponential", 1, 2, 8), 12, [1, 3, 6, 12]),
        (Contract("exponential", 1, 2, 8), 7, [1, 3, 7]),
        (Contract("exponential", 1, 4, 3), 64, [4, 16, 64]),
        (Contract("exponential", 1, 3, 10), 100, [1, 3, 11, 33, 100]),
        (Contract("exponential", 1, 2, 4), 1, [1]),
        (Contract("linear", 1, 2, 4), 8, [2, 4, 6, 8]),
        (Contract("linear", 1, 3, 10), 8, [2, 5, 8]),
        (Contract("linear", 3, 1, 10), 8, [3, 4, 5, 6, 7, 8]),
        (Contract("linear", 1, 2, 10), 9, [1, 3, 5, 7, 9]),
        (Contract("linear", 1, 4, 10), 4, [4]),
        (Contract("manual", manual=(8, 3)), 8, [3, 8]),
        (Contract("exponential", 1, 2, 8, pp=4), 16, [1, 2, 4]),
        (Contract("exponential", 1, 2, 8, pp=4), 10, [1, 2]),
        (Contract("exponential", 1, 2, 8, pp=2), 3, [1]),
    ],
)
def test_the_sizes_of_a_strategy(contract: Contract, capacity: int, wanted: list[int]) -> None:
    """Computed strategies count down from the ceiling; manual ones are sorted."""
    assert sizes(contract, capacity) == wanted


@pytest.mark.parametrize(
    ("contract", "capacity", "reason"),
    [
        (Contract("manual", manual=(1, 2, 4)), 8, "the largest size, 4, is not the largest batch, 8"),
        (Contract("manual", manual=(1, 2, 4, 8)), 4, "the largest size, 8, is not the largest batch, 4"),
        (Contract("exponential", 1, 1, 4), 8, "an exponential `step` is above 1"),
        (Contract("exponential", 4, 2, 1), 2, "the largest batch, 2, is below `min 4`"),
        (Contract("exponential", 1, 2, 0), 2, "`limit` counts buckets and is above 0, not 0"),
        (Contract("linear", 1, 0, 4), 8, "`step` is above 0, not 0"),
        (Contract("linear", 0, 1, 4), 8, "`min` is above 0, not 0"),
        (Contract("manual", manual=(2, 2)), 2, "a size is given twice"),
        (Contract("manual", manual=(0, 2)), 2, "a size is above 0, not 0"),
        (Contract("manual"), 2, "`manual` needs its sizes"),
        (Contract("exponential", pp=4), 2, "a pipeline of 4 needs at least 4 requests; there are 2"),
        (Contract("exponential", pp=0), 2, "a pipeline has at least one stage, not 0"),
    ],
)
def test_what_start_up_refuses(contract: Contract, capacity: int, reason: str) -> None:
    """Every start-up error of the native code is a reason here."""
    assert sizes(contract, capacity) == Refused(reason)


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("// serq: buckets decode exponential min 1 step 2 limit 4 pp 1", Contract("exponential", 1, 2, 4)),
        ("//serq: buckets decode linear limit 4", Contract("linear", limit=4)),
        ("// serq: buckets decode manual 1 2 4 8 pp 2  ", Contract("manual", manual=(1, 2, 4, 8), pp=2)),
        ("// serq: buckets decode exponential", Contract("exponential")),
    ],
)
def test_a_contract_is_read(comment: str, wanted: Contract) -> None:
    """Options in any order; what is left out has the native default."""
    assert is_contract(comment)
    assert read(comment) == wanted


@pytest.mark.parametrize(
    ("comment", "part"),
    [
        ("// serq: buckets", "buckets of `decode`"),
        ("// serq: buckets prefill linear", "buckets of `decode`"),
        ("// serq: buckets decode quadratic", "the strategy is"),
        ("// serq: buckets decode linear max 4", "`max` is no option"),
        ("// serq: buckets decode linear 1 2 4", "`1` is no option"),
        ("// serq: buckets decode linear min", "`min` takes a whole number"),
        ("// serq: buckets decode linear min two", "`min` takes a whole number"),
    ],
)
def test_a_contract_that_cannot_be_read(comment: str, part: str) -> None:
    """What is wrong is named."""
    found = read(comment)
    assert isinstance(found, Refused)
    assert part in found.reason


def test_other_comments_are_no_contracts() -> None:
    """Only the directive counts."""
    assert not is_contract("// buckets decode linear")
    assert not is_contract("// serq: bucketsize 4")


def test_the_smallest_covering_bucket_is_taken() -> None:
    """As the native lookup does; none covering is an error there."""
    assert [covering([1, 2, 4, 8], count) for count in (1, 2, 3, 5, 8, 9)] == [1, 2, 4, 8, 8, None]
