"""A second, slow model of a document, written apart from the product's: bytes of the client's unit, split by hand."""

from __future__ import annotations

_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def rows(text: str) -> list[tuple[str, str]]:
    """Return the lines of a text, each with its line end (empty for the last)."""
    found: list[tuple[str, str]] = []
    line = ""
    at = 0
    while at < len(text):
        end = "\r\n" if text.startswith("\r\n", at) else text[at] if text[at] in "\r\n" else ""
        if end:
            found.append((line, end))
            line = ""
        else:
            line += text[at]
        at += len(end) or 1
    return [*found, (line, "")]


def width(text: str, encoding: str) -> int:
    """Return how many units a text takes."""
    return len(text.encode(_CODECS[encoding], "surrogatepass")) // _WIDTHS[encoding]


def replaced(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: str) -> str:
    """Return the text with the range between two positions replaced; positions outside are moved inside."""

    def prefix(position: tuple[int, int]) -> str:
        line, units = position
        lines = rows(text)
        if line >= len(lines):
            return text
        before = "".join(content + ending for content, ending in lines[:line])
        taken = ""
        for char in lines[line][0]:
            if width(taken, encoding) >= units:
                break
            taken += char
        return before + taken

    first, second = sorted((prefix(start), prefix(end)), key=len)
    return first + new + text[len(second) :]
