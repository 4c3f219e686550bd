//! Tests of [`super`] by rules alone: no IR is needed to say how pointers move.

use super::*;

const GENERIC: u32 = 0;
const GLOBAL: u32 = 1;
const SHARED: u32 = 3;
const PRIVATE: u32 = 5;

fn new() -> PointsTo {
    PointsTo::new(GENERIC, GLOBAL)
}

/// A node that is the address of new memory, and the memory.
fn address(points: &mut PointsTo, space: u32) -> (Node, ObjectId) {
    let (node, object) = (points.node(), points.memory(space));
    points.point(node, object);
    (node, object)
}

fn copy(points: &mut PointsTo, to: Node, from: Node) {
    points.rule(Rule::Copy { to, from, by: Offset::exact(0) });
}

fn store(points: &mut PointsTo, value: Node, address: Node, at: i64) {
    points.rule(Rule::Store { value, address, at, width: 8 });
}

fn load(points: &mut PointsTo, address: Node, at: i64) -> Node {
    let to = points.node();
    points.rule(Rule::Load { to, address, at, width: 8 });
    to
}

/// The space where null is 0 in one space only, as in global memory.
fn space(points: &PointsTo, node: Node) -> Option<u32> {
    points.space(node, |space| space == GLOBAL)
}

#[test]
fn a_node_leads_where_all_its_sources_lead() {
    let mut points = new();
    let ((a, _), (b, _), (c, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, SHARED));
    let (same, mixed) = (points.node(), points.node());
    [(same, a), (same, b), (mixed, a), (mixed, c)].into_iter().for_each(|(to, from)| copy(&mut points, to, from));
    points.solve();
    assert_eq!(space(&points, same), Some(PRIVATE));
    assert_eq!(space(&points, mixed), None);
}

#[test]
fn what_no_rule_speaks_of_may_lead_anywhere() {
    let mut points = new();
    let (local, _) = address(&mut points, PRIVATE);
    let (unsaid, phi) = (points.node(), points.node());
    copy(&mut points, phi, local);
    copy(&mut points, phi, unsaid);
    points.solve();
    assert_eq!(space(&points, unsaid), None);
    assert_eq!(space(&points, phi), None);
}

