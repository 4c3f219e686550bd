//! An emulated NVIDIA GPU behind the CUDA driver API.
