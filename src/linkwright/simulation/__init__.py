"""Motion in time: compiled steppers around the compiled mechanics."""
