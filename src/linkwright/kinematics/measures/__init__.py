"""Measures of singularity of many states side by side, in the compiler's subset of Python (see `driver`)."""
