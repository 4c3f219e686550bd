//! The methods of functions that are no kernels because of the type of a parameter. Without them, rustc would say that
//! the method does not exist, and would not name the type.

use crate::device::Stream;
use crate::error::{Error, Result};
use crate::grid::LaunchConfig;
use crate::param::{Callable, Params};

/// A function of parameters of the types `P`, whatever these are.
pub trait Function<P>: Copy {}

macro_rules! functions {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        impl<F1, $($name),*> Function<($($name,)*)> for F1 where F1: Fn($($name),*) + Copy {}
    )* };
}
for_each_arity!(functions);

/// The methods of [`Kernel`](crate::Kernel), with a reference instead of the function: where a function has both, rustc
/// takes those of `Kernel`. No function has the bounds of these methods alone, so that each call of them is an error
/// about the parameter.
pub trait Refused<P>: Function<P> {
    /// See [`Kernel::launch`](crate::Kernel::launch).
    ///
    /// # Errors
    ///
    /// Always, but rustc never compiles a call.
    fn launch<A>(&self, _stream: &Stream, _config: LaunchConfig, _arguments: A) -> Result<()>
    where
        P: Params,
        Self: Callable<P>,
    {
        Err(Error::Invalid("the function is no kernel".into()))
    }

    /// See [`Kernel::run_on_host`](crate::Kernel::run_on_host).
    ///
    /// # Panics
    ///
    /// Always, but rustc never compiles a call.
    fn run_on_host<A>(&self, _config: LaunchConfig, _arguments: A)
    where
        P: Params,
        Self: Callable<P>,
    {
        panic!("the function is no kernel");
    }
}

impl<F: Function<P>, P> Refused<P> for F {}
