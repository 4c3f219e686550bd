//! Invalid tensors, of which no buffer can be made.

use offload::dlpack::DLTensor;
use offload::{Device, DeviceBuffer, Error, Result};

/// The change that makes a right tensor wrong, and a part of the error.
type Wrong = (&'static str, fn(&mut DLTensor, &mut [i64; 3]));

const WRONG: [Wrong; 9] = [
    ("shape is null", |own, _| own.shape = std::ptr::null_mut()),
    ("has -1 dimensions", |own, _| own.ndim = -1),
    ("has -2147483648 dimensions", |own, _| own.ndim = i32::MIN),
    ("has the size -1", |_, shape| shape[1] = -1),
    ("has the size -9223372036854775808", |_, shape| *shape = [0, i64::MIN, 1]),
    ("more elements than memory has", |_, shape| *shape = [1 << 32, 1 << 32, 1]),
    ("beyond the end of memory", |_, shape| *shape = [1 << 30, 1 << 31, 1]),
    ("beyond the end of memory", |own, _| own.byte_offset = u64::MAX - 3),
    ("address is null", |own, _| own.data = std::ptr::null_mut()),
];

pub(crate) fn check(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let tensor = DeviceBuffer::from_host(&stream, &[1_u32, 2, 3, 4])?.into_dlpack();
    let Ok(mut tensor) = tensor else { return Ok(()) };
    // SAFETY: the tensor is a buffer's. A wrong one is not accepted, and then still belongs to this function.
    unsafe {
        let right = tensor.as_ref().dl_tensor;
        for (wanted, change) in WRONG {
            let mut shape = [2, 1, 2];
            let own = &mut tensor.as_mut().dl_tensor;
            (own.ndim, own.shape, own.strides) = (3, shape.as_mut_ptr(), std::ptr::null_mut());
            change(own, &mut shape);
            match DeviceBuffer::<u32>::from_dlpack(device, tensor) {
                Err(Error::Invalid(text)) => assert!(text.contains(wanted), "{wanted}: {text}"),
                other => panic!("{wanted}: {:?}", other.map(|buffer| buffer.len())),
            }
            tensor.as_mut().dl_tensor = right;
        }
        // No elements, for all values of the other sizes.
        let mut shape = [1 << 40, 0, 1 << 40];
        let own = &mut tensor.as_mut().dl_tensor;
        (own.ndim, own.shape, own.strides) = (3, shape.as_mut_ptr(), std::ptr::null_mut());
        assert_eq!(DeviceBuffer::<u32>::from_dlpack(device, tensor)?.len(), 0);
    }
    Ok(())
}
