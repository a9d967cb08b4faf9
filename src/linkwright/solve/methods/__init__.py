"""How each formulation is computed on a mechanism: one class per formulation, one protocol, one table."""
