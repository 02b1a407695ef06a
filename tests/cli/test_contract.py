"""The command line contract, row by row: what goes to stdout, what to stderr, and the exit code."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.programs import CLEAN, ENGINE, MISTAKE, RANDOM, TRACE, UNCOVERED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]


def test_check_says_nothing_of_clean_files(serq: Serq) -> None:
    """Exit 0, and in the text formats no output at all; `--summary` adds a line."""
    for form in ("text", "concise", "github"):
        assert serq("check", "clean.sq", "--format", form) == serq("check", "--format", form)
        answer = serq("check", "clean.sq", "--format", form)
        assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert serq("check", "clean.sq", "--summary").out == "1 file checked: nothing found\n"


def test_check_walks_folders(serq: Serq, folder: Path) -> None:
    """`*.sq` below a folder, paths relative to the working directory; without a path the folder itself."""
    (folder / "sub").mkdir()
    (folder / "sub" / "a.sq").write_text(CLEAN)
    (folder / "sub" / "notes.txt").write_text("no program")
    assert list(serq("check", "--format", "json").files) == ["clean.sq", "sub/a.sq"]
    assert list(serq("check", "sub", "clean.sq", "sub/a.sq", "--format", "json").files) == ["sub/a.sq", "clean.sq"]


def test_check_reads_standard_input(serq: Serq) -> None:
    """`-` is standard input, named by `--stdin-filename`; its libraries lie relative to that name."""
    answer = serq("check", "-", "--format", "json", stdin=MISTAKE.encode())
    assert list(answer.files) == ["<stdin>"]
    assert answer.code == 1
    text = b'use "lib.sq";\n' + CLEAN.encode()
    answer = serq("check", "-", "--stdin-filename", "sub/x.sq", "--format", "json", stdin=text)
    assert list(answer.files) == ["sub/x.sq"]
    assert answer.files["sub/x.sq"]["findings"][0]["range"]["start"] == {"line": 1, "col": 1}


def test_check_as_json(serq: Serq, folder: Path) -> None:
    """One object; an entry for each file, clean ones too; every key of the contract."""
    (folder / "bad.sq").write_text(MISTAKE)
    answer = serq("check", "bad.sq", "clean.sq", "--format", "json")
    assert answer.code == 1
    assert json.loads(answer.out)["version"] == 1
    assert answer.files["clean.sq"] == {"path": "clean.sq", "edition": "classic", "findings": []}
    (found,) = answer.files["bad.sq"]["findings"]
    assert set(found) == {"rule", "severity", "message", "range", "notes", "fixes", "cites", "page"}
    assert found["severity"] == "error"
    assert found["range"] == {"start": {"line": 4, "col": 16}, "end": {"line": 4, "col": 21}}
    assert found["page"] == f"docs/rules/{found['rule']}.md"
    edits = [edit for fix in found["fixes"] for edit in fix["edits"]]
    assert edits == [{"path": "bad.sq", "range": found["range"], "text": "slots"}]


def test_check_for_people_and_for_tools(serq: Serq, folder: Path) -> None:
    """Text shows the line underlined, without colour in a pipe; concise is one line; SARIF and GitHub have their shape."""
    (folder / "bad.sq").write_text(MISTAKE)
    text = serq("check", "bad.sq").out
    assert "4 | session { hold slotz (1)" in text
    assert "  |                ^^^^^" in text
    assert "\x1b" not in text
    concise = serq("check", "bad.sq", "--format", "concise").out
    assert re.fullmatch(r"bad\.sq:4:16: error\[[a-z-]+\] [^\n]*`slotz`[^\n]*\n", concise)
    (run,) = json.loads(serq("check", "bad.sq", "--format", "sarif").out)["runs"]
    assert run["results"][0]["level"] == "error"
    assert serq("check", "bad.sq", "--format", "github").out.startswith("::error file=bad.sq,line=4,")


def test_every_fault_is_reported(serq: Serq, folder: Path) -> None:
    """Never only the first: unknown names, and a syntax error further down, in one run; sorted by place."""
    text = MISTAKE.replace("observe done = now;", "observe done = nowhere;") + "run { horizon 10 }\n"
    (folder / "bad.sq").write_text(text)
    found = serq("check", "bad.sq", "--format", "json").files["bad.sq"]["findings"]
    starts = [(it["range"]["start"]["line"], it["range"]["start"]["col"]) for it in found]
    assert starts == sorted(starts)
    assert {line for line, _ in starts} >= {4, 6}
    assert len(found) >= 3


def test_findings_in_a_library_stand_in_its_entry(serq: Serq, folder: Path) -> None:
    """Its path comes from the `use`, and a note leads to the `use`; once, however many programs use it."""
    (folder / "lib").mkdir()
    (folder / "lib" / "bad.sq").write_text("def f(x) = x;\nlet a = 1;\n")
    for name in ("p.sq", "q.sq"):
        (folder / name).write_text('use "lib/bad.sq";\n' + CLEAN)
    files = serq("check", "p.sq", "q.sq", "--format", "json").files
    assert list(files) == ["p.sq", "q.sq", "lib/bad.sq"]
    found = files["lib/bad.sq"]["findings"]
    assert [it["range"]["start"]["line"] for it in found] == [2, 2]
    assert {note["path"] for it in found for note in it["notes"]} == {"p.sq", "q.sq"}
    assert files["p.sq"]["findings"] == []


def test_fail_on_decides_the_exit_code(serq: Serq, folder: Path) -> None:
    """Errors count always, warnings only when asked; the output is the same."""
    (folder / "warned.sq").write_text("// serq: ignore x\n" + CLEAN)
    assert serq("check", "warned.sq").code == 0
    assert "ignore-without-reason" in serq("check", "warned.sq").out
    assert serq("check", "warned.sq", "--fail-on", "warning").code == 1


def test_fix_changes_files_and_checks_again(serq: Serq, folder: Path) -> None:
    """The offered change is made, line ends stay, and what is left is reported."""
    (folder / "bad.sq").write_bytes(MISTAKE.replace("\n", "\r\n").encode())
    answer = serq("check", "--fix", "bad.sq")
    assert (answer.code, answer.out, answer.err) == (0, "", "serq: fixed bad.sq\n")
    assert (folder / "bad.sq").read_bytes() == CLEAN.replace("\n", "\r\n").encode()
    assert serq("check", "--fix", "clean.sq").err == ""


def test_check_takes_settings(serq: Serq, folder: Path) -> None:
    """Overrides are judged against each program; `--edition` wins over what the text says."""
    (folder / "p.sq").write_text(RANDOM)
    assert serq("check", "p.sq", "--set", "rate=1/2", "--seed", "3").code == 0
    answer = serq("check", "p.sq", "--set", "speed=1")
    assert answer.code == 1
    assert "no constant `speed`" in answer.err
    assert serq("check", "p.sq", "--edition", "engine", "--format", "json").files["p.sq"]["edition"] == "engine"


def test_trace_prints_lines(serq: Serq) -> None:
    """The part before the bar, or with `--pools` all of it; `--limit` stops the run in good order."""
    answer = serq("trace", "clean.sq")
    assert (answer.code, answer.out, answer.err) == (0, TRACE, "")
    assert serq("trace", "clean.sq", "--pools").out.splitlines()[0] == TRACE.splitlines()[0] + " | used 0 cached 0"
    answer = serq("trace", "clean.sq", "--limit", "1")
    assert (answer.code, answer.out) == (0, TRACE.splitlines()[0] + "\n")


def test_trace_as_json_says_where(serq: Serq) -> None:
    """One object a line; each item has the place of the statement that asked for the work."""
    first = json.loads(serq("trace", "clean.sq", "--json").out.splitlines()[0])
    assert (first["time"], first["stage"]) == (0.0, "engine")
    items = [(it["session"], it["kind"], it["tokens"]) for it in first["items"]]
    assert items == [(0, "prefill", 3.0), (1, "prefill", 1.0)]
    place = first["items"][0]["place"]
    assert (place["path"], place["range"]["start"]) == ("clean.sq", {"line": 4, "col": 28})


def test_run_reports(serq: Serq) -> None:
    """A table for people, or the reference's JSON."""
    table = serq("run", "clean.sq")
    assert table.code == 0
    assert "2 arrivals, 2 sessions ended" in table.out
    report = json.loads(serq("run", "clean.sq", "--json").out)
    assert list(report)[:5] == ["serq_version", "horizon", "end", "warmup", "seed"]
    assert (report["ended"], report["observes"]["done"]["count"]) == (2, 2)
    assert report["stages"][0]["iterations"] == 3


