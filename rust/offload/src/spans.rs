//! Spans of the crate `tracing`, with the feature of that name, around the calls of the runtime that launch, copy and
//! wait. Their target is `offload`, and their level `DEBUG`. They measure the host; `OFFLOADRT_TRACE` has the work of
//! devices, too.

/// Makes a call within a span that has the name of the stream's device and these fields, the second ones as `Debug`
/// writes them.
macro_rules! within_span {
    ($name:literal, $of:expr, [$($field:ident = $value:expr),*], [$($shown:ident = $text:expr),*], $call:expr) => {{
        #[cfg(feature = "tracing")]
        let span = tracing::debug_span!(
            target: "offload",
            $name,
            device = $of.device().name()
            $(, $field = $value)*
            $(, $shown = tracing::field::debug($text))*
        );
        #[cfg(feature = "tracing")]
        let _entered = span.enter();
        #[cfg(not(feature = "tracing"))]
        let _ = ($(&$value,)* $(&$text,)*);
        $call
    }};
}
