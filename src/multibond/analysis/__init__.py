"""What a graph tells before the first run: structure, transfer functions, inversion."""
