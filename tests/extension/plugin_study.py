"""A module as a plug-in package would have it: it registers a study when it is imported."""

from linkwright.analysis import register_study


@register_study
def plugin_study(model):
    """Nothing yet."""
