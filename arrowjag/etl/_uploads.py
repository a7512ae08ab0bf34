"""Uploads to S3 in parts that killed workers have left: listed and aborted by two requests of S3, which pyarrow lacks.

Parts of an upload are no objects, so readers never see them, but they are stored and paid for until somebody aborts the upload.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import logging
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree as ET

import pyarrow.fs as pf

from arrowjag.errors import joined_lines
from arrowjag.io._stores import s3_options

__all__ = ["abort_uploads"]

_LOG = logging.getLogger("arrowjag.etl")
_SECONDS = 10.0
_MOST_PAGES = 100


def abort_uploads(filesystem: pf.FileSystem, folder: str, options: Mapping[str, str], is_ours: Callable[[str], bool]) -> int:
    """Abort the unfinished uploads below a folder that dead runs have begun. The caller must hold the lease of the folder.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        The file system of the folder; on others than S3 nothing happens.
    folder : str
        Bucket and path.
    options : mapping
        Options of the store. Without keys in them, or in the environment, nothing happens; a rule of the bucket can do it.
    is_ours : callable
        Tells from the path of an upload, relative to the folder, whether a job has begun it.

    Returns
    -------
    int
        Number of aborted uploads. Errors of the store are logged, because leftovers cost money, but no rows.
    """
    if filesystem.type_name != "s3":
        return 0
    service = _Service.of(options, getattr(filesystem, "region", ""))
    if service is None:
        return 0
    bucket, _, prefix = folder.partition("/")
    count = 0
    try:
        for key, number in list(service.uploads(bucket, f"{prefix}/")):
            if is_ours(key[len(prefix) + 1 :]):
                service.request("DELETE", f"{bucket}/{key}", {"uploadId": number})
                count += 1
    except (OSError, ET.ParseError) as error:
        _LOG.warning("unfinished uploads below %s can't be listed or aborted: %s", folder, joined_lines(error))
    if count:
        _LOG.warning("%d unfinished uploads of killed workers below %s were aborted", count, folder)
    return count


@dataclass(frozen=True)
class _Service:
    """An endpoint of S3 with its keys; signs requests by version 4 of the signature of AWS."""

    endpoint: str
    region: str
    key: str
    secret: str
    token: str

    @staticmethod
    def of(options: Mapping[str, str], region: str) -> _Service | None:
        """Return the service that options and environment name; None without keys."""
        found = s3_options(options)
        key, secret = found.get("access_key_id", ""), found.get("secret_access_key", "")
        token = found.get("session_token", "")
        if not (key and secret):
            key, secret = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
            token = os.environ.get("AWS_SESSION_TOKEN", "")
        region = found.get("region") or region or os.environ.get("AWS_REGION", "us-east-1")
        endpoint = found.get("endpoint") or os.environ.get("AWS_ENDPOINT_URL") or f"https://s3.{region}.amazonaws.com"
        endpoint = endpoint if "://" in endpoint else f"https://{endpoint}"
        return _Service(endpoint.rstrip("/"), region, key, secret, token) if key and secret else None

    def uploads(self, bucket: str, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield key and id of each unfinished upload."""
        query = {"uploads": "", "prefix": prefix}
        for _ in range(_MOST_PAGES):
            root = ET.fromstring(self.request("GET", bucket, query))  # noqa: S314  (an answer of the store)
            space = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
            for upload in root.iter(f"{space}Upload"):
                key, number = upload.findtext(f"{space}Key", ""), upload.findtext(f"{space}UploadId", "")
                if key.startswith(prefix) and number:
                    yield key, number
            if root.findtext(f"{space}IsTruncated", "false") != "true":
                return
            query["key-marker"] = root.findtext(f"{space}NextKeyMarker", "")
            query["upload-id-marker"] = root.findtext(f"{space}NextUploadIdMarker", "")

    def request(self, method: str, path: str, query: Mapping[str, str]) -> bytes:
        """Send a signed request and return the body of the answer.

        Raises
        ------
        OSError
            If the store doesn't answer, or refuses.
        """
        now = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
        target = f"/{quote(path, safe='/-_.~')}"
        asked = urlencode(sorted(query.items()), quote_via=quote, safe="-_.~")
        nothing = hashlib.sha256(b"").hexdigest()
        headers = {"host": urlsplit(self.endpoint).netloc, "x-amz-content-sha256": nothing, "x-amz-date": now}
        if self.token:
            headers["x-amz-security-token"] = self.token
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        asking = hashlib.sha256(f"{method}\n{target}\n{asked}\n{lines}\n{names}\n{nothing}".encode()).hexdigest()
        signing = f"AWS4{self.secret}".encode()
        for word in scope.split("/"):
            signing = hmac.new(signing, word.encode(), hashlib.sha256).digest()
        signature = hmac.new(signing, f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{asking}".encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={names}, Signature={signature}"
        url = f"{self.endpoint}{target}?{asked}"
        request = urllib.request.Request(url, method=method, headers=headers)  # noqa: S310  (http or https, as the caller says)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            if method == "DELETE" and error.code == 404:  # another run or a rule of the bucket was faster
                return b""
            raise
