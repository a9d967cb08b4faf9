"""Hypothesis profiles: `ci` draws the same examples every time, `dev` (the default at a desk) keeps searching."""

import os

from hypothesis import HealthCheck, settings

_slow_ok = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=_slow_ok, print_blob=True)
settings.register_profile("dev", deadline=None, suppress_health_check=_slow_ok)
settings.register_profile("long", deadline=None, suppress_health_check=_slow_ok, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
