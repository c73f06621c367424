"""Many, slow, malformed and huge requests, passwords and certificates: who may ask is answered, nobody else disturbs."""
import base64
import concurrent.futures
import hashlib
import mmap
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request

import pytest

from lib import base, cgroups, prometheus, server


@pytest.fixture
def serve(stack):
    return lambda *args, **kw: server.Server(stack, *args, **kw)


def raw(it, sent, limit=20):
    """What comes back for these bytes, until the other side closes."""
    with socket.create_connection(("127.0.0.1", it.port), timeout=limit) as s:
        try:
            s.sendall(sent)
        except OSError:  # closed in the middle
            pass
        got = b""
        try:
            while more := s.recv(65536):
                got += more
        except ConnectionResetError:
            pass
        return got


def test_200_at_once(serve):
    it = serve()
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        replies = list(pool.map(lambda _: it.get(), range(200)))
    assert {r.status for r in replies} == {200}
    assert all("iolat_build_info" in r.text for r in replies)


@pytest.mark.parametrize("sent", [
    b"\r\n\r\n\r\n\r\nnonsense\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /metrics HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: a\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(20_000)) + b"\r\n",
    b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n" + b"z" * 100_000,
    b"GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
], ids=range(10))
def test_no_proper_request(serve, sent):
    it = serve()
    assert not raw(it, sent).startswith(b"HTTP/1.1 200")
    assert it.get("/healthz").text == "ok\n"


def test_slow_clients_hold_nobody_up(serve):
    """Hundreds that never finish their request; the scraper is answered beside them."""
    it = serve()
    slow = [socket.create_connection(("127.0.0.1", it.port), timeout=20) for _ in range(300)]
    for s in slow:
        s.sendall(b"GET /metr")
    assert "iolat_build_info" in it.get().text
    for s in slow:
        assert s.recv(10) == b""  # cut off after a while
        s.close()


def test_a_page_larger_than_the_socket_takes(serve, folder, loop_disk, run_area, stack):
    """It arrives whole, also if nobody reads it for a while."""
    disk, path = loop_disk(), folder() / "socket"
    it = serve(path=path)
    for i in range(80):
        group = cgroups.make(stack, f"docker-{hashlib.sha256(f'{run_area.name} {i}'.encode()).hexdigest()}.scope")
        child = os.fork()
        if not child:
            try:
                group.add(os.getpid())
                fd = os.open(disk.path, os.O_RDONLY | os.O_DIRECT)
                os.preadv(fd, [mmap.mmap(-1, 4096)], 0)
            finally:  # nothing of pytest may go on in the child
                os._exit(0)
        os.waitpid(child, 0)
    base.wait_until("all of them", lambda: (it.total("iolat_io_bytes_total", device=disk.name) or 0) >= 80 * 4096, step=0.5)
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(str(path))
        s.sendall(b"GET /metrics HTTP/1.0\r\nHost: a\r\n\r\n")
        time.sleep(2)
        page = b""
        while more := s.recv(65536):
            page += more
    head, text = page.split(b"\r\n\r\n", 1)
    assert len(text) == int(re.search(rb"Content-Length: (\d+)", head)[1]) > 300_000
    assert sum(n == "iolat_io_bytes_total" and "container" in labels and labels["device"] == disk.name
               for n, labels, _ in prometheus.samples(text.decode())) == 80


def test_a_byte_at_a_time(serve):
    """Nobody has a connection for ever."""
    it = serve()
    with socket.create_connection(("127.0.0.1", it.port), timeout=5) as s:
        def cut_off():
            try:
                s.sendall(b"x")
                return False
            except OSError:
                return True
        s.sendall(b"GET /")
        base.wait_until("the end of it", cut_off, timeout=60, step=1)
    assert it.get("/healthz").text == "ok\n"


# --- the web configuration ------------------------------------------------------------------


def config(folder, text):
    file = folder() / "web.yml"
    file.write_text(text)
    return file


