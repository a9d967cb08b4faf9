"""The browser the web tests share."""

import pytest

from tests.web.browser import browser, chromium, required


@pytest.fixture(scope="session")
def running():
    """A Chromium for all tests of a worker; where there must be one, a missing one fails."""
    if not chromium():
        reason = "no Chromium on this machine: install the package 'chromium' to run the browser tests"
        pytest.fail(reason) if required() else pytest.skip(reason)
    with browser() as found:
        yield found
