"""Unpacks the libraries of wheels into one flat folder: FOLDER WHEEL...

Wheels have no links, so a library lies in them under each of its names; here the longest name of equal
files is a file, and the others are links to it. The folder appears when it is whole.
"""

import os
import shutil
import sys
import zipfile

# It is for a compiler's linker, and never loaded.
UNUSED = {"icx-lto.so"}


def unpack(wheel, folder):
    names = {}
    for entry in wheel.infolist():
        place, _, name = entry.filename.rpartition("/")
        if place.endswith(".data/data/lib") and name not in UNUSED:
            names.setdefault((entry.CRC, entry.file_size), []).append((name, entry))
    for same in names.values():
        same.sort(key=lambda pair: len(pair[0]))
        name, entry = same.pop()
        with wheel.open(entry) as source, open(os.path.join(folder, name), "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        for other, _ in same:
            os.symlink(name, os.path.join(folder, other))


def main(folder, paths):
    unfinished = folder + ".part"
    shutil.rmtree(unfinished, ignore_errors=True)
    os.mkdir(unfinished)
    for path in paths:
        with zipfile.ZipFile(path) as wheel:
            unpack(wheel, unfinished)
    os.rename(unfinished, folder)


main(sys.argv[1], sys.argv[2:])
