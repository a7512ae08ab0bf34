"""Compare with other libraries on random input; skipped if the library is not installed."""
