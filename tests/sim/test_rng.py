"""The random streams give the tabled numbers of semantics.md 11 and 14."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serq_lsp.sim import distributions as dist
from serq_lsp.sim.rng import Stream, classic_seed, engine_seed

WORDS = {
    0: "bb2a3fb2cd2c6f7f c6017c948e27697b 069dc102cf310a16 958b761dabe5f6d0 "
    "431d9d54dee17b11 c5a0ef111f71c422 37fc854f12037913 cb30ce1ac9ff61c7",
    1: "f9681a64d3301861 b0f4d125cc0d694a 6d8fc15a3248c9da 2cf33517376425d3 "
    "412a4de2c53d7454 f66d22c18495153b 637bcda8cac4cfec b560cd66ff56cbc7",
    42: "86cc7763222724a2 8af00a133fad517d a2ef6071de5134d1 67e92d78fd7630b2 "
    "08cab0dff8119fea 6a3a9ca39e0f81a8 bcc7d8e8590878fb d9688d9b2f8eb737",
    2**64 - 1: "0fa798482e3d5fb8 0a3370b44112469e 12a43d6f65c61658 5d082f914e51203b "
    "311444d2d0541fa7 8f0ab386d3db9540 d293f428483c6499 24e1c7c768fa6506",
}
DOUBLES = {
    0: [0.7311134158637046, 0.7734601843532382, 0.025844634233355035, 0.5841592619362002],
    1: [0.9742447372584028, 0.6912356107023264, 0.4279747815328704, 0.17558605019384332],
    42: [0.5265574090027738, 0.5427252099031439, 0.6364650991438949, 0.4059017582307767],
    2**64 - 1: [0.061151044485304396, 0.039847415931100194, 0.07281860322634537, 0.3634061555624766],
}
CLASSIC = {
    (1, 0, 0, 1): [0.8170102766262399, 0.3689212363540538, 0.9058490006049921],
    (1, 0, 0, 2): [0.3855355620125499, 0.1114913631096307, 0.4903047765356485],
    (1, 0, 1, 1): [0.7626436935105675, 0.05360172077815095, 0.22544313963446583],
    (1, 1, 0, 1): [0.8096980249766879, 0.4231584513222808, 0.970422414655743],
    (42, 3, 2, 1): [0.1018471194087025, 0.5800988296220019, 0.5383732197957793],
    (42, 3, 0, 2): [0.45547621317461906, 0.6299558790930458, 0.14558656382519186],
    (42, 3, 0, 3): [0.2510558693552294, 0.7016747380617365, 0.24376421809833126],
}
ENGINE = {
    (1, 0, 0, 1): [0.8285549402948466, 0.3483917252449775],
    (1, 0, 0, 2): [0.1621242647527662],
    (42, 3, 2, 1): [0.5367512014663158],
    (42, 3, 0, 3): [0.9379344255778651],
}


@pytest.mark.parametrize("seed", WORDS)
def test_a_seed_gives_its_64_bit_words(seed: int) -> None:
    """The first eight 64-bit words of a seed are the tabled ones, and the doubles are made of them."""
    stream, again = Stream(seed), Stream(seed)
    assert [f"{stream.u64():016x}" for _ in range(8)] == WORDS[seed].split()
    assert [again.f64() for _ in range(4)] == DOUBLES[seed]


def test_word_sizes_can_be_mixed() -> None:
    """A 64-bit number after a single word spans the two next words, whatever the block."""
    stream = Stream(7)
    assert (stream.u32(), stream.u64(), stream.u32(), stream.f64()) == (
        1789459390,
        2629644261691416809,
        1318925544,
        0.14264215670077263,
    )
    one, other = Stream(9), Stream(9)
    words = [other.u32() for _ in range(41)]
    assert one.u32() == words[0]
    assert [one.u64() for _ in range(20)] == [words[at] | words[at + 1] << 32 for at in range(1, 41, 2)]


def test_whole_numbers_below_a_bound() -> None:
    """Integers below 3 come from one word each."""
    stream = Stream(1)
    assert [stream.below(3) for _ in range(20)] == [2, 2, 2, 2, 0, 1, 0, 0, 2, 0, 1, 2, 2, 1, 2, 2, 0, 1, 0, 1]


@pytest.mark.parametrize("key", CLASSIC)
def test_classic_session_streams(key: tuple[int, int, int, int]) -> None:
    """A session's stream in the classic edition starts as tabled."""
    stream = Stream(classic_seed(*key))
    assert [stream.f64() for _ in CLASSIC[key]] == CLASSIC[key]


@pytest.mark.parametrize("key", ENGINE)
def test_engine_session_streams(key: tuple[int, int, int, int]) -> None:
    """A session's stream from the engine edition on starts as tabled."""
    stream = Stream(engine_seed(*key))
    assert [stream.f64() for _ in ENGINE[key]] == ENGINE[key]


def test_a_copy_goes_on_alone() -> None:
    """A copied stream gives the same numbers as the first one would, and neither disturbs the other."""
    stream = Stream(5)
    stream.f64()
    copy = stream.copy()
    assert [copy.f64() for _ in range(20)] == [stream.f64() for _ in range(20)]


def test_a_stream_is_not_made_before_its_first_draw() -> None:
    """The seed of a stream is asked for at the first draw."""
    asked: list[int] = []

    def seed() -> int:
        asked.append(1)
        return 3

    stream = Stream(seed)
    assert not asked
    stream.f64()
    assert asked == [1]


def test_every_distribution() -> None:
    """Distributions take the tabled number of draws and give the tabled values (semantics.md 11.4)."""
    stream = Stream(classic_seed(4242, 0, 0, 2))
    found = [
        dist.uniform(stream, 2.0, 5.0),
        dist.exponential(stream, 2.0),
        dist.det(stream, 4.0),
        dist.erlang(stream, 3.0, 6.0),
        dist.erlang(stream, 2.9, 6.0),
        dist.erlang(stream, 0.0, 6.0),
        dist.h2(stream, 1.0, 4.0),
        dist.h2(stream, 1.0, 0.5),
        dist.bernoulli(stream, 0.5),
        dist.bernoulli(stream, 1.0),
        dist.bernoulli(stream, 0.0),
        dist.uniform(stream, 5.0, 2.0),
        dist.exponential(stream, 0.0),
    ]
    assert found == [
        2.715998589845014, 5.167871515880281, 4.0, 6.862688905060182, 1.4772837170295028, 14.114897726138311,
        0.3187708936231514, 0.6043274673228245, 1.0, 1.0, 0.0, 4.844610180433211, 0.0,
    ]  # fmt: skip
    stream.u64()
    stream.u64()
    assert dist.uniform(stream, 0.0, 1.0) == 0.6215720166665997  # the twentieth draw


def test_the_streams_program_is_in_the_conformance_set() -> None:
    """The program the table above comes from runs with the whole set."""
    path = Path(__file__).parents[1] / "conformance/classic/run/streams_every_distribution.ir.json"
    assert json.loads(path.read_text(encoding="utf-8"))["seed"] == 4242