def test_run_dumps_samples(serq: Serq, folder: Path) -> None:
    """`--dump DIR` writes the report and a CSV for each observation and gauge."""
    assert serq("run", "clean.sq", "--dump", "out/here").code == 0
    report = json.loads((folder / "out" / "here" / "report.json").read_text())
    assert report["ended"] == 2
    rows = (folder / "out" / "here" / "observe_done.csv").read_text().splitlines()
    assert rows == ["time,value,session,turn", "2.0,2.0,0,0", "3.0,3.0,1,0"]


def test_run_traces_on_stderr(serq: Serq, monkeypatch: pytest.MonkeyPatch) -> None:
    """SERQ_TRACE_ITER prints the iterations on stderr, bar included, as the reference does."""
    monkeypatch.setenv("SERQ_TRACE_ITER", "1")
    answer = serq("run", "clean.sq", "--json")
    assert answer.err.splitlines()[0] == TRACE.splitlines()[0] + " | used 0 cached 0"
    assert json.loads(answer.out)["ended"] == 2


def test_limits_end_a_run(serq: Serq, folder: Path) -> None:
    """A limit reached is exit 1 with the reason on stderr; what was traced so far stands."""
    (folder / "p.sq").write_text(RANDOM)
    for command in ("run", "trace"):
        answer = serq(command, "p.sq", "--max-events", "3")
        assert (answer.code, answer.out) == (1, "")
        assert "more than 3 events" in answer.err
    answer = serq("trace", "clean.sq", "--max-events", "2")
    assert (answer.code, answer.out) == (1, "".join(TRACE.splitlines(keepends=True)[: answer.out.count("\n")]))


