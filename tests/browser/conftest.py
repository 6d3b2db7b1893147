import pytest


@pytest.fixture
def page(browser, live_system):
    """A page that fails the test on any script error, console error or breach of the content security policy."""
    context = browser.new_context(base_url=live_system.url, viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not wrong
