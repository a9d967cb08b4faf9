"""The version of the package, which a copy without installation metadata has too."""

__version__ = "0.1.0"
