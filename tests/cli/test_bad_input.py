"""Whatever is given, the answer is a message with place, cause and cure and the contracted exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serq_lsp.cli import main
from tests.cli.programs import CLEAN, ENDLESS, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
COMMANDS = ("check", "run", "trace", "ir")


def refused(serq: Serq, path: str, *said: str) -> None:
    """Every command refuses this file with these words and exit 1; all but `check` say nothing on stdout."""
    for command in COMMANDS:
        answer = serq(command, path)
        assert answer.code == 1
        words = answer.out if command == "check" else answer.err
        assert command == "check" or answer.out == ""
        assert all(it in words for it in said), words


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (b"\x7fELF\x02\x01\x00\xff\xfe", "1:7", "NUL byte"),
        (b"let a = 1;\nlet b = \xe9;\n", "2:9", "not UTF-8"),
        ("let a = 1;".encode("utf-16"), "1:1", "UTF-16"),
        (b"let a = \x00 1;", "1:9", "NUL byte"),
        (b"// " + b"x" * (1 << 20), "1:1", "more than 1,048,576 bytes"),
    ],
)
def test_what_is_no_text(serq: Serq, folder: Path, data: bytes, place: str, said: str) -> None:
    """Binary bytes, other encodings, NUL bytes, more than 1 MiB: at the first wrong byte, with what helps."""
    (folder / "x.sq").write_bytes(data)
    refused(serq, "x.sq", f"x.sq:{place}: error[unreadable-file]", said, "= help: ")


def test_what_is_no_file(serq: Serq, folder: Path) -> None:
    """Missing, below a file, links in a circle, pipes, devices."""
    (folder / "loop.sq").symlink_to("loop.sq")
    os.mkfifo(folder / "pipe.sq")
    refused(serq, "nowhere.sq", "`nowhere.sq` does not exist")
    refused(serq, "clean.sq/x.sq", "`clean.sq/x.sq` lies below something that is no directory")
    refused(serq, "loop.sq", "symbolic links")
    refused(serq, "pipe.sq", "is a pipe, not a regular file")
    refused(serq, "/dev/zero", "is a device, not a regular file")


def test_a_folder_called_like_a_program(serq: Serq, folder: Path) -> None:
    """`check` walks it, the others say what it is."""
    (folder / "x.sq").mkdir()
    (folder / "x.sq" / "inner.sq").write_text(CLEAN)
    assert list(serq("check", "--format", "json").files) == ["clean.sq", "x.sq/inner.sq"]
    assert list(serq("check", "x.sq", "--format", "json").files) == ["x.sq/inner.sq"]
    answer = serq("run", "x.sq")
    assert answer.code == 1
    assert "`x.sq` is a directory" in answer.err


@pytest.mark.skipif(AS_ROOT, reason="root may read and write everything")
def test_permissions(serq: Serq, folder: Path) -> None:
    """A file that may not be read is a finding; a folder that may not be written ends `--dump` before the run."""
    (folder / "clean.sq").chmod(0)
    refused(serq, "clean.sq", "permission denied")


def test_an_unreadable_file_among_several(serq: Serq, folder: Path) -> None:
    """It is a finding, and the others are still checked."""
    (folder / "bad.sq").write_bytes(b"\xff\x00")
    answer = serq("check", "clean.sq", "nowhere.sq", "bad.sq", "--format", "json")
    assert answer.code == 1
    assert {path: len(it["findings"]) for path, it in answer.files.items()} == {
        "clean.sq": 0,
        "nowhere.sq": 1,
        "bad.sq": 1,
    }


def test_nothing_to_check(serq: Serq, folder: Path) -> None:
    """An empty folder is said to be empty; an empty file is a clean file without an edition."""
    (folder / "empty").mkdir()
    (folder / "empty.sq").write_bytes(b"")
    answer = serq("check", "empty")
    assert (answer.code, answer.out) == (0, "")
    assert "no *.sq files below `empty`" in answer.err
    assert serq("check", "empty", "--format", "json").files == {}
    assert serq("check", "empty.sq", "--format", "json").files["empty.sq"] == {
        "path": "empty.sq",
        "edition": None,
        "findings": [],
    }


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends(serq: Serq, folder: Path, end: str) -> None:
    """Programs written elsewhere are read, and their lines counted."""
    (folder / "x.sq").write_bytes(CLEAN.replace("\n", end).encode())
    assert serq("check", "x.sq").code == 0
    (folder / "x.sq").write_bytes((CLEAN + "}\n").replace("\n", end).encode())
    assert serq("check", "x.sq", "--format", "concise").out.startswith("x.sq:6:1: ")


def test_missing_libraries(serq: Serq, folder: Path) -> None:
    """At the `use`, with the path that was tried."""
    (folder / "sub").mkdir()
    (folder / "sub" / "x.sq").write_text('use "../lib/nowhere.sq";\n' + CLEAN)
    refused(serq, "sub/x.sq", "sub/x.sq:1:1: error[", "lib/nowhere.sq")


def test_libraries_that_use_each_other(serq: Serq, folder: Path) -> None:
    """A circle is no fault: each file is read once, under whatever name."""
    (folder / "a.sq").write_text('use "./b.sq";\ndef f(x) = x;\n')
    (folder / "b.sq").write_text('use "a.sq"; use "c.sq";\ndef g(x) = x;\n')
    (folder / "c.sq").symlink_to("b.sq")
    (folder / "x.sq").write_text('use "a.sq"; use "b.sq"; use "x.sq";\n' + CLEAN)
    answer = serq("check", "x.sq", "a.sq", "b.sq", "c.sq", "--format", "json")
    assert [it["rule"] for entry in answer.files.values() for it in entry["findings"]] == []


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "{" * 100_000, "((((" * 25_000 + "1" + "))))" * 25_000, "[{(" * 33_000]
)
def test_deep_nesting(serq: Serq, folder: Path, text: str) -> None:
    """100,000 brackets are an error with a place, in a second or two."""
    (folder / "x.sq").write_text(f"let a = {text};\n{CLEAN}")
    answer = serq("check", "x.sq", "--format", "concise")
    assert answer.code == 1
    assert ": error[" in answer.out
    assert serq("run", "x.sq").code == 1


def test_a_long_chain(serq: Serq, folder: Path) -> None:
    """100,000 operators in a row are no nesting."""
    (folder / "x.sq").write_text(f"let a = 1{' + 1' * 100_000};\n{CLEAN}")
    assert serq("check", "x.sq", "--format", "concise").code in {0, 1}


def test_endless_programs(serq: Serq, folder: Path) -> None:
    """A loop in which time stands still, and sessions that are replaced as soon as they are refused: an error each."""
    (folder / "x.sq").write_text(ENDLESS)
    (folder / "y.sq").write_text(
        "pool p { cap 1; }\nworkload { arrive closed(1); init { set n = 2; } }\n"
        "session { hold p (n) { } end; }\nrun { horizon 10; }\n"
    )
    for name in ("x.sq", "y.sq"):
        for command in ("run", "trace"):
            answer = serq(command, name)
            assert (answer.code, answer.out) == (1, "")
            assert answer.err.startswith(f"serq: {name}:")
            assert "at 0 s" in answer.err


def test_an_unwritable_dump(serq: Serq, folder: Path) -> None:
    """A message before the run, not a lost run."""
    answer = serq("run", "clean.sq", "--dump", "clean.sq/sub")
    assert (answer.code, answer.out) == (1, "")
    assert "--dump: " in answer.err
    assert "cannot be written" in answer.err
    (folder / "out").mkdir()
    (folder / "out" / "report.json").mkdir()
    answer = serq("run", "clean.sq", "--dump", "out")
    assert (answer.code, answer.out) == (1, "")
    assert "report.json` cannot be written" in answer.err


def test_a_fix_that_cannot_be_written(serq: Serq, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and the findings stay."""
    (folder / "bad.sq").write_text(CLEAN.replace("hold slots", "hold slotz"))
    monkeypatch.setattr("serq_lsp.cli.fix.open", _no_open, raising=False)
    answer = serq("check", "--fix", "bad.sq")
    assert answer.code == 1
    assert "`bad.sq` cannot be written (read-only file system)" in answer.err


