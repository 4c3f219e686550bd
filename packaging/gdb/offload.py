"""Commands of gdb for kernels on offloadc's device `cpu`; `help offload` lists them.

A kernel that is compiled with `-g -O0` has two more arguments, `block_id` and `thread_id`. `cargo offloadc debug` loads
this file. In a gdb that has started in another way, `source offload.py` loads it.
"""

import itertools
import re

import gdb
from gdb.FrameDecorator import FrameDecorator

# The function that the runtime calls where a kernel panics.
PANIC = "offload_kernel_panic"
# The symbol of a kernel's code for a whole block: this, a hash, and the kernel's own symbol.
ENTRY = "__offload_cpu"
# The file of the runtime that calls a kernel for the blocks of a launch.
SCHEDULER = "cpu_scheduler.c"
# The most functions that are inlined at one address.
MOST_INLINED = 16
# Functions of the crate between a kernel and the code that calls it.
GLUE = ("offload::launch::", "offload::param::", "core::ops::function::")


def older(frame):
    """The frame, and those that called it."""
    while frame is not None:
        yield frame
        frame = frame.older()


def arguments(frame):
    """The arguments of a frame's function and of those that it is inlined into, by name."""
    try:
        block = frame.block()
    except RuntimeError:
        # A call that does not return may be the last instruction of its function.
        block = gdb.block_for_pc(frame.pc() - 1)
    found = {}
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            if symbol.is_argument:
                found.setdefault(symbol.name, symbol)
        block = block.superblock
    return found


def numbers(frame, symbol):
    value = symbol.value(frame)
    return tuple(int(value[field]) for field in value.type.fields())


class Place:
    """Where a thread of a kernel is."""

    def __init__(self, frame, block, thread):
        self.frame, self.block, self.thread = frame, block, thread

    @staticmethod
    def of(frame):
        """The place of the kernel that a frame belongs to; none in code of the host."""
        for each in older(frame):
            if (each.name() or "").startswith(ENTRY):
                return None
            found = arguments(each)
            pair = [found.get("block_id"), found.get("thread_id")]
            # Variables of a user may have these names, too.
            if all(symbol is not None and symbol.type.name == "(u32, u32, u32)" for symbol in pair):
                return Place(each, *(numbers(each, symbol) for symbol in pair))
        return None

    def kernel(self):
        """The name of the kernel."""
        for each in older(self.frame):
            name = each.name() or ""
            if name.startswith(ENTRY):
                symbol = name.split(".", 2)[-1]
                try:
                    symbol = gdb.execute("demangle -l rust -- " + symbol, to_string=True).strip()
                except gdb.error:
                    pass
                return re.sub("::h[0-9a-f]{16}$", "", symbol)
        return self.frame.name()

    def __str__(self):
        return f"block {self.block}, thread {self.thread}"


def here():
    """The place of the selected thread."""
    try:
        place = Place.of(gdb.newest_frame())
    except gdb.error:
        place = None
    if place is None:
        raise gdb.GdbError("no kernel runs here: stop in one first, for example with `break FILE:LINE` and `run`")
    return place


def parse(text):
    """Three numbers from `3`, `3,0` or `3,0,0`."""
    words = text.replace("(", "").replace(")", "").replace(",", " ").split()
    if not 1 <= len(words) <= 3 or not all(word.isdigit() for word in words):
        raise gdb.GdbError(f"`{text}` is no place: type one to three numbers, as in `3,0,0`")
    return tuple([int(word) for word in words] + [0] * (3 - len(words)))


class Until(gdb.Breakpoint):
    """A temporary breakpoint for a place, or for the end of the block that the thread of the system runs."""

    def __init__(self, location, is_there, block):
        super().__init__(location, internal=True)
        self.silent = True
        self.is_there, self.block, self.system_thread = is_there, block, gdb.selected_thread().num

    def stop(self):
        place = Place.of(gdb.newest_frame())
        if place is None:
            return False
        is_own = gdb.selected_thread().num == self.system_thread
        return self.is_there(place) or (self.block is not None and is_own and place.block != self.block)