def test_ir_is_json(serq: Serq, folder: Path) -> None:
    """Version 11 for a classic program, 13 for the engine edition, whose horizon has a default."""
    assert json.loads(serq("ir", "clean.sq").out)["version"] == 11
    (folder / "e.sq").write_text(ENGINE)
    program = json.loads(serq("ir", "e.sq").out)
    assert program["version"] == 13
    assert json.loads(serq("ir", "e.sq", "--horizon", "7").out) != program


def test_a_program_with_errors_does_not_run(serq: Serq, folder: Path) -> None:
    """Findings in text form on stderr, exit 1, nothing on stdout."""
    (folder / "bad.sq").write_text(MISTAKE)
    for command in ("run", "trace", "ir"):
        answer = serq(command, "bad.sq")
        assert (answer.code, answer.out) == (1, "")
        assert "bad.sq:4:16: error[" in answer.err
        assert "^^^^^" in answer.err


def test_explain(serq: Serq) -> None:
    """The page of a rule or construct; an unknown name is exit 1 with a suggestion; aliases as one JSON object."""
    assert serq("explain", "unreadable-file").out.startswith("# unreadable-file\n")
    page = serq("explain", "reserve").out
    assert "vllm/v1/core/kv_cache_manager.py" in page
    answer = serq("explain", "reserv")
    assert (answer.code, answer.out) == (1, "")
    assert "did you mean `reserve`?" in answer.err
    aliases: dict[str, Any] = json.loads(serq("explain", "--aliases").out)
    assert all(isinstance(it, list) for it in aliases.values())


@pytest.mark.parametrize(
    "words",
    [
        (), ("chekc",), ("check", "--format", "xml"), ("check", "--nonsense"), ("run",), ("run", "a.sq", "b.sq"),
        ("run", "a.sq", "--seed", "x"), ("run", "a.sq", "--set", "rate"), ("run", "a.sq", "--set", "=1"),
        ("trace", "a.sq", "--limit", "0"), ("run", "a.sq", "--max-seconds", "-1"), ("run", "a.sq", "--max-events", "1.5"),
        ("check", "--edition", "modern"), ("check", "-", "--fix"), ("check", "--run"), ("trace", "--lim", "3", "a.sq"),
    ],
)  # fmt: skip
def test_usage(serq: Serq, words: tuple[str, ...]) -> None:
    """What is no command line is exit 2, with the usage on stderr and nothing on stdout."""
    answer = serq(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("usage: serq")


def test_help_and_version(serq: Serq) -> None:
    """Both end with 0."""
    assert serq("--help").code == 0
    assert "check" in serq("--help").out
    assert serq("check", "--help").code == 0
    assert re.fullmatch(r"serq \d+\.\d+\.\d+\S*\n", serq("--version").out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--warmup", "-1"), "--warmup -1: "),
        (("--warmup", "20"), "--warmup 20: "),
        (("--warmup", "nan"), "--warmup nan: "),
        (("--horizon", "0"), "--horizon 0: "),
        (("--horizon", "inf"), "--horizon inf: "),
        (("--arrivals", "0"), "--arrivals 0: "),
        (("--arrivals", "-3"), "--arrivals -3: "),
        (("--seed", "-1"), "--seed -1: "),
        (("--set", "rate=0/0"), "--set rate=0/0: `0/0` is not a constant number"),
        (("--set", "rate=~exp(1)"), "--set rate=~exp(1): `~exp(1)` is not a constant number"),
        (("--set", "rate=1 +"), "--set rate=1 +: `1 +` is not an expression"),
        (("--set", "rate=1; let b = 2"), "is not an expression"),
        (("--set", "rate="), "is not an expression"),
        (("--set", "raet=1"), "did you mean `rate`?"),
        (("--set", "9=1"), "`9` is not a name"),
        (("--set", "half=rate"), ""),
        (("--set", "rate=half"), "--set rate=half: "),
        (("--def", "gap=1 +"), "is not an expression"),
        (("--def", "pause=3"), "no definition `pause`; "),
    ],
)
def test_what_the_language_refuses(serq: Serq, folder: Path, words: tuple[str, ...], said: str) -> None:
    """Well formed as an option, refused by the language: exit 1, the reason on stderr, nothing on stdout."""
    (folder / "p.sq").write_text(RANDOM)
    for command in ("ir", "run", "trace"):
        answer = serq(command, "p.sq", *words)
        assert answer.code == int(bool(said))
        assert said in answer.err
        assert not said or answer.out == ""


