"""The browser the web tests share."""

import pytest

from tests.web.browser import browser, missing, required


@pytest.fixture(scope="session")
def shared_browser():
    """A Chromium for all tests of a worker; where there must be one, a missing one fails."""
    if reason := missing():
        pytest.fail(reason) if required() else pytest.skip(reason)
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def running(shared_browser):
    """That Chromium; what a failed test left open is closed behind its file: pages that draw cost half a processor."""
    yield shared_browser
    for context in shared_browser.contexts:
        context.close()