def place_of(line):
    """The line of the newest frame, or its address if gdb finds no code of the kernel for the line. The code of a line
    that only calls inlined functions has the lines of these functions."""
    name, address = f"{line.symtab.fullname()}:{line.line}", gdb.newest_frame().pc()
    block = gdb.block_for_pc(address)
    while block is not None and block.superblock is not None and not block.superblock.is_static:
        block = block.superblock
    found = gdb.decode_line(name)[1] or ()
    is_here = block is not None and any(block.start <= each.pc < block.end for each in found)
    return name if is_here else f"*{address}"


def show_inlined(function):
    """At the first address of inlined functions, gdb selects the function around them. A step to the one inside moves
    no further than to its frame."""
    address = gdb.newest_frame().pc()
    for _ in range(MOST_INLINED):
        if gdb.newest_frame().name() == function or gdb.newest_frame().pc() != address:
            return
        gdb.execute("step", to_string=True)


def go(is_there, block):
    """Continues until a thread is there that comes to the line of the newest frame."""
    function, line = gdb.newest_frame().name(), gdb.newest_frame().find_sal()
    if line.symtab is None:
        raise gdb.GdbError("there is no source line here: `finish` goes back to code that has one")
    others = [each for each in gdb.breakpoints() or () if each.enabled]
    for each in others:
        each.enabled = False
    until = Until(place_of(line), is_there, block)
    try:
        gdb.execute("continue")
    finally:
        until.delete()
        for each in others:
            if each.is_valid():
                each.enabled = True
    if gdb.selected_thread() is None:
        raise gdb.GdbError("the program has ended, and no thread came to this line in that place")
    place = Place.of(gdb.newest_frame())
    if place is not None and not is_there(place):
        raise gdb.GdbError(f"the block has ended, and that thread did not come to this line again; this is {place}")
    show_inlined(function)
    gdb.execute("frame")


