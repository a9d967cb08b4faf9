"""Programs divided into legs and platform."""
