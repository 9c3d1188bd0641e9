"""How it looks: drawings (SVG), plots, animations."""