#[test]
fn what_is_unsaid_spreads_through_memory() {
    let mut points = new();
    let ((local, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let unsaid = points.node();
    store(&mut points, local, slot, 0);
    store(&mut points, unsaid, slot, 0);
    let loaded = load(&mut points, slot, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn memory_that_nothing_is_stored_in_may_hold_anything() {
    let mut points = new();
    let ((local, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let (loaded, phi) = (load(&mut points, slot, 0), points.node());
    copy(&mut points, phi, loaded);
    copy(&mut points, phi, local);
    points.solve();
    assert_eq!(space(&points, phi), None);
}

#[test]
fn undefined_values_lead_where_the_others_lead() {
    let mut points = new();
    let (local, _) = address(&mut points, PRIVATE);
    let phi = points.node();
    copy(&mut points, phi, local);
    copy(&mut points, phi, UNDEFINED);
    points.solve();
    assert_eq!(space(&points, phi), Some(PRIVATE));
}

#[test]
fn null_keeps_its_value_in_some_spaces_only() {
    let mut points = new();
    let ((local, _), (global, _)) = (address(&mut points, PRIVATE), address(&mut points, GLOBAL));
    let (maybe_local, maybe_global, null) = (points.node(), points.node(), points.node());
    for (to, from) in [(maybe_local, local), (maybe_global, global)] {
        copy(&mut points, to, from);
        copy(&mut points, to, NUMBER);
    }
    copy(&mut points, null, NUMBER);
    points.solve();
    assert_eq!(space(&points, maybe_local), None);
    assert_eq!(space(&points, maybe_global), Some(GLOBAL));
    assert_eq!(space(&points, null), None);
}

#[test]
fn fields_of_memory_are_told_apart() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    store(&mut points, local, slot, 0);
    store(&mut points, shared, slot, 8);
    let (first, second, across) = (load(&mut points, slot, 0), load(&mut points, slot, 8), load(&mut points, slot, 4));
    points.solve();
    assert_eq!(space(&points, first), Some(PRIVATE));
    assert_eq!(space(&points, second), Some(SHARED));
    assert_eq!(space(&points, across), None);
}

#[test]
fn an_index_keeps_fields_apart_and_no_more() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    let (pairs, words) = (points.node(), points.node());
    points.rule(Rule::Copy { to: pairs, from: slot, by: Offset::multiple(16) });
    points.rule(Rule::Copy { to: words, from: slot, by: Offset::multiple(8) });
    store(&mut points, local, pairs, 0);
    store(&mut points, shared, pairs, 8);
    let (first, either) = (load(&mut points, pairs, 0), load(&mut points, words, 0));
    points.solve();
    assert_eq!(space(&points, first), Some(PRIVATE));
    assert_eq!(space(&points, either), None);
}

#[test]
fn what_memory_holds_from_the_start_may_be_known_later() {
    let mut points = new();
    let ((global, _), (slot, table)) = (address(&mut points, GLOBAL), address(&mut points, GLOBAL));
    let (inside, local) = (points.node(), address(&mut points, PRIVATE).0);
    points.rule(Rule::Hold { object: table, at: 0, width: 8, value: inside });
    let (loaded, phi) = (load(&mut points, slot, 0), points.node());
    copy(&mut points, phi, loaded);
    copy(&mut points, phi, local);
    // The last rule, as a constant expression's may be.
    points.rule(Rule::Copy { to: inside, from: global, by: Offset::exact(4) });
    points.solve();
    assert_eq!(space(&points, loaded), Some(GLOBAL));
    assert_eq!(space(&points, phi), None);
}

#[test]
fn what_escapes_may_hold_anything() {
    let mut points = new();
    let ((local, _), (slot, object)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, local, slot, 0);
    let loaded = load(&mut points, slot, 0);
    points.escape(object);
    points.solve();
    assert_eq!(space(&points, loaded), None);
    assert_eq!(space(&points, slot), Some(PRIVATE));
}

#[test]
fn what_leaks_escapes_with_all_that_it_leads_to() {
    let mut points = new();
    let ((inner, _), (outer, _), (local, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, inner, outer, 0);
    store(&mut points, local, inner, 0);
    copy(&mut points, LEAK, outer);
    let loaded = load(&mut points, inner, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn a_host_writes_pointers_to_global_memory() {
    let mut points = new();
    let (node, object) = (points.node(), points.arguments(4));
    points.point(node, object);
    let loaded = load(&mut points, node, 0);
    let behind = load(&mut points, loaded, 0);
    points.solve();
    assert_eq!(space(&points, loaded), Some(GLOBAL));
    assert_eq!(space(&points, behind), None);
}

#[test]
fn copied_memory_holds_what_its_source_holds() {
    let mut points = new();
    let ((local, _), (from, _), (to, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, local, from, 8);
    let tail = points.node();
    points.rule(Rule::Copy { to: tail, from, by: Offset::exact(8) });
    points.rule(Rule::CopyMemory { to, from: tail });
    let (moved, before) = (load(&mut points, to, 0), load(&mut points, to, 8));
    points.solve();
    assert_eq!(space(&points, moved), Some(PRIVATE));
    assert_eq!(space(&points, before), None);
}

#[test]
fn many_objects_become_their_address_spaces() {
    let mut points = new();
    let (one, many) = (points.node(), points.node());
    let slots: Vec<_> = (0..=MOST_OBJECTS).map(|_| address(&mut points, SHARED).0).collect();
    slots.iter().for_each(|slot| copy(&mut points, many, *slot));
    store(&mut points, slots[0], slots[1], 0);
    copy(&mut points, one, slots[1]);
    let loaded = load(&mut points, one, 0);
    points.solve();
    assert_eq!(space(&points, many), Some(SHARED));
    // Others may write to each of them now.
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn many_cells_become_one() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    (0..MOST_CELLS as i64).for_each(|i| store(&mut points, local, slot, 8 * i));
    store(&mut points, shared, slot, 8 * MOST_CELLS as i64);
    let loaded = load(&mut points, slot, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn offsets_overlap_where_they_may() {
    let exact = Offset::exact;
    assert!(exact(0).overlaps(8, exact(7), 1));
    assert!(!exact(0).overlaps(8, exact(8), 1));
    assert!(exact(8).overlaps(8, exact(0), 16));
    let pairs = Offset::multiple(16);
    assert!(pairs.overlaps(8, exact(32), 8));
    assert!(!pairs.overlaps(8, exact(40), 8));
    assert!(pairs.overlaps(8, exact(-4), 8));
    assert!(Offset::ANY.overlaps(1, exact(i64::MIN), 1));
    assert!(Offset::multiple(1 << 40).overlaps(u64::MAX, exact(8), 1));
}

#[test]
fn offsets_add_up() {
    let (pairs, triples) = (Offset::multiple(16), Offset::multiple(24));
    assert_eq!(pairs.plus(triples), Offset::multiple(8));
    assert_eq!(pairs.plus(Offset::exact(20)), Offset { base: 4, stride: 16 });
    assert_eq!(Offset::exact(4).or(Offset::exact(12)), Offset { base: 4, stride: 8 });
    assert_eq!(Offset::exact(4).or(Offset::exact(4)), Offset::exact(4));
    assert_eq!(Offset::exact(i64::MAX).plus(Offset::exact(1)), Offset::exact(i64::MIN));
}
