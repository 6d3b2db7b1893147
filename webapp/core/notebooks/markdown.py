"""A notebook as Markdown (CommonMark, with tables as GitHub writes them). Nothing that a user wrote
becomes markup."""

import re

from webapp.core.notebooks.shapes import KeptTable, NotebookPage


def notebook(page: NotebookPage, root: str) -> str:
    """root: the address of this Topograph, before the paths of its pages."""
    blocks = [f"# {escaped(page.notebook.title)}", _paragraphs(page.notebook.intro)]
    for pin in page.pins:
        link = f"[{escaped(pin.address)}](<{root}{_target(pin.address)}>)"
        blocks += [
            f"## {escaped(pin.title)}",
            "\n".join(f"> {escaped(line)}".rstrip() for line in pin.quote.splitlines()),
            _paragraphs(pin.sentence),
            _table(pin.table),
            _paragraphs(pin.comment),
            "  \n".join(filter(None, [escaped(pin.origin), link])),
        ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escaped(text: str) -> str:
    """Text on one line that Markdown, and the HTML in it, shows as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")
    text = re.sub(r"([\\`*_\[\]|~#!$])", r"\\\1", text)
    text = re.sub(r"^(\s*)([-+=:])", r"\1\\\2", text)  # a list, an underline of a heading
    text = re.sub(r"^(\s*\d+)([.)])", r"\1\\\2", text)  # a numbered list
    return text.strip().replace("://", ":&#8203;//")  # renderers that make links of bare addresses


def _target(address: str) -> str:
    """An address inside < >: neither of those, nor a line break, may stand in it."""
    return address.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace("\n", "")


def _paragraphs(text: str) -> str:
    return "\n\n".join(escaped(line) for line in text.splitlines() if line.strip())


def _table(table: KeptTable | None) -> str:
    if not table or not table.columns:
        return ""
    lines = [
        ["" if cell is None else escaped(str(cell)) for cell in row]
        for row in (table.columns, *table.rows)
    ]
    lines.insert(1, ["---"] * len(table.columns))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
