"""Jobs on object stores: one dict of options for every library, and links that fail within seconds."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli import main
from arrowjag.etl import SinkInUseError
from arrowjag.etl._lease import hold
from arrowjag.etl._sidecar import Sidecar
from arrowjag.io import _probe
from arrowjag.io._stores import check_options, filesystem_of, for_iceberg, object_store
from tests.etl.jobs import check_totals, keep, run, table_of, totals
from tests.etl.stores import Store, serve

ROOT = Path(__file__).parents[2]
X = aj.array([[1, 2], None, []])


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    pytest.importorskip("moto")
    pytest.importorskip("flask_cors")
    with serve() as found:
        yield found


def write_source(store: Store, folder: str, files: int = 3) -> None:
    for number in range(files):
        with store.filesystem.open_output_stream(f"bucket/{folder}/f{number}.parquet") as stream:
            pq.write_table(table_of(range(20 * number, 20 * (number + 1))), stream, row_group_size=10)


def words(store: Store) -> list[str]:
    """The options of the command."""
    return [word for name, value in check_options(store.options).items() for word in ("--storage-option", f"{name}={value}")]


def check(store: Store, folder: str, rows: int) -> None:
    filesystem = store.filesystem
    table = aj.read_parquet(f"bucket/{folder}", filesystem=filesystem).sort_by("id")
    assert table["id"].to_pylist() == list(range(rows))


def test_files(store: Store) -> None:
    aj.write_parquet({"v": X}, "s3://bucket/files/a.parquet", storage_options=store.options)
    aj.write_parquet({"v": X, "k": [1, 2, 1]}, "s3://bucket/parts", partition_by="k", storage_options=store.options)
    assert store.names("parts") == ["parts/k=1/part-0.parquet", "parts/k=2/part-0.parquet"]
    for place in ("files/a.parquet", "files", "files/*.parquet"):
        assert aj.from_arrow(aj.read_parquet(f"s3://bucket/{place}", storage_options=store.options)["v"]).equals(X)
    found = aj.read_parquet("s3://bucket/parts", filters=[("k", "=", 1)], storage_options=store.options)
    assert found["v"].to_pylist() == [[1, 2], []]
    with pytest.raises(FileNotFoundError, match="s3://bucket/nowhere: no such file or folder"):
        aj.read_parquet("s3://bucket/nowhere", storage_options=store.options)


@pytest.mark.workers
def test_a_job_its_resume_and_its_status_by_processes(store: Store) -> None:
    write_source(store, "job/in")
    sink = "s3://bucket/job/out"
    report = run(totals, "s3://bucket/job/in", sink, storage_options=store.options)
    assert (report.rows, report.tasks) == (60, 3)
    check(store, "job/out", 60)
    store.filesystem.delete_file("bucket/job/out/f1-0.parquet")
    again = run(totals, "s3://bucket/job/in", sink, storage_options=store.options, mode="resume")
    assert (again.kept, again.rows) == (2, 60)
    check(store, "job/out", 60)
    status = aj.etl.status(sink, storage_options=store.options)
    assert (status.files, status.rows, [one.state for one in status.runs]) == (3, 60, ["done", "done"])
    assert aj.etl.reduce(len, sum, "s3://bucket/job/in", storage_options=store.options, frame="arrow", progress=False) == 60


def test_rejected_rows_go_to_the_store_too(store: Store) -> None:
    write_source(store, "rows/in", files=1)

    def fail(table: pa.Table) -> pa.Table:
        if 5 in table["id"].to_pylist():
            raise ValueError("five")
        return table

    options = {"storage_options": store.options, "on_error": "rows", "dead_letter": "s3://bucket/rows/dead"}
    report = run(fail, "s3://bucket/rows/in", "s3://bucket/rows/out", **options)
    assert (report.rows, report.rejected) == (19, 1)
    dead = aj.read_parquet("s3://bucket/rows/dead", storage_options=store.options)
    assert dead["id"].to_pylist() == [5]


def test_a_table_of_delta_lake_on_a_store(store: Store) -> None:
    deltalake = pytest.importorskip("deltalake")
    write_source(store, "delta/in")
    name = "delta://s3://bucket/delta/t"
    report = run(totals, "s3://bucket/delta/in", name, storage_options=store.options)
    assert report.commit == "version 0"
    table = deltalake.DeltaTable("s3://bucket/delta/t", storage_options=check_options(store.options))
    for place in (name, "delta+s3://bucket/delta/t", "s3://bucket/delta/t", table):
        found = aj.read_parquet(place, storage_options=store.options).sort_by("id")
        assert found["id"].to_pylist() == list(range(60))
        assert isinstance(found.schema.field("v").type, aj.JaggedType)
    assert aj.read_parquet(table).num_rows == 60, "the options with which the table was opened"
    assert run(totals, "s3://bucket/delta/in", name, storage_options=store.options, mode="resume").kept == 3
    with pytest.raises(aj.JagValueError, match="is a table of Delta Lake"):
        aj.read_parquet("s3://bucket/delta/t/*.parquet", storage_options=store.options)


def test_one_of_two_drivers_gets_the_sink(store: Store) -> None:
    pytest.importorskip("obstore")
    write_source(store, "two/in", files=1)
    sink = "s3://bucket/two/out"
    filesystem, folder = filesystem_of(sink, check_options(store.options))
    sidecar = Sidecar(filesystem, folder, sink, check_options(store.options))
    assert sidecar.is_exclusive
    with hold(sidecar, "other"), pytest.raises(SinkInUseError, match="is in use by process"):
        run(keep, "s3://bucket/two/in", sink, storage_options=store.options)
    assert not store.names("two/out/")
    assert run(keep, "s3://bucket/two/in", sink, storage_options=store.options).rows == 20


def test_a_lease_is_created_by_one_of_many(store: Store) -> None:
    """pyarrow itself would overwrite the object without an error."""
    pytest.importorskip("obstore")
    from concurrent.futures import ThreadPoolExecutor

    sink = "s3://bucket/many/out"
    filesystem, folder = filesystem_of(sink, check_options(store.options))
    sidecars = [Sidecar(filesystem, folder, sink, check_options(store.options)) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        for generation in range(3):
            won = list(pool.map(lambda one: one.create(f"lease-{generation}.json", b"{}"), sidecars))  # noqa: B023
            assert sorted(won) == [False] * 5 + [True]


def test_without_obstore_it_warns(store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    write_source(store, "bare/in", files=1)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    run(keep, "s3://bucket/bare/in", "s3://bucket/bare/out", storage_options=store.options)
    assert "no create-if-absent" in caplog.text


KILLED = """
import json, os, signal, sys
from tests.etl.jobs import run, totals
point, source, sink, options = sys.argv[1:]
def transform(table):
    if int(point) in table["id"].to_pylist():
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    return totals(table)
run(transform, source, sink, version="1", storage_options=json.loads(options))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "delta"])
@pytest.mark.parametrize("point", [0, 25, 50])
def test_killed_jobs_resume_by_processes(store: Store, kind: str, point: int) -> None:
    if kind == "delta":
        pytest.importorskip("deltalake")
    folder = f"kill-{kind}-{point}"
    write_source(store, f"{folder}/in")
    source, sink = f"s3://bucket/{folder}/in", f"{'delta://' if kind == 'delta' else ''}s3://bucket/{folder}/out"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    call = [sys.executable, "-W", "ignore", "-c", KILLED, str(point), source, sink, json.dumps(store.options)]
    assert subprocess.run(call, env=environment, capture_output=True, check=False).returncode == -signal.SIGKILL
    report = run(totals, source, sink, version="1", storage_options=store.options, mode="resume")
    assert report.rows == 60
    table = aj.read_parquet(sink, storage_options=store.options).sort_by("id")
    assert table["id"].to_pylist() == list(range(60))