class Offload(gdb.Command):
    """Commands for kernels on the device `cpu`."""

    def __init__(self):
        super().__init__("offload", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class Info(gdb.Command):
    """Show the kernel, the block and the thread that run here."""

    def __init__(self):
        super().__init__("offload info", gdb.COMMAND_STATUS)

    def invoke(self, text, from_tty):
        place = here()
        print(f"kernel {place.kernel()}, {place}")


class Thread(gdb.Command):
    """Continue until a thread of this block comes to this line: `offload thread 3,0,0`.
The threads of a block run one after another, in the order of their numbers."""

    def __init__(self):
        super().__init__("offload thread", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        wanted, now = parse(text), here()
        if now.thread == wanted:
            gdb.execute("frame")
            return
        go(lambda place: place.thread == wanted and place.block == now.block, now.block)


class Block(gdb.Command):
    """Continue until a thread of another block comes to this line: `offload block 2,0,0`."""

    def __init__(self):
        super().__init__("offload block", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        wanted, now = parse(text), here()
        if now.block != wanted:
            go(lambda place: place.block == wanted, None)
        else:
            gdb.execute("frame")


class AtPlace(gdb.Breakpoint):
    """A breakpoint for one thread, or for one block."""

    def __init__(self, location, block, thread):
        self.wanted = (block, thread)
        super().__init__(location)

    def stop(self):
        place = Place.of(gdb.newest_frame())
        if place is None:
            return False
        return all(want is None or want == own for want, own in zip(self.wanted, (place.block, place.thread)))


def location(text):
    """A location for gdb, which finds a function of Rust only by its whole path. A name without a path is that of a
    function of the program, or of several."""
    if not re.fullmatch(r"\w+", text) or gdb.lookup_global_symbol(text) is not None:
        return text
    found = gdb.execute(f"info functions -q ::{text}$", to_string=True)
    paths = sorted(set(re.findall(rf"\bfn ((?:\w+::)+{text})\(", found)))
    if len(paths) > 1:
        raise gdb.GdbError(f"several functions have the name `{text}`: {', '.join(paths)}")
    return paths[0] if paths else text


class Break(gdb.Command):
    """Set a breakpoint for one thread: `offload break FILE:LINE block 2,0,0 thread 3,0,0`.
Without `block` it stops in each block, and without `thread` for each thread. A kernel needs no path: `offload break
saxpy`."""

    def __init__(self):
        super().__init__("offload break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, text, from_tty):
        words = gdb.string_to_argv(text)
        if not words or len(words) % 2 == 0 or any(word not in ("block", "thread") for word in words[1::2]):
            raise gdb.GdbError("usage: offload break LOCATION [block X,Y,Z] [thread X,Y,Z]")
        places = {name: parse(place) for name, place in zip(words[1::2], words[2::2])}
        AtPlace(location(words[0]), places.get("block"), places.get("thread"))


def leave_the_runtime():
    """After a step past the end of a kernel: goes on to the code that has launched it, past the runtime. Breakpoints
    stop the next thread of the kernel before."""
    try:
        frames = list(itertools.islice(older(gdb.newest_frame()), 1000))
    except gdb.error:
        return
    if not is_of_the_runtime(frames[0]):
        return
    runtime = list(itertools.takewhile(lambda each: not is_of_the_host(each), frames))
    if len(runtime) == len(frames):
        gdb.execute("continue")
        return
    runtime[-1].select()
    gdb.execute("finish")


def is_of_the_runtime(frame):
    """Whether a frame is of the runtime, or of the code that calls a kernel for each thread of a block."""
    symtab = frame.find_sal().symtab
    in_c = symtab is not None and symtab.filename.endswith("/" + SCHEDULER)
    return in_c or (frame.name() or "").startswith(ENTRY)


def is_of_the_host(frame):
    """Whether a frame is of code that launches kernels."""
    name = frame.name() or ""
    return "::" in name and not name.startswith(("offload::", "core::", "std::", "<"))


class AfterStep(gdb.Command):
    """See `leave_the_runtime`."""

    def __init__(self):
        super().__init__("offload -after-step", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        leave_the_runtime()


# The commands that gdb executes after a step of the user.
HOOKS = "".join(f"define hookpost-{step}\noffload -after-step\nend\n" for step in ("next", "step"))


class Panic(gdb.Command):
    """Stop where a kernel panics."""

    def __init__(self):
        super().__init__("offload panic", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, text, from_tty):
        gdb.Breakpoint(PANIC)


class KernelFrame(FrameDecorator):
    """The frame of a kernel, with its block and thread after its name."""

    def __init__(self, frame, place, name=None):
        super().__init__(frame)
        self.place, self.name = place, name

    def function(self):
        return f"{self.name or super().function()} [{self.place}]"


class Frames:
    """Shows the frames of a kernel and of the code that launches it, without those of the runtime between.
`bt -no-filters` shows all."""

    def __init__(self):
        self.name, self.priority, self.enabled = "offload", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(itertools.islice(frames, 1000))
        ends = [at for at, each in enumerate(frames) if (each.inferior_frame().name() or "").startswith(ENTRY)]
        if not ends:
            return iter(frames)
        end = ends[0]
        inner = [each for each in frames[:end] if not self.is_glue(each)]
        place = Place.of(frames[0].inferior_frame())
        kernels = [at for at, each in enumerate(inner) if "::" in (each.inferior_frame().name() or "")]
        if place is not None and kernels:
            inner[kernels[-1]] = KernelFrame(inner[kernels[-1]].inferior_frame(), place)
        elif place is not None:
            inner.append(KernelFrame(place.frame, place, place.kernel()))
        host = [each for each in itertools.dropwhile(self.is_not_rust, frames[end + 1:])]
        return iter(inner + [each for each in host if not self.is_glue(each)])

    @staticmethod
    def is_glue(frame):
        name = frame.inferior_frame().name() or ""
        return name.startswith(GLUE) or ("::" not in name and ".thread." in name)

    @staticmethod
    def is_not_rust(frame):
        return "::" not in (frame.inferior_frame().name() or "")


for command in (Offload, Info, Thread, Block, Break, AfterStep, Panic, Frames):
    command()
gdb.execute(HOOKS)
