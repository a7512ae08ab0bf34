"""Surface under construction."""
