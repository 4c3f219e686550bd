"""The part that the distributors here share: the list of jobs, and a job in an empty folder."""

import errno
import json
import os
import subprocess
import sys
import tempfile
import time


def read_list(path):
    """The command, the inputs and the outputs of each job in a list of LLVM's DTLTO."""
    with open(path, encoding="utf-8") as file:
        jobs = json.load(file)
    common = jobs["common"]
    return [(common["args"] + job["args"], common["inputs"] + job["inputs"], job["outputs"]) for job in jobs["jobs"]]


def read_files(paths):
    """The contents and the modes of files, by their paths."""
    files = {}
    for path in paths:
        with open(path, "rb") as file:
            files[path] = (file.read(), os.stat(path).st_mode & 0o777)
    return files


def moved(word, places):
    """A word of a command in which a path at the end, alone or after `@` or `=`, has its new place."""
    for path, place in places.items():
        before = word[: -len(path)]
        if word.endswith(path) and (not before or before[-1] in "@="):
            return before + place
    return word


def run(words, folder):
    """Runs a program that may just have been written. A process that another thread starts at that moment keeps the file
    open until it is a program itself, and the system does not start a program that is open for writing."""
    for attempt in range(100):
        try:
            return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        except OSError as error:
            if error.errno != errno.ETXTBSY or attempt == 99:
                raise
            time.sleep(0.02)


def run_in_empty_folder(command, inputs, outputs):
    """Runs a command with nothing but its inputs. Returns its status, its messages, and those outputs that it wrote."""
    with tempfile.TemporaryDirectory(prefix="offloadc-job-") as folder:
        places = {path: os.path.join(folder, f"{number}-{os.path.basename(path)}")
                  for number, path in enumerate([*inputs, *outputs])}
        for path, (contents, mode) in inputs.items():
            with open(places[path], "wb") as file:
                file.write(contents)
            os.chmod(places[path], mode)
        # The program itself may be an input.
        words = [moved(word, places) for word in command]
        done = run(words, folder)
        written = [path for path in outputs if os.path.exists(places[path])]
        results = {path: read_files([places[path]])[places[path]][0] for path in written}
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace"), results


def finish(results):
    """Writes the outputs of all jobs, prints their messages in the order of the list, and ends with 1 if one failed."""
    failed = False
    for status, messages, outputs in results:
        sys.stderr.write(messages)
        failed |= status != 0
        for path, contents in outputs.items():
            with open(path, "wb") as file:
                file.write(contents)
    sys.exit(1 if failed else 0)
