"""`make install`, the man page and the completions."""
import os
import pty
import re
import select
import subprocess
import time

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
    """The program, its documents and what serving takes lie in PREFIX; nothing else does."""
    files = {str(f.relative_to(installed)) for f in installed.rglob("*") if f.is_file()}
    assert files == {"usr/bin/iolat", "usr/share/man/man8/iolat.8", "usr/share/bash-completion/completions/iolat",
                     "usr/share/zsh/site-functions/_iolat", "usr/share/fish/vendor_completions.d/iolat.fish",
                     "usr/lib/systemd/system/iolat.service", "usr/share/iolat/kubernetes.yaml", "usr/share/iolat/grafana.json",
                     "usr/share/iolat/prometheus.rules.yml"}
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


@pytest.mark.parametrize("words, offered", [("--du", "--duration"), ("report --fo", "--format"), ("report fo", "foo"),
                                            ("diff foo b", "bar"), ("doctor --disk . fo", "foo"),
                                            ("doctor --explain-cgroup /pr", "/proc"), ("rec", "record"), ("serve fo", None)])
def test_completion(installed, folder, words, offered):
    """bash takes the completion and offers options, commands and, where one is wanted, files."""
    here = folder()
    for name in ("foo", "bar"):
        (here / name).touch()
    completion = installed / "usr/share/bash-completion/completions/iolat"
    script = f"""
        set -u
        source {completion}
        complete -p iolat | grep -o -- '-F [^ ]*' | cut -c4- > /dev/null || exit 3
        f=$(complete -p iolat | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        cd {here}
        COMP_WORDS=(iolat {words}) COMP_CWORD={len(words.split())} COMP_LINE='iolat {words}' COMP_POINT={len(words) + 6} COMPREPLY=()
        $f iolat {words.split()[-1]} iolat
        echo "${{COMPREPLY[@]}}"
    """
    done = base.sh("bash", "--norc", "-c", script)
    assert done.stdout.split() == ([offered] if offered else []) and done.stderr == ""


@pytest.mark.parametrize("typed, offered", [("iolat --du", "--duration"), ("iolat rep", "report"), ("iolat report --fo", "--format"),
                                            ("iolat --op dis", "discard"), ("iolat --op read,dis", "read,discard"),
                                            ("iolat -bfs,pod,dev", "-bfs,pod,device"), ("iolat -- gzi", "gzip"), ("iolat -p ", "1"),
                                            ("iolat --log /pro", "/proc/"), ("iolat -d /pro", "/proc/"),
                                            ("iolat report /pro", "/proc/"), ("iolat doctor /pro", "/proc/"),
                                            ("iolat doctor --disk /pro", "/proc/")])
def test_fish_completion(installed, typed, offered):
    base.need_tool("fish")
    script = f"source {installed}/usr/share/fish/vendor_completions.d/iolat.fish; complete -C '{typed}'"
    done = base.sh("fish", "--no-config", "-c", script)
    assert done.stderr == "" and offered in [line.split("\t")[0] for line in done.stdout.splitlines()]


class Zsh:
    """An interactive zsh with the completion, on a terminal."""

    def __init__(self, stack, functions, home):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvpe("zsh", ["zsh", "-f", "-i"], base.clean_env(HOME=str(home), PS1="> "))
        stack.callback(os.waitpid, self.pid, 0)
        stack.callback(os.close, self.fd)
        self.type(f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n")
        self.until("\nready")

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def until(self, what):
        seen, end = "", time.monotonic() + base.LIMIT
        while what not in seen and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                seen += os.read(self.fd, 4096).decode(errors="replace")
        assert what in seen, seen


@pytest.mark.parametrize("typed, offered", [("iolat --du", "--duration="), ("iolat rep", "report "), ("iolat report --eve", "--events"),
                                            ("iolat --op read,dis", "discard"), ("iolat -- gzi", "gzip "), ("iolat report /pro", "/proc/"),
                                            ("iolat doctor /pro", "/proc/"), ("iolat doctor --disk /pro", "/proc/")])
def test_zsh_completion(installed, stack, tmp_path, typed, offered):
    base.need_tool("zsh")
    shell = Zsh(stack, installed / "usr/share/zsh/site-functions", tmp_path)
    shell.type(typed + "\t")
    shell.until(offered)
