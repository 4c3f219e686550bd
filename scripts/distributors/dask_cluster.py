#!/usr/bin/env python3
"""A distributor that runs jobs on the workers of a Dask cluster (package `distributed`).

    offloadc … --distributor=scripts/distributors/dask_cluster.py --distributor-arg=tcp://HOST:8786

Inputs and outputs go through the scheduler as bytes, so workers need no shared file system. Each worker needs the
same offloadc, LLVM and linker; `--offloadc=PATH` names the program if workers have it at another path. A job whose
worker is lost runs again on another one.
"""

import argparse
import sys

import cloudpickle
from distributed import Client

import job


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--offloadc")
    arguments.add_argument("--timeout", default="30s", help="how long to wait for the scheduler")
    arguments.add_argument("scheduler")
    arguments.add_argument("list")
    arguments = arguments.parse_args()
    # Workers do not have these files, so they get the function itself.
    cloudpickle.register_pickle_by_value(job)
    function = cloudpickle.dumps(job.run_in_empty_folder)
    with Client(arguments.scheduler, timeout=arguments.timeout) as client:
        futures = []
        for command, inputs, outputs in job.read_list(arguments.list):
            command[0] = arguments.offloadc or command[0]
            # The bytes are part of the task. The scheduler would lose scattered data with the worker that holds it.
            files = job.read_files(inputs)
            futures.append(client.submit(call, function, command, files, outputs, pure=False))
        job.finish([result(future) for future in futures])


def call(function, *arguments):
    return cloudpickle.loads(function)(*arguments)


def result(future):
    """The result of a job; a job that could not run has failed."""
    error = future.exception()
    return future.result() if error is None else (1, f"error: the job could not run: {error}\n", {})


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"error: {error}")
