"""doctor --explain-cgroup: every path of the fixtures by its label, every name from the small host beside them."""
import csv
import json

import pytest

from lib import base

FIXTURES = base.TESTS / "fixtures" / "cgroups"
KEYS = ["path", "runtime", "container_id", "pod_uid", "job_id", "label", "name", "image", "source"]


def rows(file):
    with open(FIXTURES / file, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def explain(run_iolat, path, root=FIXTURES / "root"):
    answer = json.loads(run_iolat("doctor", "--explain-cgroup", path, "--root", root, "-f", "json", rc=0).stdout)
    assert list(answer) == KEYS and answer["path"] == path
    return answer


def test_paths(run_iolat):
    for row in rows("paths.tsv"):
        answer = explain(run_iolat, row["cgroup_path"])
        want = (row["runtime"], row["container_id"] or None, row["pod_uid"] or None, row["job_id"] or None,
                row["expected_short_label"])
        assert tuple(answer[k] for k in ("runtime", "container_id", "pod_uid", "job_id", "label")) == want, row["cgroup_path"]


def test_names(run_iolat):
    for row in rows("names.tsv"):
        answer = explain(run_iolat, row["cgroup_path"])
        want = (row["runtime"], row["expected_name"], row["expected_image"] or None)
        assert tuple(answer[k] for k in ("runtime", "name", "image")) == want, row["cgroup_path"]
        if row["container_id"]:
            assert answer["container_id"] == row["container_id"]
        if answer["source"]:
            assert (FIXTURES / "root" / answer["source"].lstrip("/")).exists()


def test_for_a_person(run_iolat):
    lines = run_iolat("doctor", "--explain-cgroup", "/docker/x\x1b[31m", rc=0).stdout.splitlines()
    assert [line.split()[0] for line in lines] == KEYS
    assert lines[0].split()[1] == "/docker/x?[31m"
    assert dict(line.split(None, 1) for line in lines)["name"] == "-"


@pytest.mark.parametrize("args", [("--explain-cgroup", "/x"), ("doctor", "--container", "x"), ("doctor", "--root", "/nowhere-at-all",
                                                                                              "--explain-cgroup", "/x")])
def test_refused(run_iolat, args):
    done = run_iolat(*args)
    assert done.returncode in (1, 2) and len(done.stderr.splitlines()) == 1 and not done.stdout