def _no_open(*_: object, **__: object) -> None:
    raise OSError(30, "Read-only file system")


def test_traces(serq: Serq, folder: Path) -> None:
    """A log that is missing, no log, outside the project, or fine."""
    (folder / "project").mkdir()
    (folder / "project" / "serq.toml").write_text("")
    text = RANDOM.replace("workload { ", 'workload { trace "log.csv"; ')
    path = folder / "project" / "x.sq"
    path.write_text(text)
    answer = serq("run", "project/x.sq")
    assert (answer.code, answer.out) == (1, "")
    assert "`project/log.csv` does not exist" in answer.err
    (folder / "project" / "log.csv").write_text("session,turn,new,out,think\n1,1,x,3,4\n")
    assert "line 2 of the trace" in serq("run", "project/x.sq").err
    (folder / "project" / "log.csv").write_text("session,turn,new,out,think\n1,1,2,3,4\n")
    assert serq("run", "project/x.sq").code == 0
    (folder / "log.csv").write_text("1,1,2,3,4\n")
    path.write_text(text.replace("log.csv", "../log.csv"))
    answer = serq("run", "project/x.sq")
    assert answer.code == 1
    assert "lies outside" in answer.err
    assert serq("run", "project/x.sq", "--trace", "log.csv").code == 0


