"""What a page's controls lack for whoever uses a keyboard or points with a shaking hand: each kind of
element that can be focused shows the focus and is not covered then, and each target is 24 px large,
stands apart from others, or is in a sentence (controls.js)."""

from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).with_name("controls.js").read_text(encoding="utf-8")


def unseen_focus(page: Page) -> list[str]:
    """WCAG 2.2, 2.4.7 and 2.4.11. The focus ends where the page begins."""
    page.emulate_media(reduced_motion="reduce")  # what fades in is there at once
    page.keyboard.press("Tab")  # the focus that follows counts as a keyboard's
    wrong = page.evaluate(f"() => ({SCRIPT})().focused()")
    page.emulate_media(reduced_motion=None)
    return wrong


def crowded_targets(page: Page) -> list[str]:
    """WCAG 2.2, 2.5.8."""
    return page.evaluate(f"() => ({SCRIPT})().targets()")