CUT = """
import json, os, signal, sys
import pyarrow as pa, numpy as np, arrowjag as aj
from arrowjag.io import _atomic
put = _atomic._put
def cut(filesystem, path, source):
    stream = filesystem.open_output_stream(path)
    content = source.read_bytes()
    stream.write(content[: 12 << 20])
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
_atomic._put = cut
table = pa.table({"x": np.random.default_rng(0).random(2 << 20)})
aj.write_parquet(table, sys.argv[1], storage_options=json.loads(sys.argv[2]))
"""


@pytest.mark.slow
def test_an_upload_in_parts_that_is_killed_leaves_no_object(store: Store) -> None:
    """The remaining parts are invisible to readers; a rule of the bucket removes them, as the page says."""
    call = [sys.executable, "-W", "ignore", "-c", CUT, "s3://bucket/cut/a.parquet", json.dumps(store.options)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    assert subprocess.run(call, env=environment, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert store.names("cut") == []
    aj.write_parquet({"v": X}, "s3://bucket/cut/a.parquet", storage_options=store.options)
    assert aj.read_parquet("s3://bucket/cut", storage_options=store.options).num_rows == 3


def test_leftovers_of_killed_uploads_are_aborted(store: Store) -> None:
    boto3 = pytest.importorskip("boto3")
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{store.port}", **keys)

    def begin(key: str) -> None:
        number = client.create_multipart_upload(Bucket="bucket", Key=key)["UploadId"]
        client.upload_part(Bucket="bucket", Key=key, UploadId=number, PartNumber=1, Body=b"x" * 100)

    def left() -> list[str]:
        return sorted(one["Key"] for one in client.list_multipart_uploads(Bucket="bucket", Prefix="left ä/").get("Uploads", []))

    write_source(store, "left ä/in", files=2)
    sink = "s3://bucket/left ä/out"
    ours = ["left ä/out/f0-0.parquet", "left ä/out/f1-0.parquet"]
    others = ["left ä/other/f0-0.parquet", "left ä/out/notes.bin", "left ä/out2/f0-0.parquet"]
    for key in (*ours, ours[0], *others):
        begin(key)
    assert run(totals, "s3://bucket/left ä/in", sink, storage_options=store.options).rows == 40
    assert left() == sorted([*ours, ours[0], *others]), "no earlier run has begun them"
    again = run(totals, "s3://bucket/left ä/in", sink, storage_options=store.options, mode="resume")
    assert again.kept == 2
    assert left() == sorted(others)
    begin(ours[0])

    def fail(table: pa.Table) -> pa.Table:
        raise ValueError("bad")

    with pytest.raises(aj.etl.JobError, match="bad"):
        run(fail, "s3://bucket/left ä/in", sink, storage_options=store.options, mode="replace")
    assert left() == sorted(others)
    for upload in client.list_multipart_uploads(Bucket="bucket", Prefix="left ä/")["Uploads"]:
        client.abort_multipart_upload(Bucket="bucket", Key=upload["Key"], UploadId=upload["UploadId"])


def test_leftovers_that_cannot_be_listed_are_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    from arrowjag.etl._uploads import abort_uploads

    options = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "aws_region": "r", "aws_endpoint_url": "http://127.0.0.1:1"}
    filesystem = filesystem_of("s3://b/x", options)[0]
    assert abort_uploads(filesystem, "b/x", options, lambda path: True) == 0
    assert "unfinished uploads below b/x can't be listed or aborted" in caplog.text
    assert abort_uploads(pf.LocalFileSystem(), "b/x", options, lambda path: True) == 0


def test_the_command(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("store_job.py").write_text("def same(frame):\n    return frame\n")
    write_source(store, "command/in", files=2)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))  # the command adds the folder of the job
    assert main(["show", "s3://bucket/command/in", "id", *words(store)]) == 0
    assert "2 files, 40 rows" in capsys.readouterr().out
    assert main(["show", "s3://bucket/command/in/f0.parquet", "--json", *words(store)]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 20
    with store.filesystem.open_output_stream("bucket/command/a.arrow") as stream:
        table = pa.table({"v": X.to_arrow()})
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
    assert main(["show", "s3://bucket/command/a.arrow", *words(store)]) == 0
    assert "Arrow IPC, 3 rows" in capsys.readouterr().out
    job = ["run", "store_job.py:same", "s3://bucket/command/in", "s3://bucket/command/out", "--frame", "arrow", *words(store)]
    assert main([*job, "--dry-run"]) == 0
    assert "2 tasks, 0 done before" in capsys.readouterr().out
    assert main(job) == 0
    assert main(["status", "s3://bucket/command/out", *words(store)]) == 0
    assert "2 files, 40 rows" in capsys.readouterr().out
    assert main(["show", "s3://bucket/command/nope", *words(store)]) == 2
    assert "s3://bucket/command/nope: no such file" in capsys.readouterr().err
    assert main(["show", "s3://bucket/command/in", "--storage-option", "nope"]) == 2
    assert "write KEY=VALUE" in capsys.readouterr().err


# -------------------------------------------------------------------------------------------------- without a server


# No name of them resolves, or the package that they need is not installed: both are one line, and soon.
LINKS = ["s3://b/x", "gs://b/x", "az://b/x", "abfs://c@acc.dfs.core.windows.net/x", "hf://datasets/x/y", "ftp://127.0.0.1:1/x"]


@pytest.mark.slow
@pytest.mark.parametrize("link", [*LINKS, "http://127.0.0.1:1/x", "xyz://a/b"])
@pytest.mark.parametrize("side", ["source", "sink"])
def test_a_store_that_does_not_answer_is_one_line(link: str, side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("store_job.py").write_text("def same(frame):\n    return frame\n")
    aj.write_parquet({"v": X}, "in.parquet")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    places = [link, "out"] if side == "source" else ["in.parquet", link]
    command = [sys.executable, "-c", "import sys; from arrowjag.cli import main; sys.exit(main(sys.argv[1:]))"]
    done = subprocess.run([*command, "run", "store_job.py:same", *places], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert link in done.stderr


def test_a_protocol_that_one_process_alone_knows_is_an_error_that_says_so() -> None:
    fsspec = pytest.importorskip("fsspec")
    fsspec.register_implementation("mycorp", fsspec.get_filesystem_class("memory"))
    try:
        with pytest.raises(aj.JagValueError, match=r"^mycorp://in: only this process knows mycorp://.* or pass filesystem="):
            _probe.probe("mycorp://in", {})
    finally:
        sys.modules["fsspec.registry"]._registry.pop("mycorp")


@pytest.mark.slow
def test_the_start_of_the_process_that_asks_a_store_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine imports took nine seconds, and stores that answer at once were refused."""
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep(5)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr(_probe, "_ANSWER_SECONDS", 4.0)
    _probe._ask(f"file://{tmp_path}", {})
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(aj.JagValueError, match=r"^s3://bucket/x: no answer within 4 seconds: check the network"),
    ):
        _probe._ask("s3://bucket/x", options_of(silent.getsockname()[1]))


def options_of(port: int) -> dict[str, str]:
    options = {"aws_endpoint_url": f"http://127.0.0.1:{port}", "aws_allow_http": "true", "aws_region": "x"}
    return options | {"aws_access_key_id": "k", "aws_secret_access_key": "s", "aws_timeout": "20s"}


class Slow(BaseHTTPRequestHandler):
    """A store with one folder, whose answers take three seconds each."""

    seconds, listing = 3.0, b"<ListBucketResult><KeyCount>1</KeyCount><Contents><Key>x/a</Key></Contents></ListBucketResult>"

    def do_HEAD(self) -> None:
        time.sleep(self.seconds)
        self.send_response(404 if "x" in self.path else 200)
        self.end_headers()

    def do_GET(self) -> None:
        time.sleep(self.seconds)
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.listing)))
        self.end_headers()
        self.wfile.write(self.listing)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.slow
def test_a_store_that_answers_slowly_is_used() -> None:
    """A folder takes two requests, which take the seconds of the probe together."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started = time.monotonic()
        _probe._ask("s3://bucket/x", options_of(server.server_port))
        assert time.monotonic() - started > _probe._ANSWER_SECONDS, "the requests are made one after the other"
        server.shutdown()


def test_options_are_mapped_to_each_library() -> None:
    options = {"aws_access_key_id": "k", "AWS_SECRET_ACCESS_KEY": "s", "region": "eu-west-1", "aws_endpoint": "http://127.0.0.1:9"}
    options |= {"timeout": "5s", "connect_timeout": "500ms", "max_retries": 2, "allow_http": True, "aws_skip_signature": False}
    filesystem, path = filesystem_of("s3://bucket/a/b", check_options(options))
    assert (filesystem.type_name, path, filesystem.region) == ("s3", "bucket/a/b", "eu-west-1")
    assert for_iceberg(check_options(options)) == {
        "s3.access-key-id": "k",
        "s3.secret-access-key": "s",
        "s3.region": "eu-west-1",
        "s3.endpoint": "http://127.0.0.1:9",
        "s3.request-timeout": "5s",
        "s3.connect-timeout": "500ms",
        "s3.anonymous": "false",
    }
    if object_store("s3://bucket/a", {}) is not None:
        assert "bucket" in repr(object_store("s3://bucket/a", check_options(options)))
    assert object_store("file:///tmp", {}) is None
    account = {"azure_storage_account_name": "acc", "azure_storage_account_key": "a2V5"}
    assert filesystem_of("az://container/x", check_options(account))[1] == "container/x"
    assert filesystem_of("abfss://c@acc.dfs.core.windows.net/x", check_options({"account_key": "a2V5"}))[1] == "c/x"
    assert isinstance(filesystem_of("gs://bucket/x", check_options({"google_skip_signature": True}))[0], pf.GcsFileSystem)
    assert filesystem_of("memory://a/b", check_options(None))[1] == "/a/b"


@pytest.mark.parametrize(
    ("link", "options", "told"),
    [
        ("s3://b/x", {"aws_regoin": "x"}, "'aws_regoin' is unknown for s3; known are access_key_id"),
        ("gs://b/x", {"aws_region": "x"}, "'aws_region' is unknown for gs"),
        ("s3://b/x", {"timeout": "soon"}, "request_timeout must be a time such as 5s, got 'soon'"),
        ("s3://b/x", {"timeout": "1.2.3s"}, "request_timeout must be a time such as 5s, got '1.2.3s'"),
        ("s3://b/x", {"access_key_id": "only"}, "storage_options for s3: "),
    ],
)
def test_wrong_options_are_named(link: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(aj.JagValueError, match=re.escape(told)):
        aj.read_parquet(link, storage_options=options)


@pytest.mark.parametrize("options", [[("a", "b")], "a=b", {1: "x"}])
def test_options_are_a_dict_of_names(options: Any, tmp_path: Path) -> None:
    with pytest.raises(aj.JagTypeError, match="storage_options must be a dict"):
        aj.read_parquet("s3://b/x", storage_options=options)
    with pytest.raises(aj.JagTypeError, match="storage_options must be a dict"):
        run(keep, "s3://b/x", tmp_path / "out", storage_options=options)


def test_options_change_nothing_for_paths(tmp_path: Path) -> None:
    aj.write_parquet({"v": X}, tmp_path / "a.parquet", storage_options={"aws_region": "x"})
    assert aj.read_parquet(tmp_path, storage_options={"aws_region": "x"}).num_rows == 3
    pq.write_table(table_of(range(4)), tmp_path / "a.parquet")
    run(totals, tmp_path / "a.parquet", tmp_path / "out", storage_options={"aws_region": "x"})
    check_totals(tmp_path / "out", 4)


@pytest.mark.parametrize("key", [2, None, b"aws_region"])
def test_options_whose_names_are_no_text_are_named(key: Any) -> None:
    with pytest.raises(aj.JagTypeError, match=rf"storage_options must be a dict such as .*, got .*{key!r}"):
        check_options({"aws_region": "x", key: 3})
