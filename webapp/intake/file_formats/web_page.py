"""The parts of a web page that are not its text: menus, banners, the footer of a site.
docs/formats/README.md says the rules."""

from collections import deque

# Roles of what leads elsewhere or works the page (WAI-ARIA 1.2; the last two of DPUB-ARIA 1.1).
# Others may hold text: “complementary” notes, “alert” a warning in a manual, “dialog” a post
_LEFT_OUT_ROLES = frozenset(
    "navigation banner contentinfo search menu menubar toolbar tablist doc-toc doc-pagelist".split()
)
# A footer within one of these is its own: a signature, the source of a quotation
_WITH_OWN_FOOTER = {"article", "aside", "blockquote", "details", "figure", "li", "main", "td"}
# A footer with another role, such as “doc-endnotes”, is text
_FOOTER_ROLES = {"contentinfo"}
_MOST_FOOTERS = 100  # the last ones of a page; others belong to comments or articles


def is_left_out(element) -> bool:
    """Whether an element's role says that it is no text: a menu, a banner, a search."""
    return not _LEFT_OUT_ROLES.isdisjoint(_roles(element))


class Page:
    """The parts of a page. main: the element that the page says is its main content; None where
    there is none, or are several."""

    def __init__(self, tree):
        self._tree = tree
        self.main = _main(tree)
        self._around_main = set() if self.main is None else set(self.main.iterancestors())
        footers = deque(tree.iter("footer"), maxlen=_MOST_FOOTERS)
        self._footers = {footer for footer in footers if self._is_of_site(footer)}

    def leaves_out(self, element) -> bool:
        """Whether an element is in common with other pages of the site. What holds the main content
        is not, whatever its role: the end tag of a menu may be missing."""
        is_common = element in self._footers or is_left_out(element)
        return is_common and element not in self._around_main

    def has_first_headings_in_main(self) -> bool:
        """Whether no heading of the first level is outside of the main content: it may be the title
        of the text, with the author below it."""
        return _count_first_headings(self.main) == _count_first_headings(self._tree)

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
