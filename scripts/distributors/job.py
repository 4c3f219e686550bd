"""What the distributors here share: the list of jobs, and a job in an empty folder."""

import json
import os
import subprocess
import sys
import tempfile
import threading

# A process that starts while another thread writes a program keeps the file open for a moment, and the system does not
# start a program that is open for writing. So only one of the two happens at a time.
WRITES_OR_STARTS = threading.Lock()


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


def run_in_empty_folder(command, inputs, outputs):
    """Runs a command with nothing but its inputs. Returns its status, its messages, and those outputs that it wrote."""
    with tempfile.TemporaryDirectory(prefix="offloadc-job-") as folder:
        places = {path: os.path.join(folder, f"{number}-{os.path.basename(path)}")
                  for number, path in enumerate([*inputs, *outputs])}
        for path, (contents, mode) in inputs.items():
            with WRITES_OR_STARTS, open(places[path], "wb") as file:
                file.write(contents)
            os.chmod(places[path], mode)
        # The program itself may be an input.
        words = [moved(word, places) for word in command]
        with WRITES_OR_STARTS:
            job = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        stdout, stderr = job.communicate()
        written = [path for path in outputs if os.path.exists(places[path])]
        results = {path: read_files([places[path]])[places[path]][0] for path in written}
        return job.returncode, (stdout + stderr).decode(errors="replace"), results


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
