"""Time stepping: compiled integrators, events, projection onto constraints, dense output."""
