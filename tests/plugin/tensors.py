"""NumPy and kernels use the same memory: a buffer is an array without a copy, and the other way round."""

import ctypes
import sys

import numpy

plugin = ctypes.CDLL(sys.argv[1])
for make in [plugin.even_numbers, plugin.even_numbers_versioned]:
    make.restype = ctypes.c_void_p
    make.argtypes = [ctypes.c_size_t]
for double in [plugin.double_tensor, plugin.double_tensor_versioned]:
    double.restype = ctypes.c_bool
    double.argtypes = [ctypes.c_void_p]
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Tensor:
    """A tensor of the plugin, as NumPy asks for it."""

    def __init__(self, address, name):
        self.address, self.name = address, name

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, max_version=None, **_options):
        assert max_version >= (1, 0), "NumPy takes no tensor of version 1"
        return python.PyCapsule_New(self.address, self.name, None)


def check(make, double, name, field, options):
    """Exchanges tensors of one version. A word of the struct, at `field`, is the address of the elements."""
    address = make(1000)
    assert address, "there is no tensor"
    data = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))[field]
    numbers = numpy.from_dlpack(Tensor(address, name))
    assert numbers.ctypes.data == data, "the array is a copy"
    assert numbers.dtype == numpy.float32 and numbers.shape == (1000,)
    assert (numbers == 2 * numpy.arange(1000)).all()
    del numbers  # calls the deleter

    array = numpy.arange(600, dtype=numpy.float32).reshape(20, 30)
    capsule = array.__dlpack__(**options)
    assert double(python.PyCapsule_GetPointer(capsule, name))
    python.PyCapsule_SetName(capsule, b"used_" + name)
    assert (array.ravel() == 2 * numpy.arange(600)).all(), "the kernel had a copy"
    # A tensor with gaps, and one of other elements, are refused and stay NumPy's.
    for wrong in [array[:, ::2], array.astype(numpy.float64)]:
        assert not double(python.PyCapsule_GetPointer(wrong.__dlpack__(**options), name))
    return array


check(plugin.even_numbers, plugin.double_tensor, b"dltensor", 0, {})
options = {"max_version": (1, 0)}
array = check(plugin.even_numbers_versioned, plugin.double_tensor_versioned, b"dltensor_versioned", 4, options)
# Only the new version has a flag for memory that must not be written.
array.flags.writeable = False
assert not plugin.double_tensor_versioned(python.PyCapsule_GetPointer(array.__dlpack__(**options), b"dltensor_versioned"))
assert (array.ravel() == 2 * numpy.arange(600)).all()
print("NumPy and the kernels have used the same memory")