def login(name, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def hash_of(password):
    """By libcrypt, as htpasswd -B would."""
    import ctypes
    crypt = ctypes.CDLL("libcrypt.so.1")
    crypt.crypt.restype = crypt.crypt_gensalt.restype = ctypes.c_char_p
    salt = crypt.crypt_gensalt(b"$2y$", 4, None, 0)
    return crypt.crypt(password.encode(), salt).decode()


def test_passwords(serve, folder):
    it = serve("--web-config", config(folder, f"basic_auth_users:\n  alice: {hash_of('secret')}\n  bob: {hash_of('other')}\n"))
    for path in ("/metrics", "/", "/healthz", "/nothing"):
        reply = it.get(path)
        assert reply.status == 401 and reply.headers["WWW-Authenticate"].startswith("Basic")
    assert it.get(**login("alice", "secret")).status == 200
    assert it.get(**login("alice", "other")).status in (401, 429)
    base.wait_until("another try", lambda: it.get(**login("bob", "other")).status == 200, step=0.2)
    base.wait_until("another try", lambda: it.get(**login("alice", "wrong")).status == 401, step=0.2)
    assert it.get(**login("mallory", "secret")).status == 429  # at once: not even looked at
    base.wait_until("another try", lambda: it.get(**login("mallory", "secret")).status == 401, step=0.2)


@pytest.fixture
def certificate(folder):
    """A certificate for 127.0.0.1 by itself, and its key, in one folder."""
    base.need_tool("openssl")
    there = folder()
    base.sh("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=iolat", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", there / "key.pem", "-out", there / "cert.pem")
    return there


def fetch(it, context):
    with urllib.request.urlopen(f"https://127.0.0.1:{it.port}/metrics", context=context, timeout=20) as reply:
        return reply.read().decode()


def test_tls(serve, certificate):
    """The paths in the file are seen from its folder."""
    file = certificate / "web.yml"
    file.write_text("tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n  min_version: TLS13\n")
    it = serve("--web-config", file)
    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    prometheus.check(fetch(it, context))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(urllib.error.URLError):
        fetch(it, context)
    assert not raw(it, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_client_certificates(serve, certificate):
    file = certificate / "web.yml"
    file.write_text("tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_ca_file: cert.pem, "
                    "client_auth_type: RequireAndVerifyClientCert}\n")
    it = serve("--web-config", file)
    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(it, context)
    assert refused.value.code == 403
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    prometheus.check(fetch(it, context))


@pytest.mark.parametrize("text, said", [
    ("tls_server_config: {cert_file: a.pem}", "key_file"),
    ("tls_server_config: {cert_file: nowhere.pem, key_file: nowhere.pem}", "nowhere.pem"),
    ("tls_server_config: {min_version: TLS10}", "min_version"),
    ("http_server_config: {http2: false}", "http_server_config"),
    ("basic_auth_users: {alice: secret}", "basic_auth_users"),
    ("basic_auth_users: [alice]", "basic_auth_users"),
    ("{", "line"),
    ("- a\n- b\n", "mapping"),
    ("a: b: c", "line"),
    ("tls_server_config: {cert_file: a.pem, key_file: a.pem, client_ca_file: a.pem}", "client_auth_type"),
])
def test_a_file_that_is_wrong(folder, run_iolat, text, said):
    done = run_iolat("serve", "--web-config", config(folder, text))
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1 and said in done.stderr


def test_no_file(run_iolat):
    done = run_iolat("serve", "--web-config", "/nowhere/web.yml", rc=2)
    assert done.stderr.count("\n") == 1 and "/nowhere/web.yml" in done.stderr


def test_no_key(certificate, run_iolat):
    """A certificate that is none."""
    (certificate / "key.pem").write_text("nonsense")
    file = certificate / "web.yml"
    file.write_text("tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n")
    done = run_iolat("serve", "--listen", f"127.0.0.1:{server.free_port()}", "--web-config", file, rc=1)
    assert done.stderr.count("\n") == 1 and "pair" in done.stderr
