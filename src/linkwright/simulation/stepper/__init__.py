"""Many robots stepped together under efforts that come from outside, for learners and sampling controllers."""
