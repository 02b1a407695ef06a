"""URIs and paths: one file has one path, however a client spells its URI."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from urllib.parse import quote, unquote

_FILE = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")
_SAFE = "/!$&'()*+,;=:@-._~"


def to_path(uri: str, *, windows: bool = os.name == "nt") -> str:
    """Return the path of a `file:` URI, normalised; any other URI is its own path.

    `file:///c%3A/x.sq` and `file:///C:/x.sq` are the same path. With `windows`, drives lose their slash and
    separators are backslashes; hosts become UNC paths.
    """
    found = _FILE.fullmatch(uri.partition("#")[0].partition("?")[0])
    if found is None:
        return uri
    path = unquote(found["path"], errors="surrogateescape")
    path = _DRIVE.sub(lambda it: f"/{it[1].lower()}:", path, count=1)
    host = found["host"] or ""
    if windows:
        path = f"//{host}{path}" if host and host.lower() != "localhost" else _DRIVE.sub(r"\1:", path, count=1)
        return ntpath.normpath(path)
    return posixpath.normpath(path).replace("//", "/", 1)


def to_uri(path: str) -> str:
    """Return the URI of a path; a path that is a URI already (`untitled:…`) is returned as it is."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", path):
        return path
    absolute = path.replace("\\", "/") if os.name == "nt" else path
    if absolute.startswith("//"):
        return "file:" + quote(absolute, safe=_SAFE, errors="surrogateescape")
    lead = "" if absolute.startswith("/") else "/"
    return "file://" + quote(lead + absolute, safe=_SAFE, errors="surrogateescape")
