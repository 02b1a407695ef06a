"""`serq explain`: the page of a rule or construct."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from serq_lsp.cli.output import complain, show
from serq_lsp.ide.explain import aliases, index, page, suggestion

if TYPE_CHECKING:
    from serq_lsp.cli.options import Options

REPORT = "report"
"""The name of the page about the columns of `serq run`."""


def explain(options: Options) -> int:
    """Print what is asked for; return 1 where there is no such rule or construct, else 0."""
    name = " ".join(options.name)
    if options.aliases:
        show([json.dumps(aliases(), ensure_ascii=False, indent=1)])
        return 0
    if not name:
        show([index()])
        return 0
    if name == REPORT:
        from serq_lsp.cli.table import legend

        show(legend())
        return 0
    text = page(name, everything=options.all)
    if text is None:
        near = suggestion(name)
        hint = f"did you mean `{near}`?" if near else "`serq explain` lists what there is"
        complain(f"no rule or construct is called `{name}`; {hint}")
        return 1
    show([text.rstrip("\n")])
    return 0
