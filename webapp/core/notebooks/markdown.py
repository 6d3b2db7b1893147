"""A notebook as Markdown (CommonMark, with tables as GitHub writes them). Nothing that a user wrote
becomes markup."""

import re

from webapp.core.notebooks.shapes import NotebookPage, PinRow
from webapp.models import Pin
from webapp.platform.drawing.tables import KeptTable


def notebook(page: NotebookPage, root: str) -> str:
    """root: the address of this Topograph, before the paths of its pages."""
    blocks = [f"# {escaped(page.notebook.title)}", _paragraphs(page.notebook.intro)]
    for pin in page.pins:
        link = f"[{escaped(pin.address)}](<{root}{_target(pin.address)}>)" if pin.address else ""
        blocks += [
            _heading(pin),
            "\n".join(f"> {escaped(line)}".rstrip() for line in pin.quote.splitlines()),
            _paragraphs(pin.sentence),
            _table(pin.table),
            _paragraphs(pin.comment),
            "  \n".join(filter(None, [escaped(pin.origin), link])),
        ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _heading(pin: PinRow) -> str:
    """Passages are quoted under what they show, one level below."""
    if not pin.headed:
        return ""
    return f"{'###' if pin.kind == Pin.Kind.PASSAGE else '##'} {escaped(pin.title)}"


def escaped(text: str) -> str:
    """Text on one line that Markdown, and the HTML in it, shows as it is. A backslash stands only
    before what would be markup there."""
    # "&" by itself, as in names of topics, is no markup
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text)
    text = text.replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")
    text = re.sub(r"([\\`*|])", r"\\\1", text)
    text = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)  # not within a word
    text = re.sub(r"~(?=~)|(?<=~)~", r"\\~", text)  # struck through
    text = re.sub(r"\](?=[(\[:])", r"\\]", text)  # a link
    if text.count("$") > 1:  # a formula between two
        text = text.replace("$", r"\$")
    text = re.sub(r"^(\s*)(#{1,6}(?=\s|$))", r"\1\\\2", text)  # a heading
    text = re.sub(r"^(\s*)([-+](?=\s|$)|[-=:|]+\s*$)", r"\1\\\2", text)  # a list, an underline
    text = re.sub(r"^(\s*\d+)([.)](?=\s|$))", r"\1\\\2", text)  # a numbered list
    return text.strip().replace("://", ":&#8203;//")  # renderers that make links of bare addresses


def _target(address: str) -> str:
    """An address inside < >: neither of those, nor a line break, may stand in it."""
    return address.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace("\n", "")


def _paragraphs(text: str) -> str:
    return "\n\n".join(escaped(line) for line in text.splitlines() if line.strip())


def _table(table: KeptTable | None) -> str:
    if not table or not table.columns:
        return ""
    lines = [_line([escaped(str(name)) for name in table.columns])]
    lines.append(_line(["---"] * len(table.columns)))
    for row in table.cells:
        lines.append(_line([escaped(cell_text) for cell_text, _ in row]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
