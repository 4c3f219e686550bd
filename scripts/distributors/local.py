#!/usr/bin/env python3
"""A distributor that runs jobs on this machine.

    offloadc … --distributor=scripts/distributors/local.py [--distributor-arg=--jobs=N] [--distributor-arg=--isolated]

`--jobs=N` runs N jobs at a time instead of one for each core. With `--isolated`, each job runs in an empty folder that
contains only its inputs and its program. This shows whether the inputs in the list are all that the jobs read.
"""

import argparse
import concurrent.futures
import os
import subprocess

import job


def run(row, isolated):
    command, inputs, outputs = row
    if isolated:
        return job.run_in_empty_folder(command, job.read_files([*inputs, command[0]]), outputs)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace"), {}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--isolated", action="store_true")
    arguments.add_argument("list")
    arguments = arguments.parse_args()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        job.finish(list(pool.map(lambda row: run(row, arguments.isolated), job.read_list(arguments.list))))


if __name__ == "__main__":
    main()