def test_bad_settings_are_findings(serq: Serq, folder: Path) -> None:
    """An unreadable or ill-typed serq.toml is shown in its own entry; nothing runs with settings that are not meant."""
    for data, place in ((b"[run\n", 1), (b'[run]\nseed = "x"\n', 2), (b"\xff", 1)):
        (folder / "serq.toml").write_bytes(data)
        answer = serq("check", "clean.sq", "--format", "json")
        assert answer.code == 0
        (found,) = answer.files["serq.toml"]["findings"]
        assert (found["rule"], found["range"]["start"]["line"]) == ("bad-settings", place)
        for command in ("run", "trace", "ir"):
            answer = serq(command, "clean.sq")
            assert (answer.code, answer.out) == (1, "")
            assert f"serq.toml:{place}:" in answer.err
            assert "bad-settings" in answer.err
    (folder / "serq.toml").unlink()
    (folder / "serq.toml").mkdir()
    assert "is a directory" in serq("check", "clean.sq").out


def test_output_that_the_terminal_cannot_show(folder: Path) -> None:
    """With an ASCII locale, and for names that are no UTF-8, output is still UTF-8, and nothing fails."""
    name = os.fsencode(folder) + b"/\xff.sq"
    with open(name, "wb") as file:  # noqa: PTH123 (a name that is no text)
        file.write("/* 漢 */ nonsense".encode())
    words = [sys.executable, "-c", "import sys; from serq_lsp.cli.main import run; sys.exit(run())", "check"]
    done = subprocess.run(
        [*words, name], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "/* 漢 */".encode() in done.stdout


def test_a_closed_pipe_is_quiet(folder: Path) -> None:
    """`serq trace … | head -1` prints its line and nothing else, and the run ends."""
    (folder / "x.sq").write_text(
        RANDOM.replace("stage desk : fifo;", "").replace("run desk (gap(half)); ", "") + CLEAN[:0]
    )
    (folder / "long.sq").write_text(CLEAN.replace("batch(2)", "poisson(5)").replace("horizon 10", "horizon 100000"))
    for command in ("trace long.sq", "check --format json long.sq nowhere.sq", "explain hold", "ir long.sq"):
        script = f'"$0" -c "import sys; from serq_lsp.cli.main import run; sys.exit(run())" {command} | head -c 20'
        done = subprocess.run(
            ["sh", "-c", script, sys.executable], cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
        assert (len(done.stdout), done.stderr) == (20, "")


def test_a_fault_of_ours_is_reported(
    serq: Serq, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3, a report that says what to do, the traceback in a file or shown under SERQ_DEBUG=1; interrupts are 130."""

    def broken(_: list[str]) -> int:
        raise ZeroDivisionError("deep inside")

    assert serq("--version").code == 0
    monkeypatch.setattr(main, "_command", broken)
    assert main.run(["check"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "a fault of serq itself" in err
    assert "ZeroDivisionError: deep inside" in err
    assert "Traceback" not in err
    (path,) = [word for word in err.split() if "serq-fault-" in word]
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        assert "Traceback" in file.read()
    os.unlink(path)  # noqa: PTH108
    monkeypatch.setenv("SERQ_DEBUG", "1")
    assert main.run(["check"]) == 3
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setattr(main, "_command", _interrupt)
    assert main.run(["check"]) == 130


def _interrupt(_: list[str]) -> int:
    raise KeyboardInterrupt


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(CLEAN.replace("(", " ( ").replace(";", " ; ").split()), max_size=40).map(" ".join),
        st.tuples(st.integers(0, len(CLEAN)), st.integers(0, len(CLEAN))).map(
            lambda it: CLEAN[: it[0]] + CLEAN[it[1] :]
        ),
    )
)
def test_any_text(serq: Serq, folder: Path, text: str) -> None:
    """Broken text of any kind ends every command with 0 or 1; what `check` finds free of errors also loads."""
    (folder / "x.sq").write_text(text, encoding="utf-8", newline="")
    checked = serq("check", "x.sq", "--format", "json")
    assert checked.code in {0, 1}
    assert serq("ir", "x.sq").code in {0, 1}
