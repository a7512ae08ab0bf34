"""Where files are: paths, links, globs and folders on any file system."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagTypeError, JagValueError, MissingDependencyError

__all__ = ["Located", "locate", "locate_file"]

_MAGIC = re.compile(r"[*?\[]")


class Search(NamedTuple):
    """Where files were looked for: a folder, and what their paths below it match."""

    folder: str
    below: re.Pattern[str]

    def finds(self, path: str, folder: str | None = None) -> bool:
        """Whether a file would be found too; `folder` is what the search's own is called where the path is from."""
        start = (self.folder if folder is None else folder).rstrip("/") + "/"
        return path.startswith(start) and self.below.fullmatch(path[len(start) :]) is not None


class Located(NamedTuple):
    """Files on one file system.

    `base` is the folder below which ``key=value`` folders are partitions, None for one file; `searches` are the folders and the
    patterns that were named.
    """

    filesystem: pf.FileSystem
    paths: list[str]
    base: str | None
    searches: tuple[Search, ...] = ()


def locate_file(path: Any, filesystem: Any = None) -> tuple[pf.FileSystem, str]:
    """The file system and the path on it that a path or a link means.

    Parameters
    ----------
    path : str or path
        A local path, or a link such as ``s3://bucket/a.parquet`` or ``memory://a.parquet``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the path lies; by default what the link says.

    Returns
    -------
    pyarrow.fs.FileSystem
        The file system; those of fsspec are bridged.
    str
        The path on it.

    Raises
    ------
    JagTypeError
        If the path is no path.
    JagValueError
        If nobody knows the kind of link.

    Examples
    --------
    >>> locate_file("memory://folder/a.parquet")[1]
    '/folder/a.parquet'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise JagTypeError(f"a path is a str or a path object, got {type(path).__name__}")
    text = os.fspath(path)
    if filesystem is not None:
        return _bridged(filesystem), text
    if "://" in text:
        return _from_link(text)
    return pf.LocalFileSystem(), os.path.abspath(os.path.expanduser(text))  # noqa: PTH100, PTH111 - Path would drop a trailing /


def _bridged(filesystem: Any) -> pf.FileSystem:
    if isinstance(filesystem, pf.FileSystem):
        return filesystem
    if hasattr(filesystem, "protocol") and hasattr(filesystem, "open"):
        return pf.PyFileSystem(pf.FSSpecHandler(filesystem))
    raise JagTypeError(f"filesystem is one of pyarrow or of fsspec, got {type(filesystem).__name__}")


def _from_link(link: str) -> tuple[pf.FileSystem, str]:
    """Pyarrow's own file systems first, then fsspec's."""
    try:
        return pf.FileSystem.from_uri(link)  # type: ignore[no-any-return]
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem type" not in str(error) and "Cannot parse URI" not in str(error):
            raise JagValueError(f"{link} can't be read as a link: {error}") from None
    try:
        import fsspec
    except ImportError:
        raise MissingDependencyError.of("fsspec", "etl", f"a link such as {link}") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(link)
    except ValueError as error:
        raise JagValueError(f"{link}: {error}; neither pyarrow nor fsspec knows this kind of link") from None
    return _bridged(filesystem), path


def locate(path: Any, filesystem: Any = None) -> Located:
    """The files that a path, a folder, a glob or a list of them stands for.

    Parameters
    ----------
    path : str, path, or list of them
        A file; a folder, whose files are taken at any depth but for names that start with ``.`` or ``_``; a pattern with ``*``,
        ``?``, ``[ab]`` and, for any number of folders, ``**``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the paths lie.

    Returns
    -------
    Located
        Paths of a folder and of a pattern are sorted; a list keeps its order.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or none in the folder.
    """
    if isinstance(path, (list, tuple)):
        return _locate_list(path, filesystem)
    where, text = locate_file(path, filesystem)
    info = where.get_file_info(text)
    if info.type == pf.FileType.File:
        return Located(where, [info.path], None)
    if info.type == pf.FileType.Directory:
        search = Search(info.path, re.compile(".*", re.DOTALL))
    elif _MAGIC.search(text):
        search = _pattern(text)
    else:
        raise FileNotFoundError(f"there is no file {path}")
    paths = [one for one in _files_below(where, search.folder) if search.finds(one)]
    if not paths:
        raise FileNotFoundError(f"{path} holds no files: names that start with . or _ don't count")
    return Located(where, paths, search.folder, (search,))


def _locate_list(paths: Sequence[Any], filesystem: Any) -> Located:
    if not paths:
        raise JagValueError("the list of files is empty")
    found = [locate(path, filesystem) for path in paths]
    where = found[0].filesystem
    for path, one in zip(paths, found, strict=True):
        if one.filesystem != where:
            raise JagValueError(f"{path} lies on another file system than {paths[0]}: read them one by one")
    everything = [path for one in found for path in one.paths]
    return Located(where, everything, _common_folder(everything), tuple(search for one in found for search in one.searches))


def _common_folder(paths: list[str]) -> str:
    folders = [path.split("/")[:-1] for path in paths]
    shared = 0
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared += 1
    return "/".join(folders[0][:shared])


def _files_below(filesystem: pf.FileSystem, folder: str) -> list[str]:
    """Files at any depth, without those that are hidden or lie in a hidden folder."""
    start = len(folder.rstrip("/")) + 1
    infos = filesystem.get_file_info(pf.FileSelector(folder or "/", recursive=True, allow_not_found=True))
    files = [info.path for info in infos if info.type == pf.FileType.File]
    return sorted(path for path in files if not any(name[:1] in {".", "_"} for name in path[start:].split("/")))


def _pattern(pattern: str) -> Search:
    """The folder above the first name with a wildcard, and the pattern below it."""
    names = pattern.rstrip("/").split("/")
    plain = next(place for place, name in enumerate(names) if _MAGIC.search(name))
    return Search("/".join(names[:plain]), re.compile(_expression(names[plain:])))


def _expression(names: list[str]) -> str:
    """A regular expression of a pattern; what lies below a match matches too."""
    parts = ["(?:[^/]+/)*" if name == "**" else _expression_of_name(name) + "/" for name in names]
    return "".join(parts).removesuffix("/") + ("[^/]*" if names[-1] == "**" else "(?:/.*)?")


def _expression_of_name(name: str) -> str:
    pieces = re.split(r"(\*|\?|\[[^\]]+\])", name)
    known = {"*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(piece) or (_set(piece) if _is_set(piece) else re.escape(piece)) for piece in pieces)


def _is_set(piece: str) -> bool:
    return len(piece) > 2 and piece[0] == "[" and piece[-1] == "]"


def _set(piece: str) -> str:
    inner = piece[1:-1].replace("\\", "\\\\")
    return f"[^{inner[1:]}]" if inner[0] == "!" else f"[{inner}]"
