//! Tests of `offloadc` and its output: the command line, the input, objects and images, what other tools report about
//! them, and the results of kernels.

mod abi;
mod bad_input;
mod cache;
mod cache_module;
mod cache_objects;
mod cache_parts;
mod cache_remote;
mod cli;
mod compression;
mod convergence;
mod device_bitcode;
mod distribution;
mod errors;
mod generator;
mod host_object;
mod images;
mod input;
mod job_server;
mod liboffload;
mod link;
mod linker_plugin;
mod math;
mod math_options;
mod memory_functions;
mod mgpu;
mod mutations;
mod newer_llvm;
mod offload_links;
mod parts;
mod pass_plugin;
mod registrations;
mod reproducible;
mod shared_runtime;
mod specialized;
mod targets;
