"""Runs the checks in a guest of tests/vm/boot, as root: the disks may be overwritten.

    python3 -m guest [--part short|whole] [--machine NAME] [--only WORD]... IOLAT RESULTS

Writes RESULTS: a JSON object that maps each check's label to null (it holds) or to what was wrong. Time is stretched in
there, so latencies are only held against lower bounds; counts, bytes and owners are exact.
"""
import argparse
import json
import os
import signal
import time
import traceback

from . import checks, tools

LIMIT = 180  # seconds for a check; one that waits for what never comes must not take the others' answers with it


def attempt(results, label, function, *args):
    """Notes what went wrong, if anything did; true when nothing did."""
    start = time.monotonic()
    signal.alarm(LIMIT)
    try:
        function(*args)
        problem = None
    except Exception:
        problem = traceback.format_exc() + (checks.SKIPPED if tools.Iolat.skipped else "")
    signal.alarm(0)
    results[label] = problem
    print(f"{'FAIL' if problem else 'ok'}  {label} {time.monotonic() - start:.1f} s", problem or "", flush=True)
    return not problem


def out_of_time(*_):
    raise TimeoutError(f"not over after {LIMIT} s")


def exhaust(generator):
    for _ in generator:
        raise AssertionError("a check yields once")


def run_sharing(results, form, options, idle, some):
    """All of these checks before one iolat."""
    run = tools.Iolat(*options, form=form, strict=False, idle=idle)
    going = [(c, c.function(run)) for c in some]

    def go_on(which):
        return [(c, generator) for c, generator in going
                if not which(c) or attempt(results, checks.label(form, c), next, generator)]
    going = go_on(lambda c: c.early)
    try:
        with run:
            going = go_on(lambda _: True)
            if not idle:
                time.sleep(0.4)  # longer than --stuck
    except Exception:
        problem = traceback.format_exc()
        print(problem, flush=True)
        results.update({checks.label(form, c): problem for c in some})
        return
    for c, generator in going:
        attempt(results, checks.label(form, c), exhaust, generator)


def main():
    parser = argparse.ArgumentParser(prog="guest")
    parser.add_argument("iolat")
    parser.add_argument("results")
    parser.add_argument("--part", default="whole")
    parser.add_argument("--machine", default="plain")
    parser.add_argument("--only", action="append", help="checks whose label holds this, or another such word")
    args = parser.parse_args()
    tools.IOLAT = args.iolat
    tools.SHARE = os.path.dirname(args.results)
    tools.put("/sys/kernel/debug/kprobes/enabled", 0)  # whoever counts on one sees nothing
    tools.make_disks()
    signal.signal(signal.SIGALRM, out_of_time)
    results = {"release": os.uname().release}
    chosen = [(form, c) for form, c in checks.chosen(results["release"], "v1" if tools.hybrid() else "v2", args.part, args.machine)
              if any(word in checks.label(form, c) for word in args.only or [""])]
    for form in checks.FORMS:
        for run in checks.RUNS:
            sharing = [c for f, c in chosen if f == form and c.run == run]
            if sharing:
                run_sharing(results, form, *run, sharing)
        for f, c in chosen:
            if f == form and not c.run:
                attempt(results, checks.label(form, c), c.function, form)
    with open(args.results, "w") as f:
        json.dump(results, f)


main()
