"""Methods that compute each formulation on a mechanism: one class per formulation, one protocol, one table."""
