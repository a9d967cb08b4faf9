"""C99 for controllers: one function, or a kit that closes the loops."""
