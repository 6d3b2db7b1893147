"""The parts of a web page that are not its text: menus, banners, the footer of a site.
docs/formats/README.md says the rules."""

from collections import deque

from lxml import etree

# Roles of what leads elsewhere or works the page (WAI-ARIA 1.2; the last two of DPUB-ARIA 1.1).
# Others may hold text: “complementary” notes, “alert” a warning in a manual, “dialog” a post
_LEFT_OUT_ROLES = frozenset(
    "navigation banner contentinfo search menu menubar toolbar tablist doc-toc doc-pagelist".split()
)
# A footer within one of these is its own: a signature, the source of a quotation
_WITH_OWN_FOOTER = {"article", "aside", "blockquote", "details", "figure", "li", "main", "td"}
# A footer with another role, such as “doc-endnotes”, is text
_FOOTER_ROLES = {"contentinfo"}
# Of what is text wherever it stands (DPUB-ARIA 1.1)
_NOTE_ROLES = {"doc-endnotes", "doc-endnote", "doc-footnote", "doc-bibliography", "doc-appendix"}
_UNSEEN = {"script", "style", "template", "noscript"}
_MOST_FOOTERS = 100  # the last ones of a page; others belong to comments or articles


def is_left_out(element) -> bool:
    """Whether an element's role says that it is no text: a menu, a banner, a search."""
    return not _LEFT_OUT_ROLES.isdisjoint(_roles(element))


def left_out_by_roles(tree) -> set:
    """The elements of a page that are left out by their roles. One is not that holds most of the
    page's characters, outside of its links: its end tag may be missing."""
    seen = 0  # characters so far
    seen_outside = 0  # of them outside of links
    outside_before = {}  # such an element -> characters outside of links before it
    outside = {}  # such an element -> those in it
    links = 0  # that are open, here
    unseen = 0  # elements that are open of which nothing is shown
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        change = 1 if event == "start" else -1
        links += change * (element.tag == "a")
        unseen += change * (element.tag in _UNSEEN)
        if is_left_out(element):
            if event == "start":
                outside_before[element] = seen_outside
            else:
                outside[element] = seen_outside - outside_before[element]
        text = element.text if event == "start" else element.tail
        length = 0 if unseen else len((text or "").strip())
        seen += length
        seen_outside += 0 if links else length
    return {element for element, length in outside.items() if 2 * length <= seen}


class Page:
    """The parts of a page. main: the element that the page says is its main content; None where
    there is none, or are several."""

    def __init__(self, tree):
        self._tree = tree
        self.main = _main(tree)
        self._around_main = set() if self.main is None else set(self.main.iterancestors())
        self._left_out_by_roles = left_out_by_roles(tree)
        footers = deque(tree.iter("footer"), maxlen=_MOST_FOOTERS)
        self._footers = {footer for footer in footers if self._is_of_site(footer)}

    def leaves_out(self, element) -> bool:
        """Whether an element is in common with other pages of the site. What holds the main content
        is not, whatever its role: the end tag of a menu may be missing."""
        is_common = element in self._footers or element in self._left_out_by_roles
        return is_common and element not in self._around_main

    def has_first_headings_in_main(self) -> bool:
        """Whether no heading of the first level is outside of the main content: it may be the title
        of the text, with the author below it."""
        return _count_first_headings(self.main) == _count_first_headings(self._tree)

    def has_notes_behind_main(self) -> bool:
        """Whether notes or sources stand behind the main content: parts with such a role, or
        ordered lists."""
        behind = self.main.xpath("following::*[self::ol or @role]")
        notes = (part for part in behind if part.tag == "ol" or _roles(part) & _NOTE_ROLES)
        return not all(map(self._is_in_common, notes))

    def _is_in_common(self, part) -> bool:
        """Whether an element is in a part that is left out."""
        return any(
            element.tag == "nav" or self.leaves_out(element)
            for element in (part, *part.iterancestors())
        )

    def _is_of_site(self, footer) -> bool:
        if not _roles(footer) <= _FOOTER_ROLES:
            return False
        for ancestor in footer.iterancestors():
            if ancestor.tag in _WITH_OWN_FOOTER or ancestor is self.main:
                return False
            # Of a letter or a preface. But some pages have everything in one section, and the
            # footer beside the main content
            if ancestor.tag == "section" and ancestor not in self._around_main:
                return False
        return True


def _main(tree):
    elements = [element for element in tree.iter() if is_main(element)]
    if not elements:
        return None
    outermost = elements[0]
    within_outermost = sum(map(is_main, outermost.iter()))
    return outermost if within_outermost == len(elements) else None


def is_main(element) -> bool:
    return element.tag == "main" or "main" in _roles(element)


def _count_first_headings(root) -> int:
    return sum(1 for _ in root.iter("h1"))


def _roles(element) -> set[str]:
    return set((element.get("role") or "").lower().split())
