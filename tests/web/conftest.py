"""The browser the web tests share."""

import pytest

from tests.web.browser import browser, missing, required


@pytest.fixture(scope="session")
def running():
    """A Chromium for all tests of a worker; where there must be one, a missing one fails."""
    if reason := missing():
        pytest.fail(reason) if required() else pytest.skip(reason)
    with browser() as found:
        yield found
