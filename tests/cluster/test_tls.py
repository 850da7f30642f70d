"""A cluster that only those with a certificate reach, as docs/how-to/use-a-cluster.md says."""

import datetime
import ipaddress

import dask
import pytest
from tests.cluster.classes import bits, small_class
from tests.cluster.processes import Processes

import peerage
from peerage.errors import ClusterError

pytestmark = pytest.mark.full


def make_certificates(folder) -> None:
    """Of an authority of our own, for the cluster and for us."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])

    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("ca", "cluster", "me")}
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    pem, unlocked = serialization.Encoding.PEM, serialization.NoEncryption()
    for name, key in keys.items():
        builder = x509.CertificateBuilder(named("ca"), named(name), key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - day).not_valid_after(now + day)
        authority = x509.BasicConstraints(ca=name == "ca", path_length=None)
        builder = builder.add_extension(authority, critical=True).add_extension(hosts, critical=False)
        certificate = builder.sign(keys["ca"], hashes.SHA256())
        (folder / f"{name}.pem").write_bytes(certificate.public_bytes(pem))
        (folder / f"{name}.key").write_bytes(
            key.private_bytes(pem, serialization.PrivateFormat.PKCS8, unlocked)
        )


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A scheduler with one worker that speak TLS alone, and the folder of the certificates."""
    folder = tmp_path_factory.mktemp("locked")
    make_certificates(folder)
    files = {"--tls-ca-file": "ca.pem", "--tls-cert": "cluster.pem", "--tls-key": "cluster.key"}
    options = [part for name, file in files.items() for part in (name, str(folder / file))]
    processes = Processes(folder, "--protocol", "tls", *options)
    processes.worker()
    yield processes, folder
    processes.end()


def test_a_client_with_certificates_fits_there_as_here(locked):
    from distributed import Security

    processes, folder = locked
    security = Security(
        tls_ca_file=str(folder / "ca.pem"),
        tls_client_cert=str(folder / "me.pem"),
        tls_client_key=str(folder / "me.key"),
        require_encryption=True,
    )
    feedback = small_class()

    with processes.client(1, security=security) as client:
        there = peerage.fit(feedback, "PL+G", cluster=client)

    assert processes.address().startswith("tls://")
    assert bits(there) == bits(peerage.fit(feedback, "PL+G"))


def test_an_address_takes_certificates_from_dasks_own_settings(locked):
    processes, folder = locked
    files = {"ca-file": "ca.pem", "client.cert": "me.pem", "client.key": "me.key"}
    settings = {f"distributed.comm.tls.{name}": str(folder / file) for name, file in files.items()}
    feedback = small_class()

    with dask.config.set(settings):
        there = peerage.fit(feedback, "PL", cluster=processes.address())

    assert bits(there) == bits(peerage.fit(feedback, "PL"))


def test_without_certificates_nobody_gets_in(locked, monkeypatch):
    from peerage.cluster import cluster

    address = locked[0].address()
    monkeypatch.setattr(cluster, "CONNECT", 2)
    with pytest.raises(
        ClusterError, match=r"takes nobody without a certificate.*distributed\.comm\.tls\.ca-file"
    ):
        peerage.fit(small_class(), "PL", cluster=address)
    with pytest.raises(ClusterError, match="no answer from a Dask scheduler"):
        peerage.fit(small_class(), "PL", cluster=address.replace("tls", "tcp"))
