"""How a mechanism is solved, step by step."""
