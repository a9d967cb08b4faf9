"""Ways to write the equations of motion; any scalar."""
