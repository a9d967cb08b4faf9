"""The papers' published claims, each an independent computation with its verdict, and their figures."""
