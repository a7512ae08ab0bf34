"""Options of object stores: one dict with the key names of object_store, mapped to the arguments of each library.

polars and deltalake take these names themselves. pyarrow, obstore, fsspec and pyiceberg have names of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagFileError, JagTypeError, JagValueError, MissingDependencyError, brief, joined_lines
from arrowjag.io._python_files import python_filesystem

__all__ = ["check_options", "filesystem_of", "for_iceberg", "is_bucket", "object_store", "s3_options", "scheme_of", "without_table"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# Schemes that pyarrow opens itself; fsspec opens all others.
_S3, _GCS, _AZURE = {"s3", "s3a"}, {"gs", "gcs"}, {"az", "abfs", "abfss", "adl"}
_PREFIXES = re.compile(r"^(aws|google|azure_storage|azure)_")

# The names of object_store without their prefix, and the names that pyarrow, pyiceberg (`s3.` and so on) and s3fs have for them.
_S3_NAMES = {
    "access_key_id": ("access_key", "access-key-id"),
    "secret_access_key": ("secret_key", "secret-access-key"),
    "session_token": ("session_token", "session-token"),
    "region": ("region", "region"),
    "endpoint": ("endpoint_override", "endpoint"),
    "allow_http": ("", ""),
    "skip_signature": ("anonymous", "anonymous"),
    "virtual_hosted_style_request": ("force_virtual_addressing", "force-virtual-addressing"),
    "connect_timeout": ("connect_timeout", "connect-timeout"),
    "timeout": ("request_timeout", "request-timeout"),
    "max_retries": ("", ""),
}
_GCS_NAMES = {
    "skip_signature": "anonymous",
    "endpoint": "endpoint_override",
    "access_token": "access_token",
    "project_id": "project_id",
}
_AZURE_NAMES = {
    "account_name": "account_name",
    "account_key": "account_key",
    "sas_token": "sas_token",
    "client_id": "client_id",
    "client_secret": "client_secret",
    "tenant_id": "tenant_id",
    "endpoint": "blob_storage_authority",
}
_SPELLINGS = {
    "endpoint_url": "endpoint",
    "default_region": "region",
    "token": "session_token",
    "access_key": "account_key",
    "master_key": "account_key",
    "sas_key": "sas_token",
    "authority_id": "tenant_id",
}
_CLIENT_OPTIONS = {"allow_http", "timeout", "connect_timeout"}


def check_options(options: Any) -> dict[str, str]:
    """Validate the `storage_options` of a caller.

    Parameters
    ----------
    options : dict or None
        Names of object_store with text, numbers or flags.

    Returns
    -------
    dict
        The options with all values as text, which object_store requires.

    Raises
    ------
    JagTypeError
        If it is not a dict of names.

    Examples
    --------
    >>> check_options({"aws_region": "eu-west-1", "aws_allow_http": True})
    {'aws_region': 'eu-west-1', 'aws_allow_http': 'true'}
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        keys = [brief(name) for name in options if not isinstance(name, str)] if isinstance(options, Mapping) else []
        got = f"the key {keys[0]}" if keys else type(options).__name__
        raise JagTypeError(f'storage_options must be a dict such as {{"aws_region": "eu-west-1"}}, got {got}')
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}


def scheme_of(link: str) -> str:
    """Return the scheme of a URL in lower case; the empty string for a path."""
    found = _SCHEME.match(link)
    return found[1].lower() if found else ""


def is_bucket(link: str) -> bool:
    """Return whether the scheme of a URL is that of S3, Google Cloud or Azure, whose paths begin with a bucket."""
    return scheme_of(link) in _S3 | _GCS | _AZURE


