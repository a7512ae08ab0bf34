"""Locate files by paths, URLs, globs and folders on any file system."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow.fs as pf

from arrowjag.errors import JagFileError, JagTypeError, JagValueError, brief
from arrowjag.io._atomic import fsspec_of, local_path, refuse_device
from arrowjag.io._damage import describe_missing, reading
from arrowjag.io._python_files import python_filesystem
from arrowjag.io._stores import filesystem_of

__all__ = ["SIDECAR", "Located", "RealPaths", "TableFolderError", "locate", "locate_file", "reading_file", "table_at"]

#: Suffix of the folders beside a sink in which jobs keep leases and records; they hold no data.
SIDECAR = "._arrowjag"

# URLs in path objects, such as Path("s3://bucket/a"), which would name local folders.
_COLLAPSED = re.compile(r"(s3a?|gs|gcs|abfss?|az|hdfs|https?|file|memory|delta|iceberg):/(?!/)")
_MAGIC = re.compile(r"[*?\[]")


class Search(NamedTuple):
    """A search for files: a folder, and a regular expression for paths relative to it."""

    folder: str
    below: re.Pattern[str]

    def finds(self, path: str, folder: str | None = None) -> bool:
        """Return whether the search finds a path; `folder` replaces its own folder if the path spells that differently."""
        start = (self.folder if folder is None else folder).rstrip("/") + "/"
        return path.startswith(start) and self.below.fullmatch(path[len(start) :]) is not None


class Located(NamedTuple):
    """Files on one file system.

    Folders ``key=value`` below `base` are partitions; `base` is None for a single file. `searches` are the folders and patterns
    that the caller named.
    """

    filesystem: pf.FileSystem
    paths: list[str]
    base: str | None
    searches: tuple[Search, ...] = ()


def locate_file(
    path: Any, filesystem: Any = None, options: Mapping[str, str] | None = None, name: str = "the path"
) -> tuple[pf.FileSystem, str]:
    """Resolve a path or URL to a file system and a path on it.

    Parameters
    ----------
    path : str or path
        A local path, or a link such as ``s3://bucket/a.parquet`` or ``memory://a.parquet``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        File system of the path; by default derived from the path or URL.
    options : mapping, optional
        The result of `check_options`, for URLs.
    name : str
        The argument in messages.

    Returns
    -------
    pyarrow.fs.FileSystem
        The file system; fsspec's are wrapped by pyarrow's bridge.
    str
        The path on it.

    Raises
    ------
    JagTypeError
        If `path` is neither a str nor a path object.
    JagValueError
        If neither pyarrow nor fsspec supports the scheme of the URL.

    Examples
    --------
    >>> locate_file("memory://folder/a.parquet")[1]
    '/folder/a.parquet'
    """
    if not isinstance(path, (str, os.PathLike)):
        what = "a path" if name == "the path" else name
        raise JagTypeError(f"{what} must be a str or a path object, got {type(path).__name__}")
    found, text = _resolved(os.fspath(path), filesystem, options, name)
    local = local_path(found, text)
    if local is not None:
        refuse_device(local, "" if name == "the path" else f"{name} ")
    return found, text


def _resolved(text: str, filesystem: Any, options: Mapping[str, str] | None, name: str) -> tuple[pf.FileSystem, str]:
    if filesystem is not None:
        return _bridged(filesystem), text
    if not text:  # an unset variable of a script, which must not mean the current folder
        raise JagValueError(f"{name} is empty: name a file, a folder or a URL")
    if "\0" in text:
        raise JagValueError(f"{name} holds a NUL character, got {brief(text)}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise JagValueError(f"the name of {brief(text)} is not UTF-8, which pyarrow can't open: rename the file") from error
    if _COLLAPSED.match(text):
        raise JagValueError(f"{name} {brief(text)} is a URL with one slash: write // in a str, a path object keeps one slash only")
    if "://" in text:
        return filesystem_of(text, options or {})
    return pf.LocalFileSystem(), os.path.abspath(os.path.expanduser(text))  # noqa: PTH100, PTH111 - Path would drop a trailing /


def _bridged(filesystem: Any) -> pf.FileSystem:
    foreign = fsspec_of(filesystem)
    if foreign is not None:
        return python_filesystem(foreign)
    if isinstance(filesystem, pf.FileSystem):
        return filesystem
    if hasattr(filesystem, "protocol") and hasattr(filesystem, "open"):
        return python_filesystem(filesystem)
    raise JagTypeError(f"filesystem must be one of pyarrow or fsspec, got {type(filesystem).__name__}")


@contextlib.contextmanager
def reading_file(filesystem: pf.FileSystem, path: str) -> Iterator[None]:
    """Convert exceptions as `reading` does; a folder in place of the file is an IsADirectoryError."""
    try:
        with reading(path):
            yield
    except JagFileError:
        if filesystem.get_file_info(path).type == pf.FileType.Directory:
            raise IsADirectoryError(f"{path} is a folder: give the name of a file in it") from None
        raise


class TableFolderError(JagValueError):
    """A folder holds a table of the lake, whose log says which of its files are current.

    `filesystem`, `folder` and `format` describe the table; `is_root` says whether the caller named exactly its folder.
    """

    def __init__(self, filesystem: pf.FileSystem, folder: str, format: str, *, is_root: bool) -> None:
        how = {
            "Delta Lake": f"name it as delta://{folder}",
            "Iceberg": "name it as iceberg://CATALOG/NAMESPACE.TABLE, or pass a table of pyiceberg",
            "Hudi": "use a library for Hudi",
        }[format]
        super().__init__(
            f"{folder} is a table of {format}: its folder also holds files that are deleted, or not yet committed; {how}"
        )
        self.filesystem, self.folder, self.format, self.is_root = filesystem, folder, format, is_root


def locate(path: Any, filesystem: Any = None, options: Mapping[str, str] | None = None, name: str = "the path") -> Located:
    """Resolve a path, a folder, a glob or a list of them to files.

    Parameters
    ----------
    path : str, path, or list of them
        A file; a folder, whose files are taken at any depth but for names that start with ``.`` or ``_``; a pattern with ``*``,
        ``?``, ``[ab]`` and, for any number of folders, ``**``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the paths.
    options : mapping, optional
        The result of `check_options`, for URLs.
    name : str
        The argument in messages.

    Returns
    -------
    Located
        The files; those of a folder or pattern are sorted by path, a list keeps its order.

    Raises
    ------
    FileNotFoundError
        If the file does not exist, or the folder contains none.
    JagValueError
        If a file of a folder or pattern is found twice, by a link.
    TableFolderError
        If files of a folder or pattern belong to a table of Delta Lake, Iceberg or Hudi.
    """
    if isinstance(path, (list, tuple)):
        return _locate_list(path, filesystem, options, name)
    where, text = locate_file(path, filesystem, options, name)
    if not text and where.type_name in {"s3", "gcs", "abfs"}:
        raise JagValueError(f"{path} names no bucket: write it after the slashes")
    info = _infos(where, text, str(path))
    if info.type == pf.FileType.File:
        return Located(where, [info.path], None)
    if info.type == pf.FileType.Directory:
        search = Search(info.path, re.compile(".*", re.DOTALL))
    elif _MAGIC.search(text):
        search = _pattern(text)
    else:
        raise FileNotFoundError(describe_missing(str(path)))
    listed = _files_below(where, search.folder)
    paths = [one for one in listed if search.finds(one) and not _is_hidden_below(one, search.folder)]
    refuse_repeated(where, paths)
    _refuse_tables(where, search.folder, listed, paths, is_folder=info.type == pf.FileType.Directory)
    if not paths:
        raise FileNotFoundError(f"{path} holds no files: names that start with . or _ are ignored")
    return Located(where, paths, search.folder, (search,))


def refuse_repeated(filesystem: pf.FileSystem, paths: Sequence[str]) -> None:
    """Raise if links lead to one local file on two paths, for example a link to a folder above itself.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        The file system of the paths; only a local one has links.
    paths : sequence of str
        The files.

    Raises
    ------
    JagValueError
        If two paths are one file.
    """
    real = RealPaths(filesystem)
    seen: dict[str, str] = {}
    for path in paths:
        first = seen.setdefault(real.of(path), path)
        if first != path:
            raise JagValueError(f"{first} and {path} are the same file through a link: its rows would be counted twice")


def _locate_list(paths: Sequence[Any], filesystem: Any, options: Mapping[str, str] | None, name: str) -> Located:
    if not paths:
        raise JagValueError("the list of files is empty: name at least one")
    try:
        found = [locate(path, filesystem, options, name) for path in paths]
    except TableFolderError as error:
        error.is_root = False  # a table is read separately
        raise
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
    """List files recursively, hidden ones too."""
    infos = _infos(filesystem, pf.FileSelector(folder or "/", recursive=True, allow_not_found=True), folder)
    try:
        files = [info.path for info in infos if info.type == pf.FileType.File]
    except UnicodeDecodeError as error:
        name = bytes(error.object).decode(errors="backslashreplace")
        raise JagValueError(f"the name of {name} is not UTF-8, which pyarrow can't open: rename the file") from error
    if isinstance(filesystem, pf.LocalFileSystem):
        files += _dangling_links(folder, set(files))
    return sorted(files)


def _infos(filesystem: pf.FileSystem, what: Any, name: str) -> Any:
    """Ask a store, which may refuse or not answer; `name` is the path in messages."""
    with reading(name):
        return filesystem.get_file_info(what)


def _is_hidden_below(path: str, folder: str) -> bool:
    return any(_is_hidden(name) for name in path[len(folder.rstrip("/")) + 1 :].split("/"))


# The files that make a folder the root of a table.
_LOGS = (
    (re.compile(r"(.*?)/_delta_log/[^/]+"), "Delta Lake"),
    (re.compile(r"(.*?)/metadata/(?:[^/]+\.metadata\.json|version-hint\.text)"), "Iceberg"),
    (re.compile(r"(.*?)/\.hoodie/.+"), "Hudi"),
)


def _refuse_tables(filesystem: pf.FileSystem, folder: str, listed: list[str], paths: list[str], *, is_folder: bool) -> None:
    """Raise if found files belong to a table: at the folder, below it, or above it if the folder is a partition of the table."""
    above = _table_above(filesystem, folder)
    roots = {found[1]: name for path in listed for log, name in _LOGS if (found := log.fullmatch(path))}
    if above is not None:
        raise TableFolderError(filesystem, *above, is_root=False)
    for root, name in sorted(roots.items()):
        is_root = is_folder and root == folder.rstrip("/")
        if is_root or any(path.startswith(root + "/") for path in paths):
            raise TableFolderError(filesystem, root, name, is_root=is_root)


def _table_above(filesystem: pf.FileSystem, folder: str) -> tuple[str, str] | None:
    """Return folder and format of the table of which a folder is a partition, or the `data` folder."""
    parent, _, name = folder.rstrip("/").rpartition("/")
    if not parent or not ("=" in name or name == "data"):
        return None
    return table_at(filesystem, parent) or _table_above(filesystem, parent)


def table_at(filesystem: pf.FileSystem, folder: str) -> tuple[str, str] | None:
    """Return a folder and the format of the table that it holds.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Its file system.
    folder : str
        A folder, which need not exist.

    Returns
    -------
    (str, str) or None
        None if it is not a table.
    """
    for log in ("_delta_log", "metadata", ".hoodie"):
        infos = _infos(filesystem, pf.FileSelector(f"{folder}/{log}", allow_not_found=True), folder)
        for info in infos:
            name = next((name for pattern, name in _LOGS if pattern.fullmatch(info.path)), None)
            if name is not None:
                return folder, name
    return None


def _dangling_links(folder: str, listed: Collection[str]) -> list[str]:
    """List dangling symbolic links, which pyarrow has not listed, so that opening them raises an error with their name."""
    paths = (f"{parent.rstrip('/')}/{name}" for parent, _, names in os.walk(folder) for name in names)
    return [path for path in paths if path not in listed and os.path.islink(path) and not os.path.exists(path)]  # noqa: PTH110, PTH114 - strings are faster


def _is_hidden(name: str) -> bool:
    return name[:1] in {".", "_"} or name.endswith(SIDECAR)


def _pattern(pattern: str) -> Search:
    """Split a pattern at the first component with a wildcard into folder and relative pattern."""
    names = pattern.rstrip("/").split("/")
    plain = next(place for place, name in enumerate(names) if _MAGIC.search(name))
    return Search("/".join(names[:plain]), re.compile(_expression(names[plain:])))


def _expression(names: list[str]) -> str:
    """Translate a pattern to a regular expression, which also matches all paths below a matching folder."""
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


class RealPaths:
    """Resolves the symbolic links of local paths; each folder is resolved once."""

    def __init__(self, filesystem: pf.FileSystem) -> None:
        self._is_local = local_path(filesystem, "/a") == "/a"  # that of fsspec, too
        self._folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return the path without symbolic links; other file systems have none."""
        if not self._is_local:
            return path
        folder, _, name = path.rpartition("/")
        if not folder or name in {"", ".", ".."} or os.path.islink(path):  # noqa: PTH114 - a str is faster
            return os.path.realpath(path).replace(os.sep, "/")
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder).replace(os.sep, "/").rstrip("/")
        return f"{self._folders[folder]}/{name}"
