"""A server of S3 on this machine, in a process of its own, with keys and an endpoint of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.fs as pf

_SERVER = """
import sys, time, logging
logging.disable(logging.CRITICAL)
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Store:
    """A bucket; `options` is what users pass, `filesystem` looks at it from outside."""

    port: int

    @property
    def options(self) -> dict[str, Any]:
        return {
            "aws_access_key_id": "key",
            "aws_secret_access_key": "secret",
            "aws_region": "us-east-1",
            "aws_endpoint_url": f"http://127.0.0.1:{self.port}",
            "aws_allow_http": True,
        }

    @property
    def filesystem(self) -> pf.S3FileSystem:
        keys = {"access_key": "key", "secret_key": "secret", "region": "us-east-1"}
        return pf.S3FileSystem(**keys, scheme="http", endpoint_override=f"127.0.0.1:{self.port}", allow_bucket_creation=True)

    def names(self, folder: str) -> list[str]:
        """The objects below a folder of the bucket."""
        infos = self.filesystem.get_file_info(pf.FileSelector(f"bucket/{folder}", recursive=True, allow_not_found=True))
        return sorted(info.path.removeprefix("bucket/") for info in infos if info.type == pf.FileType.File)


@contextlib.contextmanager
def serve() -> Iterator[Store]:
    """Start a server with a bucket; end it with the block."""
    command = [sys.executable, "-W", "ignore", "-c", _SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            store = Store(int(child.stdout.readline()))
            store.filesystem.create_dir("bucket")
            yield store
        finally:
            child.stdin.close()
            child.kill()