def without_table(link: str) -> str:
    """Return the path or URL of a table of Delta Lake (``delta://``); other links are unchanged.

    Examples
    --------
    >>> without_table("delta:///data/flights"), without_table("delta+s3://bucket/flights"), without_table("delta://s3://bucket/flights")
    ('/data/flights', 's3://bucket/flights', 's3://bucket/flights')
    """
    scheme, _, rest = link.partition("://")
    if scheme.lower() == "delta":
        return rest
    return f"{scheme[6:]}://{rest}" if scheme.lower().startswith("delta+") else link


def filesystem_of(link: str, options: Mapping[str, str]) -> tuple[pf.FileSystem, str]:
    """Resolve a URL with options to a file system of pyarrow, or of fsspec, and a path on it.

    Parameters
    ----------
    link : str
        A URL.
    options : mapping
        The result of `check_options`.

    Returns
    -------
    pyarrow.fs.FileSystem
        The file system.
    str
        The path on it.

    Raises
    ------
    JagValueError
        If an option or the scheme is unknown.
    MissingDependencyError
        If the scheme needs a package that is not installed.
    """
    scheme = scheme_of(link)
    path = link.partition("://")[2]
    if options and scheme in _S3:
        return _s3(options), path
    if options and scheme in _GCS:
        return _made(pf.GcsFileSystem, _renamed(options, _GCS_NAMES, scheme), link), path
    if options and scheme in _AZURE:
        return _azure(options, link)
    return _from_link(link, options)


def _from_link(link: str, options: Mapping[str, str]) -> tuple[pf.FileSystem, str]:
    """Resolve a URL with pyarrow's own file systems; fall back to fsspec."""
    if link.startswith(("delta://", "iceberg://")):
        raise JagValueError(
            f"{link} names a table, which is no folder of files: aj.read_parquet reads it by this name alone, "
            f"and a job writes it, aj.etl.run(function, source, {link!r})"
        )
    try:
        if not options:
            return pf.FileSystem.from_uri(link)  # type: ignore[no-any-return]
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem type" not in str(error) and "Cannot parse URI" not in str(error):
            raise JagValueError(f"{link} can't be read as a URL: {error}") from None
    except OSError as error:  # the region of a bucket is asked for at once
        raise JagFileError(f"{link}: the store can't be reached: {error}") from error
    try:
        import fsspec
    except ImportError:
        raise MissingDependencyError.of("fsspec", "etl", f"a link such as {link}") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(link, **options)
    except (ImportError, TypeError) as error:
        raise JagValueError(f"{link}: {error}") from None
    except FileNotFoundError:
        raise
    except OSError as error:  # clients of servers connect at once
        raise JagFileError(f"{link}: the store can't be reached: {error}") from error
    except ValueError as error:
        raise JagValueError(f"{link}: {error}; neither pyarrow nor fsspec knows this kind of URL") from None
    return python_filesystem(filesystem), path


def _s3(options: Mapping[str, str]) -> pf.FileSystem:
    named = {ours: names[0] for ours, names in _S3_NAMES.items()}
    found = _renamed(options, named, "s3")
    scheme = {}
    endpoint = found.get("endpoint_override", "")
    if endpoint.startswith(("http://", "https://")):
        scheme = {"scheme": endpoint.partition("://")[0]}
        found["endpoint_override"] = endpoint.partition("://")[2].rstrip("/")
    for name in ("connect_timeout", "request_timeout"):
        if name in found:
            found[name] = _seconds(found[name], name)
    for name in ("anonymous", "force_virtual_addressing"):
        if name in found:
            found[name] = found[name] == "true"
    retries = _short(options).get("max_retries")
    if retries is not None:
        found["retry_strategy"] = pf.AwsStandardS3RetryStrategy(max_attempts=1 + int(retries))
    return _made(pf.S3FileSystem, found | scheme, "s3")


