//! The registration object: images, kernel handles, tables, and the constructor that registers them with a runtime.
//!
//! The host code and the device code for the CPU are other objects; see `host_object.rs`. The names of symbols and
//! sections that could collide with those of another object contain the hash of the content.

use super::calls::Call;
use super::panic_texts;
use super::registration::{Registration, RuntimeInputs};
use super::relocatable::{Record, Relocatable, Section};
use super::symbol::Symbol;
use super::{Image, Runtime, compression, cuda, fatbinary, hip, hip_bundle, kernel_table, mgpu, offloadrt, omptarget};
use crate::contract::kernel::host_function_symbol;
use crate::error::{Context, Result};

impl Registration<'_> {
    /// The relocatable object, a complete file. It defines [`Kernel::handle_symbol`] of each kernel and
    /// `__offload_descriptor.HASH`, all of them hidden. Only the [`Kernel::cpu_symbol`]s, the functions of the host and
    /// those of the runtime are undefined.
    pub fn object(&self) -> Result<Vec<u8>> {
        self.write().context("cannot write the registration object")
    }

    fn write(&self) -> Result<Vec<u8>> {
        let mut object = Relocatable::new(self.platform, self.hash);
        let parts = self.place_parts(&mut object)?;
        let descriptor = offloadrt::place(self, &mut object, &parts)?;
        let hooks = match self.runtime {
            Runtime::Offloadrt | Runtime::Liboffload => vec![offloadrt::hooks(descriptor)],
            // The descriptor is registered last and unregistered first, because the runtime calls libomptarget only
            // while it has a descriptor.
            Runtime::Omptarget => {
                vec![omptarget::place(self, &mut object, &parts)?, offloadrt::hooks(descriptor)]
            }
            Runtime::Cuda => vec![cuda::place(self, &mut object, &parts)?],
            Runtime::Hip => vec![hip::place(self, &mut object, &parts)?],
            Runtime::Mgpu => vec![mgpu::place(self, &mut object, &parts, descriptor)?],
            Runtime::None => Vec::new(),
        };
        let at_load: Vec<Call> = hooks.iter().flat_map(|hooks| &hooks.at_load).cloned().collect();
        let at_unload: Vec<Call> = hooks.iter().rev().flat_map(|hooks| &hooks.at_unload).cloned().collect();
        object.at_load(&at_load)?;
        object.at_unload(&at_unload)?;
        object.finish()
    }

    /// The images in containers. Those that the runtime's own form contains are not there a second time.
    fn contained(&self) -> Vec<&Image> {
        let elsewhere = |image: &&Image| match self.runtime {
            Runtime::Cuda => fatbinary::holds(image),
            Runtime::Hip => hip_bundle::holds(image),
            Runtime::Mgpu => fatbinary::holds(image) || hip_bundle::holds(image),
            Runtime::Offloadrt | Runtime::Omptarget | Runtime::Liboffload | Runtime::None => false,
        };
        self.images.images().iter().filter(|image| !elsewhere(image)).collect()
    }

    /// Adds the records without addresses, and declares the handles.
    fn place_parts(&self, object: &mut Relocatable<'_>) -> Result<RuntimeInputs> {
        let hash = self.hash;
        let mut written = kernel_table::write(self)?;
        let table = object.local(format!("__offload_table.{hash}"));
        object.define(table, Section::KernelTable, Record::of(std::mem::take(&mut written.bytes)))?;
        let layout = compression::write(&self.contained(), self.compression)?;
        let containers_size = layout.bytes.len();
        let containers = (containers_size > 0).then(|| object.local(format!("__offload_images.{hash}")));
        if let Some(containers) = containers {
            object.define(containers, Section::Containers, Record::of(layout.bytes))?;
        }
        let handles = self.kernels.iter().map(|row| object.hidden(row.kernel.handle_symbol(hash))).collect();
        let panics = panic_texts::write(self.panics, self.kernels)?;
        let panics = panics.map(|bytes| {
            let symbol = object.local(format!("__offload_panics.{hash}"));
            object.define(symbol, Section::Relocated, Record::of(bytes)).map(|()| symbol)
        });
        let panics = panics.transpose()?;
        let host_functions = self.place_host_functions(object)?;
        let images = layout.images;
        Ok(RuntimeInputs { table, written, containers, containers_size, images, handles, panics, host_functions })
    }

    /// Adds the table of functions of the host that kernels call.
    fn place_host_functions(&self, object: &mut Relocatable<'_>) -> Result<Option<Symbol>> {
        if self.host_functions == 0 {
            return Ok(None);
        }
        let mut table = Record::default();
        for number in 0..self.host_functions {
            let function = object.hidden(host_function_symbol(number, self.hash));
            table.address(Some(function), 0);
        }
        let symbol = object.local(format!("__offload_host_functions.{}", self.hash));
        object.define(symbol, Section::Relocated, table)?;
        Ok(Some(symbol))
    }
}
