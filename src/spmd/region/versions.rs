//! The faster versions of a region, and why there are not more.

use crate::llvm::Function;
use crate::spmd::cause::{Cause, Reason};

/// Faster versions of a function.
#[derive(Default)]
pub(crate) struct Faster<'c> {
    /// For threads of a row whose branches are known.
    pub(crate) rows: Option<Rows<'c>>,
    /// The same for several threads at once.
    pub(crate) rows_together: Option<Vectorized<'c>>,
    /// Why there is no such version, or why a part of it is slow.
    pub(crate) rows_cause: Option<Cause>,
    /// For several threads at once.
    pub(crate) together: Option<Vectorized<'c>>,
    /// Why there is no such version, or why a part of it is slow.
    pub(crate) cause: Option<Cause>,
}

/// A function and its faster versions.
#[derive(Clone, Copy)]
pub(crate) struct Versions<'a, 'c> {
    pub(crate) one: Function<'c>,
    pub(crate) faster: &'a Faster<'c>,
}

impl<'c> Faster<'c> {
    /// Whether there are no such versions.
    pub(crate) fn is_none(&self) -> bool {
        self.rows.is_none() && self.together.is_none()
    }

    /// Adds the versions for several threads.
    pub(crate) fn vectorize(
        &mut self,
        body: Function<'c>,
        of_rows: impl Fn(Function<'c>) -> Result<Made<'c>, Cause>,
        of_body: impl Fn(Function<'c>) -> Result<Made<'c>, Cause>,
    ) {
        self.rows_together = self.rows.as_ref().and_then(|rows| kept_or(of_rows(rows.fast), &mut self.rows_cause));
        if self.rows.as_ref().is_none_or(|rows| !rows.others_leave) {
            self.together = kept_or(of_body(body), &mut self.cause);
        }
    }

    /// Says why there is no version for several threads.
    pub(crate) fn refuse(&mut self, reason: &Reason) {
        self.cause = Some(Cause::new(reason.clone()));
        self.rows_cause = self.rows.as_ref().map(|_| Cause::new(reason.clone()));
    }
}

/// The version; none if it is refused. The cause is kept.
pub(crate) fn kept_or<'c>(made: Result<Made<'c>, Cause>, cause: &mut Option<Cause>) -> Option<Vectorized<'c>> {
    let (version, found) = match made {
        Ok(Made { version, slow }) => (Some(version), slow),
        Err(refusal) => (None, Some(refusal)),
    };
    *cause = found;
    version
}

/// The version of a body for a range of the threads of a row.
pub(crate) struct Rows<'c> {
    /// It has the parameters of the body.
    pub(crate) fast: Function<'c>,
    /// It has the parameters of the body, for the first thread of a row. The lower 32 bits of the `i64` that it returns
    /// are the x of the first thread that may run the fast version. The upper 32 bits are the end, which is at most the
    /// block's x dimension.
    pub(crate) range: Function<'c>,
    /// It has the parameters of the body, and returns whether all threads of the block may run the fast version.
    pub(crate) whole: Option<Function<'c>>,
    /// It has the parameters of the body, for the first thread of a row. It asks for what a later block reads.
    pub(crate) prefetch: Option<Function<'c>>,
    /// Whether all other threads leave at once.
    pub(crate) others_leave: bool,
}

/// The code of several threads of a row.
#[derive(Clone, Copy)]
pub(crate) struct Vectorized<'c> {
    /// It has the parameters of the code of one thread, for the first of the threads. Its result, if any, is a vector.
    pub(crate) function: Function<'c>,
    /// The number of threads.
    pub(crate) width: u32,
}

/// Such code, and the cause of a slow part.
pub(crate) struct Made<'c> {
    pub(crate) version: Vectorized<'c>,
    pub(crate) slow: Option<Cause>,
}
