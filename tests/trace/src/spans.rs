//! A subscriber that prints the spans of the target `offload`.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Prints each span when it begins: `copy device="cpu" direction="to_host" bytes=256`.
pub struct Printed(AtomicU64);

impl Printed {
    pub const fn new() -> Self {
        Self(AtomicU64::new(1))
    }
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _infallible = write!(self.0, " {}={value:?}", field.name());
    }
}

impl Subscriber for Printed {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "offload"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        println!("{}{}", span.metadata().name(), fields.0);
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
