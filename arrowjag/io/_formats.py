"""Formats of files by their first bytes, for errors: which format a file has, and what reads it."""

from __future__ import annotations

__all__ = ["START", "other_format"]

START = 64
"""How many bytes at the start of a file suffice to recognise its format."""

_MAGIC = {
    b"PAR1": ("Parquet", "a Parquet file", "read it with arrowjag.read_parquet"),
    b"ARROW1": ("IPC", "an Arrow IPC file", "read it with arrowjag.read_ipc"),
    b"\xff\xff\xff\xff": ("IPC", "an Arrow IPC stream", "read it with arrowjag.read_ipc"),
    b"FEA1": ("", "a Feather file of version 1", "read it with pyarrow.feather.read_table"),
    b"ORC": ("", "an ORC file", "read it with pyarrow.orc.read_table"),
    b"\x1f\x8b": ("", "compressed with gzip", "decompress it first"),
    b"\x28\xb5\x2f\xfd": ("", "compressed with zstd", "decompress it first"),
    b"PK\x03\x04": ("", "a zip file", "extract its files first"),
}
"""Name for readers of arrowjag, description and advice by the bytes with which files begin."""


_WANTED = {
    "Parquet": "a Parquet file",
    "IPC": "an Arrow IPC file",
    "Parquet or IPC": "a Parquet or Arrow IPC file",
    "JSON": "lines of JSON",
}


def other_format(start: bytes, wanted: str) -> str | None:
    """Describe a file of another format than the wanted one.

    Parameters
    ----------
    start : bytes
        The first `START` bytes of the file.
    wanted : {"Parquet", "IPC", "Parquet or IPC", "JSON"}
        The format of the reader.

    Returns
    -------
    str or None
        The rest of a sentence that begins with the name of the file; None if it has the wanted format, or none that is known.
    """
    known = next((entry for magic, entry in _MAGIC.items() if start.startswith(magic)), None) or _text(start)
    if known is None or known[0] == wanted:
        return None
    return f"is {known[1]}, not {_WANTED[wanted]}; {known[2]}"


def _text(start: bytes) -> tuple[str, str, str] | None:
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "ignore").lstrip()  # a character may be cut at the end
    if not text or not all(one.isprintable() or one.isspace() for one in text) or len(text.encode()) + 8 < len(start.lstrip()):
        return None
    if text.startswith("{"):
        return "JSON", "JSON", "read it with arrowjag.read_ndjson if each line is an object"
    if text.startswith("["):
        return "", "a JSON array", "read it with json.load"
    if "\n" not in text and "," not in text:
        return None
    return "", "text", "read it with pyarrow.csv.read_csv if it holds lines of comma-separated values"
