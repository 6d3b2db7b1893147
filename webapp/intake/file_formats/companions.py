"""The other files of an upload or archive: a bag of words made elsewhere holds numbers, and its
words stand in a file beside it."""

from collections.abc import Callable, Iterable
from functools import cached_property

import regex

from webapp.intake.file_formats import formats, mets
from webapp.intake.file_formats.base import Source, plain

_VOCABULARY = regex.compile(
    r"(^|[^\p{L}])(vocab|vocabulary|words|terms|features|tokens|dictionary)([^\p{L}]|$)"
)

# How browsers call the folder of what a page shows, in their languages
_PAGE_FOLDER = regex.compile(
    r"(?P<page>.*[^/])(?:[_-](?:files|file|dateien|fichiers|archivos|arquivos|bestanden|soubory"
    r"|filer|tiedostot|pliki|elemei|dosyalar|fails|fitxers|datoteke|resources)|\.files|のファイル|_文件|_檔案)/[^/].*",
    regex.I,
)
_SCANNED = (".xml", ".hocr")  # endings of recognised pages
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".mht", ".mhtml")


class Companions:
    """`files` gives (source, name) of each; it is asked once, and only if one of them may be a bag
    of words or its vocabulary."""

    def __init__(self, files: Callable[[], Iterable[tuple[Source, str]]]):
        self.files = files

    @classmethod
    def among(cls, files: "Iterable[tuple[Source, str]] | Companions") -> "Companions":
        return files if isinstance(files, Companions) else cls(lambda: files)

    @cached_property
    def _bags_and_vocabularies(self) -> list[tuple[Source, str]]:
        return [file for file in self.files() if is_bag(file[1]) or is_vocabulary(file[1])]

    def _beside(self, name: str, is_companion: Callable[[str], bool]) -> list[tuple[Source, str]]:
        """Those in the same folder."""
        return [
            file
            for file in self._bags_and_vocabularies
            if is_companion(file[1]) and _folder(file[1]) == _folder(name)
        ]

    def bag_of(self, name: str) -> tuple[Source, str] | None:
        """The bag whose vocabulary a file is; None for any other file."""
        return next(iter(self._beside(name, is_bag)), None) if is_vocabulary(name) else None

    def vocabulary_of(self, name: str) -> tuple[Source, str] | None:
        """The vocabulary of a bag: in its folder, the one whose name has most in common with
        its."""
        return max(
            self._beside(name, is_vocabulary), key=lambda file: _common(file[1], name), default=None
        )

    @cached_property
    def _positions(self) -> dict[tuple[str, str], mets.Position]:
        """Where pages that a METS names are in their documents, by its folder and their own
        names."""
        by_name: dict[tuple[str, str], mets.Position] = {}
        titles: set[str] = set()
        for source, name in self.files():
            pages = mets.pages(source, name) if mets.is_mets(name) else {}
            for page, position in pages.items():
                if position.document in titles:  # issues of a newspaper may all have its name
                    position = position._replace(document=f"{position.document} ({name})")
                by_name.setdefault((_folder(name), page), position)
            titles |= {position.document for position in pages.values()}
        return by_name

    def position_of(self, name: str) -> mets.Position | None:
        """A page's in its document, as a METS above it or beside it says; None for another file."""
        if not name.lower().endswith(_SCANNED) or not self._positions:
            return None
        folder, _, last = name.replace("\\", "/").rpartition("/")
        position = self._positions.get((folder, last))
        while position is None and folder:
            folder = folder.rpartition("/")[0]
            position = self._positions.get((folder, last))
        return position

    @cached_property
    def _pages(self) -> frozenset[int]:
        """Hashes of the names of pages, without their endings: there may be millions."""
        names = (name.replace("\\", "/") for _, name in self.files())
        return frozenset(hash(name.rpartition(".")[0]) for name in names if is_page(name))

    def page_of(self, name: str) -> str | None:
        """The page, without its ending, that a browser saved with a file in the folder beside it:
        adverts, scripts and pictures. None for any other file."""
        match = _PAGE_FOLDER.fullmatch(name.replace("\\", "/"))
        return match["page"] if match and hash(match["page"]) in self._pages else None


def is_bag(name: str) -> bool:
    return formats.format_of(name).bag


def is_page(name: str) -> bool:
    return name.lower().endswith(_PAGE_ENDINGS)


def is_vocabulary(name: str) -> bool:
    name = plain(name.replace("\\", "/")).lower()
    return (
        name.endswith((".txt", ".vocab", ".tsv", ".csv", ".dic"))
        and (name.endswith(".vocab") or bool(_VOCABULARY.search(name.rpartition("/")[2])))
        and not is_bag(name)
    )


def _folder(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[0]


def _common(a: str, b: str) -> int:
    """How many parts their names share: "vocab.kos.txt" and "docword.kos.txt" the middle one."""
    return len(
        {*regex.split(r"[^\p{L}\p{N}]+", plain(a).lower())}
        & {*regex.split(r"[^\p{L}\p{N}]+", plain(b).lower())}
    )
