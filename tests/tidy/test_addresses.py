"""Nothing in the project says where packages are downloaded from: the clients of each machine know."""

from __future__ import annotations

import re

from tests.tidy.source import files, shown

HOSTS = re.compile(
    "|".join(
        re.escape(first + "." + last)
        for first, last in [
            ("pypi", "org"),
            ("files.pythonhosted", "org"),
            ("crates", "io"),
            ("registry.npmjs", "org"),
            ("proxy.golang", "org"),
            ("repo1.maven", "org"),
            ("repo.maven.apache", "org"),
            ("deb.debian", "org"),
            ("security.debian", "org"),
        ]
    ),
    re.IGNORECASE,
)
BYTES_MAX = 8_000_000


def test_no_file_names_a_registry() -> None:
    """No registry's host stands in any file."""
    found = [
        shown(path)
        for path in files()
        if path.stat().st_size < BYTES_MAX and HOSTS.search(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert not found
