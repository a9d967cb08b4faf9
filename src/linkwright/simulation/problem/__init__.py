"""Functions that a driver calls: the model under a formulation, efforts, fallbacks."""
