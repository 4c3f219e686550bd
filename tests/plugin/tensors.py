"""NumPy and kernels use the same memory: a buffer is an array without a copy, and the other way round."""

import ctypes
import sys

import numpy

plugin = ctypes.CDLL(sys.argv[1])
plugin.even_numbers.restype = ctypes.c_void_p
plugin.even_numbers.argtypes = [ctypes.c_size_t]
plugin.double_tensor.restype = ctypes.c_bool
plugin.double_tensor.argtypes = [ctypes.c_void_p]
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor"


class Tensor:
    """A tensor of the plugin, as NumPy asks for it."""

    def __init__(self, address):
        self.address = address

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_options):
        return python.PyCapsule_New(self.address, b"dltensor", None)


address = plugin.even_numbers(1000)
assert address, "there is no tensor"
# The first field of the struct is the address of the elements.
data = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))[0]
numbers = numpy.from_dlpack(Tensor(address))
assert numbers.ctypes.data == data, "the array is a copy"
assert numbers.dtype == numpy.float32 and numbers.shape == (1000,)
assert (numbers == 2 * numpy.arange(1000)).all()
del numbers  # calls the deleter

array = numpy.arange(600, dtype=numpy.float32).reshape(20, 30)
capsule = array.__dlpack__()
assert plugin.double_tensor(python.PyCapsule_GetPointer(capsule, b"dltensor"))
python.PyCapsule_SetName(capsule, USED)
assert (array.ravel() == 2 * numpy.arange(600)).all(), "the kernel had a copy"
# A tensor with gaps, and one of other elements, are refused and stay NumPy's.
for wrong in [array[:, ::2], array.astype(numpy.float64)]:
    assert not plugin.double_tensor(python.PyCapsule_GetPointer(wrong.__dlpack__(), b"dltensor"))
print("NumPy and the kernels have used the same memory")
