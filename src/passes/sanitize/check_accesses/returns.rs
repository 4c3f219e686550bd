//! The places where threads return from a kernel.
//!
//! A kernel of the crate `offload` is a function of the crate that calls the user's, and rustc writes one return for
//! all `return`s of a function. The place is therefore that of the last instruction of the user's own code before the
//! return. It depends on the path, so it is a phi where paths meet.

use std::collections::HashMap;

use super::places::Places;
use crate::analysis::location::user_frame;
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Builder, Function, Value};

/// The number of blocks without the user's code that are searched.
const MOST: usize = 200;

/// The blocks of one kernel.
pub(super) struct Returns<'p, 'm, 'c> {
    places: &'p mut Places<'m, 'c>,
    /// A block is there once for each edge.
    predecessors: Predecessors<'c>,
    known: HashMap<Block<'c>, Value<'c>>,
    /// The place without code of the user's on the path.
    other: Value<'c>,
}

impl<'p, 'm, 'c> Returns<'p, 'm, 'c> {
    /// Prepares the search from a return of a kernel.
    pub(super) fn new(places: &'p mut Places<'m, 'c>, kernel: Function<'c>, end: Value<'c>) -> Self {
        let predecessors = Predecessors::among(&kernel.blocks());
        let other = places.of(end);
        Self { places, predecessors, known: HashMap::new(), other }
    }

    /// The place for threads that reach the end of a block.
    pub(super) fn of(&mut self, block: Block<'c>, end: Option<Value<'c>>) -> Value<'c> {
        let own = block.instructions().filter(|i| Some(*i) != end && user_frame(&i.frames()).is_some()).last();
        if let Some(own) = own {
            return self.places.of(own);
        }
        if let Some(known) = self.known.get(&block) {
            return *known;
        }
        if self.known.len() == MOST {
            return self.other;
        }
        // For a loop that leads back here.
        let _ = self.known.insert(block, self.other);
        let before = self.predecessors.of(block).to_vec();
        let places: Vec<_> = before.iter().map(|block| self.of(*block, None)).collect();
        let place = match places[..] {
            [] => self.other,
            [first, ref more @ ..] if more.iter().all(|place| *place == first) => first,
            _ => {
                let phi = Builder::at_start(block).phi(self.other.ty(), "");
                places.into_iter().zip(before).for_each(|(place, block)| phi.add_incoming(place, block));
                phi
            }
        };
        let _ = self.known.insert(block, place);
        place
    }
}
