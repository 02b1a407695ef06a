"""Build `serq_lsp._grammar`, the compiled grammar; everything else about the package stands in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildGrammar(build_ext):
    """Compile the grammar; say in one sentence what to do where that cannot be done."""

    def build_extensions(self) -> None:
        """Compile, after making sure that there is a compiler.

        Raises:
            SystemExit: no C compiler, or it could not compile (most often: `Python.h` is missing).
        """
        command = getattr(self.compiler, "compiler_so", None) or ["cl"]
        if self.compiler.compiler_type == "unix" and shutil.which(command[0]) is None:
            raise SystemExit(f"serq-lsp: no C compiler (`{command[0]}`) to build the grammar with: {cure()}")
        try:
            super().build_extensions()
        except Exception as error:
            raise SystemExit(f"serq-lsp: the grammar could not be compiled ({error}): {cure()}") from None


def cure() -> str:
    """Say how to get what the compilation needs on this kind of machine."""
    if Path("/etc/debian_version").exists():
        return "run `apt-get install gcc python3-dev`, or set CC to a compiler"
    return "install a C compiler and Python's headers, or set CC to a compiler"


setup(
    ext_modules=[
        Extension(
            "serq_lsp._grammar",
            sources=["grammar/binding.c", "grammar/src/parser.c"],
            include_dirs=["grammar/src"],
            depends=["grammar/src/tree_sitter/parser.h"],
            define_macros=[("Py_LIMITED_API", "0x030A0000")],
            py_limited_api=True,
        ),
    ],
    cmdclass={"build_ext": BuildGrammar},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
