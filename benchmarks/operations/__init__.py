"""The operations that are measured, a file a family."""
