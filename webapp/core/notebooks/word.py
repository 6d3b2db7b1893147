"""A notebook as a Word document (.docx): a ZIP archive of XML (ECMA-376), whose parts are
templates/notebook/word/."""

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.template.loader import render_to_string

from webapp.core.notebooks.shapes import NotebookPage

PARTS = {  # of the archive -> the template
    "[Content_Types].xml": "types",
    "_rels/.rels": "package",
    "word/_rels/document.xml.rels": "parts",
    "word/document.xml": "document",
    "word/styles.xml": "styles",
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def notebook(page: NotebookPage, root: str) -> bytes:
    """root: the address of this Topograph, before the paths of its pages."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, template in PARTS.items():
            content = render_to_string(
                f"notebook/word/{template}.xml", {"page": page, "root": root}
            )
            archive.writestr(name, _NOT_IN_XML.sub("", content))
    return file.getvalue()
