"""Packages: the source archive and what is built from it, in two places to the same bytes."""
import hashlib
import os
import re
import shutil

import pytest

from lib import base

LIMIT = 600  # a build from scratch beside other work

FILES = {"usr/bin/iolat", "usr/share/man/man8/iolat.8.gz", "usr/share/bash-completion/completions/iolat",
         "usr/share/zsh/vendor-completions/_iolat", "usr/share/fish/vendor_completions.d/iolat.fish",
         "usr/lib/systemd/system/iolat.service", "usr/share/iolat/kubernetes.yaml", "usr/share/iolat/grafana.json",
         "usr/share/iolat/prometheus.rules.yml"}


def make(where, *words, **kw):
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return base.sh("make", "-C", where, *words, timeout=LIMIT, env=env, **kw)


def unpack(archive, where):
    where.mkdir()
    base.sh("tar", "-xzf", archive, "-C", where)
    return next(where.iterdir())


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The source archive of this tree; its name."""
    build = tmp_path_factory.mktemp("dist")
    made = base.TOP / make(base.TOP, "-s", "dist", f"B={build}").stdout.strip()
    yield made
    shutil.rmtree(build)


@pytest.fixture(scope="module")
def debs(archive, tmp_path_factory):
    """The Debian packages made of the archive in two places."""
    base.need_tool("dpkg-buildpackage", "dh", "lintian")
    top = tmp_path_factory.mktemp("deb")
    made = []
    for name in ("one", "a longer name"):
        tree = unpack(archive, top / name)
        make(tree, "deb")
        made.append({f.name: f for f in (tree / "build").glob("*.deb")})
    yield made
    shutil.rmtree(top)


def program_package(packages):
    return next(f for name, f in packages.items() if name.startswith("iolat_"))


def test_two_builds_are_the_same(debs):
    """Byte by byte, wherever and whenever they were built."""
    one, other = ({name: hashlib.sha256(f.read_bytes()).hexdigest() for name, f in d.items()} for d in debs)
    assert len(one) == 2 and one == other


def test_lintian_has_nothing_to_say(debs):
    package = program_package(debs[0])
    done = base.sh("lintian", "--allow-root", "--fail-on", "error,warning", package, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def older(package, folder):
    """The package as an older version of it, with a file that the newer one has not."""
    tree, made = folder / "older", folder / "older.deb"
    base.sh("dpkg-deb", "-R", package, tree)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 0.0.1-1", control.read_text()))
    (tree / "usr/share/iolat/gone").write_text("of the older version")
    base.sh("dpkg-deb", "-b", "--root-owner-group", tree, made)
    return made


def test_installed_upgraded_and_removed(debs, tmp_path):
    """What it installs is the program with its documents, of an older version nothing stays; nor does anything of it after it
    was removed, with its unit enabled."""
    package, there, admin = program_package(debs[0]), tmp_path / "root", tmp_path / "dpkg"
    for d in (there, admin / "info", admin / "updates"):
        d.mkdir(parents=True)
    (admin / "status").touch()
    dpkg = ["dpkg", f"--instdir={there}", f"--admindir={admin}", "--force-depends", "--force-script-chrootless"]
    base.sh(*dpkg, "--install", older(package, tmp_path))
    base.sh("systemctl", f"--root={there}", "enable", "iolat.service")
    base.sh(*dpkg, "--install", package)
    files = {str(f.relative_to(there)) for f in there.rglob("*") if f.is_file() and not f.is_symlink()}
    assert {re.sub("^lib/", "usr/lib/", f) for f in files if f.startswith(("usr/", "lib/")) and not f.startswith(("usr/share/doc/", "usr/share/lintian/"))} == FILES
    assert base.sh("systemctl", f"--root={there}", "is-enabled", "iolat.service").stdout == "enabled\n"
    assert base.sh(there / "usr/bin/iolat", "--version").stdout.startswith("iolat ")
    base.sh(*dpkg, "--purge", "iolat")
    assert [f for f in there.rglob("*") if f.is_symlink() or not f.is_dir()] == []


def test_an_rpm(archive, tmp_path):
    """The archive has what rpmbuild needs."""
    base.need_tool("rpmbuild", "rpmspec", "rpm")
    spec = unpack(archive, tmp_path / "spec") / "src/package/iolat.spec"
    needed = base.sh("rpmspec", "-q", "--buildrequires", spec).stdout.split()
    assert {"clang", "pkgconfig(libbpf)", "pkgconfig(libcrypt)"} <= set(needed)
    base.sh("rpmbuild", "-tb", "--nodeps", "--define", f"_topdir {tmp_path}", archive, timeout=LIMIT)
    package = next((tmp_path / "RPMS").rglob("*.rpm"))
    listed = base.sh("rpm", "-qlp", package).stdout.split()
    assert "systemctl disable --now iolat.service" in base.sh("rpm", "-qp", "--scripts", package).stdout
    assert "/usr/bin/iolat" in listed and any(f.startswith("/usr/share/man/man8/iolat.8") for f in listed)


def test_a_static_build(tmp_path):
    """make STATIC=1: a program that needs no library, and works."""
    base.need_tool("readelf")
    make(base.TOP, "-s", f"B={tmp_path}", "STATIC=1", f"{tmp_path}/iolat")
    program = tmp_path / "iolat"
    assert "INTERP" not in base.sh("readelf", "-lW", program).stdout
    assert "NEEDED" not in base.sh("readelf", "-dW", program).stdout
    assert "CAP_BPF" in base.sh(program, "doctor", check=False).stdout
    refused = base.sh(program, "serve", check=False)
    assert refused.returncode == 1 and "static" in refused.stderr
