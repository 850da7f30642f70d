"""A cluster that only those with a certificate reach, as docs/how-to/use-a-cluster.md says."""

from __future__ import annotations

import datetime
import ipaddress
import json
import os
import subprocess
import sys
import time

import dask
import pytest
from tests.cluster.classes import bits, small_class

import peerage
from peerage.errors import ClusterError

pytestmark = pytest.mark.full
BOUND = 600  # seconds after which a test gives up; what is waited for takes a few
START = {role: f"from distributed.cli.dask_{role} import main; main()" for role in ("scheduler", "worker")}


def make_certificates(folder) -> None:
    """Of an authority of our own, for the scheduler, the workers and us."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])

    def certificate(name: str, key, issuer: str, signed_by, *, authority: bool):
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder(named(issuer), named(name), key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1))
        builder = builder.not_valid_after(now + datetime.timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        hosts = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        return builder.add_extension(hosts, critical=False).sign(signed_by, hashes.SHA256())

    ours = ec.generate_private_key(ec.SECP256R1())
    written = {"ca": certificate("authority", ours, "authority", ours, authority=True)}
    for name in ("scheduler", "worker", "me"):
        key = ec.generate_private_key(ec.SECP256R1())
        written[name] = certificate(name, key, "authority", ours, authority=False)
        plain, unlocked = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        (folder / f"{name}.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, plain, unlocked))
    for name, made in written.items():
        (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))


@pytest.fixture
def locked(tmp_path):
    """The address of a scheduler with one worker that speak TLS alone, and the folder of the certificates."""
    make_certificates(tmp_path)
    running = []

    def start(role: str, *options: str) -> None:
        files = ["--tls-ca-file", "ca.pem", "--tls-cert", f"{role}.pem", "--tls-key", f"{role}.key"]
        patient = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{BOUND}s"}
        command = [sys.executable, "-c", START[role], *files, *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running.append(subprocess.Popen(command, cwd=tmp_path, env=patient, **quiet))

    file = tmp_path / "scheduler.json"
    local = ["--host", "127.0.0.1", "--protocol", "tls", "--scheduler-file", str(file)]
    start("scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0", *local)
    while not file.exists() or not file.read_text():
        assert running[0].poll() is None, "the scheduler did not start"
        time.sleep(0.05)
    start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", *local)
    yield str(json.loads(file.read_text())["address"]), tmp_path
    for process in running:
        process.kill()
        process.wait()


def test_a_client_with_certificates_fits_there_as_here(locked):
    from distributed import Client, Security

    address, folder = locked
    security = Security(
        tls_ca_file=str(folder / "ca.pem"),
        tls_client_cert=str(folder / "me.pem"),
        tls_client_key=str(folder / "me.key"),
        require_encryption=True,
    )
    feedback = small_class()

    with Client(address, security=security, set_as_default=False, timeout=BOUND) as client:
        client.wait_for_workers(1, timeout=BOUND)
        there = peerage.fit(feedback, "PL+G", cluster=client)

    assert address.startswith("tls://")
    assert bits(there) == bits(peerage.fit(feedback, "PL+G"))


def test_an_address_takes_certificates_from_dasks_own_settings(locked):
    address, folder = locked
    files = {"ca-file": "ca.pem", "client.cert": "me.pem", "client.key": "me.key"}
    settings = {f"distributed.comm.tls.{name}": str(folder / file) for name, file in files.items()}
    feedback = small_class()

    with dask.config.set(settings):
        there = peerage.fit(feedback, "PL", cluster=address)

    assert bits(there) == bits(peerage.fit(feedback, "PL"))


def test_without_certificates_nobody_gets_in(locked, monkeypatch):
    from peerage.cluster import cluster

    monkeypatch.setattr(cluster, "CONNECT", 2)
    with pytest.raises(
        ClusterError, match=r"takes nobody without a certificate.*distributed\.comm\.tls\.ca-file"
    ):
        peerage.fit(small_class(), "PL", cluster=locked[0])
    with pytest.raises(ClusterError, match="no answer from a Dask scheduler"):
        peerage.fit(small_class(), "PL", cluster=locked[0].replace("tls", "tcp"))
