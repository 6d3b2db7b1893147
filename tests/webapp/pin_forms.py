"""What the Pin button of a page sends."""

import html
import re


def pinned_of(page: str) -> dict[str, str]:
    """The hidden fields of the first Pin of a page."""
    form = page[page.index('<details class="pin">') :]
    fields = re.findall(r'name="(\w+)" value="([^"]*)"', form[: form.index("</form>")])
    return {name: html.unescape(value) for name, value in fields}
