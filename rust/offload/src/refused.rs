//! The methods of functions that are no kernels because of the type of a parameter. Without them, rustc would say that
//! the method does not exist, and would not name the type.

use crate::device::Stream;
use crate::error::{Error, Result};
use crate::grid::LaunchConfig;
use crate::param::{Callable, Params};

/// A function or closure of parameters of the types `P` with a result of the type `R`, whatever these are.
pub trait Function<P, R> {}

macro_rules! functions {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        impl<Own, R, $($name),*> Function<($($name,)*), R> for Own where Own: FnOnce($($name),*) -> R {}
    )* };
}
for_each_arity!(functions);
// With more parameters than a kernel has.
functions! {
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13 O O 14)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13 O O 14 P P 15)
}

/// The methods of [`Kernel`](crate::Kernel), with a reference instead of the function: where a function has both, rustc
/// takes those of `Kernel`. No function has the bounds of these methods alone, so that each call of them is an error
/// about the parameter.
pub trait Refused<P, R>: Function<P, R> {
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

impl<F: Function<P, R>, P, R> Refused<P, R> for F {}
