"""A scripted editing session against the real server, printed as an editor would show it.

`python scripts/session.py [FILE]`: open a program, run it, see its trace at the line ends; make a mistake, see what is said
about it; apply the fix that is offered, and see that all is well again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.lsp.wire import Client  # noqa: E402 (the checkout is not on the path of a script)

PROGRAM = ROOT / "docs" / "examples" / "separate_phases.sq"
RIGHT, WRONG = "hold reqs", "hold reqz"
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}


class Editor:
    """One document in a made-up editor; it shows text, lens, hints and diagnostics as the server gives them."""

    def __init__(self, path: Path) -> None:
        self.client = Client()
        self.client.initialize()
        self.uri = path.resolve().as_uri()
        self.version = 1
        self.text = path.read_text(encoding="utf-8")
        self.client.open(self.uri, self.text)
        self.client.found(self.uri, 1)

    def show(self, *lines: int) -> None:
        """Print the document, or some of its lines (from 0), with what the server adds to them."""
        hints = {it["position"]["line"]: it["label"] for it in self.client.about("inlayHint", self.uri, range=WHOLE)}
        lenses = {
            it["range"]["start"]["line"]: it["command"]["title"] for it in self.client.about("codeLens", self.uri)
        }
        found = self.client.diagnostics[self.uri]["diagnostics"]
        for number, line in enumerate(self.text.splitlines()):
            if lines and number not in lines:
                continue
            if number in lenses:
                print(f"     │ {lenses[number]}")
            print(f"{number + 1:4} │ {line}" + (f"    « {hints[number]} »" if number in hints else ""))
            for it in found:
                if it["range"]["start"]["line"] == number:
                    self._underline(it)

    def _underline(self, diagnostic: dict[str, Any]) -> None:
        start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
        width = end["character"] - start["character"] if end["line"] == start["line"] else 1
        first, *more = diagnostic["message"].split("\n")
        said = f"{SEVERITIES[diagnostic['severity']]}: {first} [{diagnostic['code']}]"
        print(f"     │ {' ' * start['character']}{'~' * max(width, 1)} {said}")
        for line in more:
            print(f"     │ {' ' * start['character']}  {line}")

    def edit(self, change: dict[str, Any]) -> int:
        """Make one change, as typed; return the line on which it is, and wait for what is said about the new text."""
        lines = self.text.splitlines(keepends=True)
        start, end = change["range"]["start"], change["range"]["end"]
        before = "".join(lines[: start["line"]]) + lines[start["line"]][: start["character"]]
        after = lines[end["line"]][end["character"] :] + "".join(lines[end["line"] + 1 :])
        self.text = before + change["text"] + after
        self.version += 1
        self.client.change(self.uri, self.version, change)
        self.client.found(self.uri, self.version)
        return int(start["line"])

    def replace(self, old: str, new: str) -> int:
        """Replace a word of the document; return its line."""
        at = self.text.index(old)
        line, column = self.text.count("\n", 0, at), at - (self.text.rfind("\n", 0, at) + 1)
        start = {"line": line, "character": column}
        end = {"line": line, "character": column + len(old)}
        return self.edit({"range": {"start": start, "end": end}, "text": new})

    def run(self) -> dict[str, Any]:
        """Run the program by its lens."""
        (lens,) = self.client.about("codeLens", self.uri)
        command = {"command": lens["command"]["command"], "arguments": lens["command"]["arguments"]}
        answer: dict[str, Any] = self.client.call("workspace/executeCommand", command)
        return answer

    def errors(self) -> list[dict[str, Any]]:
        """Return the errors that stand."""
        return [it for it in self.client.diagnostics[self.uri]["diagnostics"] if it["severity"] == 1]


def main() -> int:
    """Play the session.

    Returns:
        0, or 1 where something is not as it should be: no trace, no diagnostic, no fix, or an error that stays.
    """
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PROGRAM
    editor = Editor(path)
    wrong: list[str] = []
    print(f"{path.name} is opened and run in the editor; the trace stands at the line ends:\n")
    answer = editor.run()
    editor.show()
    if not answer.get("iterations"):
        wrong.append(f"the run shows no iteration: {answer}")
    if RIGHT not in editor.text:
        print(f"\n(no `{RIGHT}` in it, so no mistake is made)")
        editor.client.end()
        return 1 if wrong else 0
    print("\nA mistake is typed; what was shown is of the text before it, and the mistake is underlined:\n")
    line = editor.replace(RIGHT, WRONG)
    editor.show(*range(line - 2, line + 3))
    found = editor.errors()
    if len(found) != 1:
        wrong.append(f"one error was expected, not {len(found)}")
    place = found[0]["range"] if found else WHOLE
    actions = editor.client.about("codeAction", editor.uri, range=place, context={"diagnostics": found})
    if actions:
        print(f"\nThe editor offers: {actions[0]['title']}. It is taken, and the program is run again:\n")
        edit = actions[0]["edit"]["documentChanges"][0]["edits"][0]
        editor.edit({"range": edit["range"], "text": edit["newText"]})
        editor.run()
        editor.show(*range(line - 2, line + 5))
    else:
        wrong.append("no fix is offered")
    if editor.errors():
        wrong.append("the error is still there")
    wrong += [] if editor.client.end() == 0 else ["the server did not end properly"]
    for text in wrong:
        print(f"(not as it should be: {text})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