def _azure(options: Mapping[str, str], link: str) -> tuple[pf.FileSystem, str]:
    """abfss://container@account.dfs.core.windows.net/path names the account; az://container/path leaves it to the options."""
    found = _renamed(options, _AZURE_NAMES, "az")
    container, _, path = link.partition("://")[2].partition("/")
    container, _, account = container.partition("@")
    if account:
        found.setdefault("account_name", account.partition(".")[0])
    return _made(pf.AzureFileSystem, found, link), f"{container}/{path}".rstrip("/")


def _made(kind: Callable[..., Any], options: Mapping[str, Any], link: str) -> pf.FileSystem:
    try:
        return kind(**options)
    except (ValueError, TypeError, OSError, pa.ArrowException, NotImplementedError) as error:
        raise JagValueError(f"storage_options for {link}: {joined_lines(error)}") from None


def _short(options: Mapping[str, str]) -> dict[str, str]:
    """Drop the prefixes of names (`aws_region`: `region`), and use one of several spellings."""
    plain = {_PREFIXES.sub("", name.lower()): value for name, value in options.items()}
    return {_SPELLINGS.get(name, name): value for name, value in plain.items()}


def _renamed(options: Mapping[str, str], names: Mapping[str, str], scheme: str) -> dict[str, Any]:
    known = set(names)
    found = {}
    for name, value in options.items():
        (short,) = _short({name: value})
        short = name.lower().removeprefix("azure_storage_") if scheme == "az" and short == "session_token" else short
        if short not in known:
            raise JagValueError(f"storage_options: {brief(name)} is unknown for {scheme}; known are {', '.join(sorted(known))}")
        if names[short]:
            found[names[short]] = value
    return found


def _seconds(text: str, name: str) -> float:
    """Parse a time span in the format of object_store (`5s`, `500ms`) or a number of seconds."""
    found = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*(ms|s|m|)\s*", text)
    if found is None:
        raise JagValueError(f"storage_options: {name} must be a time such as 5s, got {brief(text)}")
    return float(found[1]) * {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0}[found[2]]


# -------------------------------------------------------------------------------------------------------- other libraries


def s3_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options of S3 by their short names.

    Examples
    --------
    >>> s3_options({"aws_endpoint_url": "http://127.0.0.1:9", "AWS_REGION": "eu-west-1"})
    {'endpoint': 'http://127.0.0.1:9', 'region': 'eu-west-1'}
    """
    return _short(options)


def for_iceberg(options: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of pyiceberg that correspond to options of S3.

    Parameters
    ----------
    options : mapping
        The result of `check_options`.

    Returns
    -------
    dict
        For example ``{"s3.region": "eu-west-1"}``.
    """
    short = _short(options)
    return {f"s3.{_S3_NAMES[name][1]}": value for name, value in short.items() if name in _S3_NAMES and _S3_NAMES[name][1]}


def object_store(link: str, options: Mapping[str, str]) -> Any:
    """Return a store of obstore for the bucket of a URL, for calls that pyarrow lacks (create if absent, ETags).

    Parameters
    ----------
    link : str
        A URL of S3, GCS or Azure.
    options : mapping
        The result of `check_options`.

    Returns
    -------
    obstore.store.ObjectStore or None
        None if obstore is not installed, or the scheme is another.
    """
    if not is_bucket(link):
        return None
    try:
        import obstore.store
    except ImportError:
        return None
    client, config, retry = {}, {}, {}
    for name, value in options.items():
        (short,) = _short({name: value})
        if short in _CLIENT_OPTIONS:  # in the configuration they are ignored, or panic
            client[short] = value == "true" if short == "allow_http" else value if value[-1:].isalpha() else f"{value}s"
        elif short == "max_retries":
            retry["max_retries"] = int(value)
        else:
            config[name.lower()] = value
    arguments: dict[str, Any] = {"client_options": client} if client else {}
    if retry:
        arguments["retry_config"] = retry
    bucket = "/".join(link.split("/", 3)[:3])
    open_store: Any = obstore.store.from_url  # Any: the overload depends on the store that the URL names
    return open_store(bucket, config=config, **arguments)
