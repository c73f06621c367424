"""`make install`, the man page and the completion."""
import re
import subprocess

import pytest

from lib import base


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A DESTDIR into which `make install` has put the program."""
    base.need_tool("make")
    there = tmp_path_factory.mktemp("destdir")
    base.sh("make", "-C", base.TOP, "install", f"DESTDIR={there}", "PREFIX=/usr", timeout=600)
    return there


def test_install(installed):
    """The program, the man page and the completion lie in PREFIX; nothing else does."""
    files = {str(f.relative_to(installed)) for f in installed.rglob("*") if f.is_file()}
    assert files == {"usr/bin/iolat", "usr/share/man/man8/iolat.8", "usr/share/bash-completion/completions/iolat"}
    assert subprocess.run([installed / "usr/bin/iolat", "--version"], capture_output=True).returncode == 0


def man_page(installed):
    return installed / "usr/share/man/man8/iolat.8"


def test_man_page_formats(installed):
    """groff has nothing to say about it."""
    base.need_tool("man")
    done = base.sh("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", man_page(installed))
    assert done.stderr == ""


def test_man_page_names_every_option(installed, run_iolat):
    """Every option of --help is in the man page."""
    text = man_page(installed).read_text().replace("\\-", "-")
    options = set(re.findall(r"--[a-z][a-z-]+", run_iolat("--help").stdout))
    assert len(options) > 20
    assert [o for o in sorted(options) if o not in text] == []


def test_completion(installed):
    """bash takes the completion and offers the options."""
    completion = installed / "usr/share/bash-completion/completions/iolat"
    script = f"""
        set -u
        source {completion}
        complete -p iolat | grep -o -- '-F [^ ]*' | cut -c4- > /dev/null || exit 3
        f=$(complete -p iolat | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        COMP_WORDS=(iolat --du) COMP_CWORD=1 COMP_LINE='iolat --du' COMP_POINT=10 COMPREPLY=()
        $f iolat --du iolat
        echo "${{COMPREPLY[@]}}"
    """
    done = base.sh("bash", "--norc", "-c", script)
    assert done.stdout.split() == ["--duration"] and done.stderr == ""
