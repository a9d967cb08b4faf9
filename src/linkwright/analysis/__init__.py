"""Questions asked of a model: what is wrong with it, how it is solved, what could be left out."""