def test_arrivals_need_an_open_workload(serq: Serq) -> None:
    """A batch has as many arrivals as it says."""
    answer = serq("run", "clean.sq", "--arrivals", "3")
    assert answer.code == 1
    assert "--arrivals 3: " in answer.err


def test_an_array_keeps_its_size(serq: Serq, folder: Path) -> None:
    """A constant that sizes an array may be given its own value only."""
    text = RANDOM.replace("stage desk : fifo;", "let n = 2;\nstage desk[n] : fifo;").replace("run desk", "run desk[1]")
    (folder / "p.sq").write_text(text)
    assert serq("ir", "p.sq", "--set", "n=2").code == 0
    answer = serq("ir", "p.sq", "--set", "n=3")
    assert answer.code == 1
    assert "sizes" in answer.err


def test_inputs_of_the_engine_edition(serq: Serq, folder: Path) -> None:
    """They are set by their external name, to constant expressions without names; a plain `let` is no input."""
    (folder / "e.sq").write_text(ENGINE)
    base = serq("ir", "e.sq").out
    assert serq("ir", "e.sq", "--set", "rate=1/2").out != base
    assert serq("ir", "e.sq", "--set", "rate=2").out == base
    assert serq("ir", "e.sq", "--set", "rate=rate").code == 1


def test_settings_of_a_file(serq: Serq, folder: Path) -> None:
    """Option, then directive, then serq.toml's program, then the run block, then [run], then the default."""
    (folder / "p.sq").write_text(RANDOM)
    (folder / "e.sq").write_text(ENGINE)

    def seen(file: str, *words: str) -> tuple[float, int]:
        program = json.loads(serq("ir", file, *words).out)
        return program["horizon"], program["seed"]

    assert (seen("p.sq"), seen("e.sq")) == ((20, 1), (20, 1))
    (folder / "serq.toml").write_text("[run]\nhorizon = 30\nseed = 4\n")
    assert (seen("p.sq"), seen("e.sq")) == ((20, 4), (30, 4))
    (folder / "serq.toml").write_text('[run]\nseed = 4\n[[program]]\npath = "p.sq"\nhorizon = 40\n')
    assert (seen("p.sq"), seen("e.sq")) == ((40, 4), (20, 4))
    (folder / "p.sq").write_text("// serq: run horizon=50 rate=3\n" + RANDOM)
    assert seen("p.sq") == (50, 4)
    assert seen("p.sq", "--horizon", "60", "--seed", "2") == (60, 2)


def test_limits_of_a_file(serq: Serq, folder: Path) -> None:
    """`limits` under `[run]` bounds a run; an option wins."""
    (folder / "p.sq").write_text(RANDOM)
    (folder / "serq.toml").write_text("[run]\nlimits = { events = 3 }\n")
    assert serq("run", "p.sq").code == 1
    assert serq("run", "p.sq", "--max-events", "100000").code == 0


def test_an_error_that_does_not_refuse_a_program(serq: Serq, folder: Path) -> None:
    """`run`, `trace` and `ir` tell it on stderr and go on; `check` exits with 1, and an `ignore` silences it."""
    (folder / "b.sq").write_text(UNCOVERED)
    assert serq("check", "b.sq").code == 1
    for command in ("run", "trace", "ir"):
        answer = serq(command, "b.sq")
        assert answer.code == 0
        assert answer.out
        assert "error[missing-bucket]" in answer.err
    (folder / "b.sq").write_text("// serq: ignore missing-bucket because it is meant\n" + UNCOVERED)
    assert serq("run", "b.sq").err == ""
