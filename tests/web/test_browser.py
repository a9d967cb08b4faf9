"""A computer without a browser skips with a reason; where there must be one it fails."""

import pytest

from tests.web import browser
from tests.web.conftest import shared_browser


def test_what_is_missing_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install the package 'chromium'" in browser.missing()


@pytest.mark.parametrize(("value", "kind"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_a_browser_continuous_integration_fails_and_others_skip(monkeypatch, tmp_path, value, kind):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", value)
    with pytest.raises(kind, match="no Chromium"):
        next(shared_browser.__wrapped__())
