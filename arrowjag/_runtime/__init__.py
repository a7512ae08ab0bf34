"""The process that arrowjag runs in: memory and cores, settings, keys of objects in caches, and warnings for the user's line."""
