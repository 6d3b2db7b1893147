"""The title of a web page without the name of its site: “Floods” of “Floods — Valley History”."""

import itertools
from collections import deque
from collections.abc import Iterator

import regex

from webapp.intake.file_formats import note_marks, web_page
from webapp.intake.file_formats.prose import line

# As programs write them between the title of a page and the name of its site
_SEPARATOR = regex.compile(r" (?:—|–|-|\||·|•|::|»|«|›|‹) ")
_MOST_PARTS = 10  # of a title; what has more is a list of words for search engines
_MOST_HEADINGS = 100  # of a page that are compared with its title
_MOST_LINKS = 20  # of a heading that are looked at
_UNTITLED = {"", "<no title>", "no title", "untitled", "untitled document", "untitled page"}
_NUMBERING = regex.compile(r"\A(?:\d{1,3}\.)*\d{1,3}\.? ")


def title(tree) -> str:
    """The part of a page's title that is its heading too; the heading where the page has no title;
    else the title as it was written. "" where the page has neither."""
    written = next((line("".join(element.itertext())) for element in tree.iter("title")), "")
    heading = _heading(tree)
    if _SEPARATOR.split(written)[0].casefold() in _UNTITLED:
        return "" if heading is None else _text(heading)
    return written if heading is None else _part_in_heading(written, heading, tree)


def _part_in_heading(written: str, heading, tree) -> str:
    """The part of a title that is the heading of its page; all of it where no part is that, or
    where the heading may be the name of the site."""
    wanted = _bare(_text(heading))
    part = next((part for part in _parts(written) if _bare(written[part]) == wanted), None)
    if part is None:
        return written
    if _is_in_text(heading):
        return written[part]
    further = written[part.stop :]
    is_title = part.start == 0 and not _is_in_other_headings(further, heading, tree)
    return written[part] if is_title else written


def _parts(written: str) -> Iterator[slice]:
    """The parts of a title, and several that follow each other: a separator may be within one."""
    separators = list(_SEPARATOR.finditer(written))
    if len(separators) >= _MOST_PARTS:
        return
    begins = [0, *(separator.end() for separator in separators)]
    ends = [*(separator.start() for separator in separators), len(written)]
    for number, begin in enumerate(begins):
        for end in ends[number:]:
            yield slice(begin, end)


def _heading(tree):
    """The heading of the first level that is the page's own: the first one in its main content or
    an article, else the first one that is not the site's. None where there is none."""
    headings = list(itertools.islice(_headings(tree, "h1"), _MOST_HEADINGS))
    in_text = filter(_is_in_text, headings)
    elsewhere = (heading for heading in headings if not _is_of_site(heading))
    return next(itertools.chain(in_text, elsewhere), None)


def _headings(tree, *levels: str) -> Iterator:
    return (heading for heading in tree.iter(*levels) if _text(heading))


def _is_in_text(heading) -> bool:
    return any(
        web_page.is_main(ancestor) or ancestor.tag == "article"
        for ancestor in heading.iterancestors()
    )


def _is_of_site(heading) -> bool:
    """Whether a heading is in a banner, or a link to another page, as to the first one of a site."""
    if any(map(web_page.is_left_out, heading.iterancestors())):
        return True
    text = _text(heading)
    links = [*heading.iterancestors("a"), *itertools.islice(heading.iter("a"), _MOST_LINKS)]
    return any(
        (link.get("href") or "#")[0] != "#" and text in line("".join(link.itertext()))
        for link in links
    )


def _is_in_other_headings(further: str, heading, tree) -> bool:
    """Whether another heading of a page names one of the further parts of its title: that one may
    be the title, and the first part the name of the site."""
    parts = [_bare(part) for part in _SEPARATOR.split(further) if part]
    others = itertools.islice(_headings(tree, "h1", "h2", "h3", "h4", "h5", "h6"), _MOST_HEADINGS)
    texts = [
        _bare(_text(other)) for other in others if other is not heading and not _is_of_site(other)
    ]
    return any(part in text for part in parts for text in texts)


def _text(heading) -> str:
    """The text of a heading without links to notes and to itself (“¶”) at its end."""
    text = line("".join(heading.itertext()))
    for link in reversed(deque(heading.iter("a"), maxlen=_MOST_LINKS)):
        mark = line("".join(link.itertext()))
        leads_within = "#" in (link.get("href") or "")
        if leads_within and note_marks.is_mark(mark, "", linked=True):
            text = text.removesuffix(mark).rstrip() or text
    return text


def _bare(text: str) -> str:
    """A heading without its number, to be compared."""
    return _NUMBERING.sub("", text).casefold()
