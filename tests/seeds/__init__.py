"""Every example of the documents that the library makes true."""
