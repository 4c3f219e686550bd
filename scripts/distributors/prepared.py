#!/usr/bin/env python3
"""A distributor that takes images which `offloadc job` has written before, for build systems that run jobs themselves.

    offloadc … --distributor=scripts/distributors/prepared.py --distributor-arg=FOLDER

FOLDER contains the image of each arch as `ARCH.img`, with `@` in place of `:`. An image of another job is refused by
offloadc.
"""

import os
import shutil
import sys

import job


def main():
    folder, path = sys.argv[1:]
    for _, _, outputs in job.read_list(path):
        for output in outputs:
            name = os.path.basename(output).rpartition(".image.")[2]
            shutil.copyfile(os.path.join(folder, name), output)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"error: {error}")
