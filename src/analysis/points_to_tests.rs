//! Tests of [`super`] with constraints written by hand: no IR is needed to describe the flow of pointers.

use super::*;

const GENERIC: u32 = 0;
const GLOBAL: u32 = 1;
const SHARED: u32 = 3;
const PRIVATE: u32 = 5;

fn new() -> PointsTo {
    PointsTo::new(GENERIC, GLOBAL)
}

/// A node with the address of a new object, and the object.
fn address(points: &mut PointsTo, space: u32) -> (Node, ObjectId) {
    let (node, object) = (points.node(), points.memory(space));
    points.point(node, object);
    (node, object)
}

fn copy(points: &mut PointsTo, to: Node, from: Node) {
    points.constrain(Constraint::Copy { to, from, by: Offset::exact(0) });
}

fn store(points: &mut PointsTo, value: Node, address: Node, at: i64) {
    points.constrain(Constraint::Store { value, address, at, width: 8 });
}

fn load(points: &mut PointsTo, address: Node, at: i64) -> Node {
    let to = points.node();
    points.constrain(Constraint::Load { to, address, at, width: 8 });
    to
}

/// The address space of a node, if null is 0 only in one space, as in global memory.
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
fn a_node_without_constraints_may_lead_anywhere() {
    let mut points = new();
    let (local, _) = address(&mut points, PRIVATE);
    let (unconstrained, phi) = (points.node(), points.node());
    copy(&mut points, phi, local);
    copy(&mut points, phi, unconstrained);
    points.solve();
    assert_eq!(space(&points, unconstrained), None);
    assert_eq!(space(&points, phi), None);
}

#[test]
fn anything_spreads_through_memory() {
    let mut points = new();
    let ((local, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let unconstrained = points.node();
    store(&mut points, local, slot, 0);
    store(&mut points, unconstrained, slot, 0);
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
fn fields_of_memory_are_distinct() {
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
fn an_unknown_index_keeps_the_fields_of_one_element_distinct() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    let (pairs, words) = (points.node(), points.node());
    points.constrain(Constraint::Copy { to: pairs, from: slot, by: Offset::multiple(16) });
    points.constrain(Constraint::Copy { to: words, from: slot, by: Offset::multiple(8) });
    store(&mut points, local, pairs, 0);
    store(&mut points, shared, pairs, 8);
    let (first, either) = (load(&mut points, pairs, 0), load(&mut points, words, 0));
    points.solve();
    assert_eq!(space(&points, first), Some(PRIVATE));
    assert_eq!(space(&points, either), None);
}

#[test]
fn an_initializer_may_be_constrained_later() {
    let mut points = new();
    let ((global, _), (slot, table)) = (address(&mut points, GLOBAL), address(&mut points, GLOBAL));
    let (inside, local) = (points.node(), address(&mut points, PRIVATE).0);
    points.constrain(Constraint::Initialize { object: table, at: 8, width: 8, value: inside });
    points.constrain(Constraint::Initialize { object: table, at: 0, width: 8, value: NUMBER });
    let (loaded, phi) = (load(&mut points, slot, 8), points.node());
    copy(&mut points, phi, loaded);
    copy(&mut points, phi, local);
    // The last constraint, as that of a constant expression may be.
    points.constrain(Constraint::Copy { to: inside, from: global, by: Offset::exact(4) });
    points.solve();
    assert_eq!(space(&points, loaded), Some(GLOBAL));
    assert_eq!(space(&points, phi), None);
}

#[test]
fn an_escaped_object_may_hold_anything() {
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
fn a_leaked_object_escapes_with_all_that_it_leads_to() {
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
    let beyond = load(&mut points, loaded, 0);
    points.solve();
    assert_eq!(space(&points, loaded), Some(GLOBAL));
    assert_eq!(space(&points, beyond), None);
}

#[test]
fn copied_memory_holds_what_its_source_holds() {
    let mut points = new();
    let ((local, _), (from, _), (to, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, local, from, 8);
    let tail = points.node();
    points.constrain(Constraint::Copy { to: tail, from, by: Offset::exact(8) });
    points.constrain(Constraint::CopyMemory { to, from: tail });
    let (moved, before) = (load(&mut points, to, 0), load(&mut points, to, 8));
    points.solve();
    assert_eq!(space(&points, moved), Some(PRIVATE));
    assert_eq!(space(&points, before), None);
}

#[test]
fn memory_can_be_copied_into_the_middle_of_an_object() {
    let mut points = new();
    let ((local, _), (from, _), (to, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, local, from, 0);
    let middle = points.node();
    points.constrain(Constraint::Copy { to: middle, from: to, by: Offset::exact(16) });
    points.constrain(Constraint::CopyMemory { to: middle, from });
    let (before, moved) = (load(&mut points, to, 0), load(&mut points, to, 16));
    points.solve();
    assert_eq!(space(&points, before), None);
    assert_eq!(space(&points, moved), Some(PRIVATE));
}

#[test]
fn a_pointer_may_lead_to_several_places_of_one_object() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    store(&mut points, local, slot, 0);
    store(&mut points, shared, slot, 8);
    let (second, either) = (points.node(), points.node());
    points.constrain(Constraint::Copy { to: second, from: slot, by: Offset::exact(8) });
    copy(&mut points, either, slot);
    copy(&mut points, either, second);
    let loaded = load(&mut points, either, 0);
    points.solve();
    assert_eq!(space(&points, either), Some(PRIVATE));
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn a_wide_value_is_found_behind_a_narrow_one() {
    let mut points = new();
    let ((local, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    points.constrain(Constraint::Store { value: NUMBER, address: slot, at: 0, width: 1 });
    points.constrain(Constraint::Store { value: local, address: slot, at: 0, width: 16 });
    let (wide, past) = (load(&mut points, slot, 8), load(&mut points, slot, 16));
    points.solve();
    assert_eq!(space(&points, wide), Some(PRIVATE));
    assert_eq!(space(&points, past), None);
}

#[test]
fn named_nodes_stay_what_they_are() {
    let mut points = new();
    let (local, _) = address(&mut points, PRIVATE);
    [ANYTHING, NUMBER, UNDEFINED].into_iter().for_each(|named| copy(&mut points, named, local));
    let (number, undefined) = (points.node(), points.node());
    copy(&mut points, number, NUMBER);
    copy(&mut points, undefined, UNDEFINED);
    points.solve();
    assert_eq!([number, undefined].map(|node| points.space(node, |_| true)), [None, None]);
}

#[test]
fn a_pointer_stored_in_unknown_memory_escapes() {
    let mut points = new();
    let ((inner, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, inner, slot, 0);
    store(&mut points, slot, ANYTHING, 0);
    let loaded = load(&mut points, slot, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
    assert_eq!(space(&points, slot), Some(PRIVATE));
}

#[test]
fn a_pointer_that_the_host_can_read_escapes() {
    let mut points = new();
    let ((inner, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let (arguments, object) = (points.node(), points.arguments(4));
    points.point(arguments, object);
    store(&mut points, inner, slot, 0);
    store(&mut points, slot, arguments, 0);
    let loaded = load(&mut points, slot, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn memory_copied_from_outside_holds_what_outside_memory_holds() {
    let mut points = new();
    let ((from_host, _), (from_unknown, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let (arguments, object) = (points.node(), points.arguments(4));
    points.point(arguments, object);
    points.constrain(Constraint::CopyMemory { to: from_host, from: arguments });
    points.constrain(Constraint::CopyMemory { to: from_unknown, from: ANYTHING });
    let (host, unknown) = (load(&mut points, from_host, 24), load(&mut points, from_unknown, 24));
    points.solve();
    assert_eq!(space(&points, host), Some(GLOBAL));
    assert_eq!(space(&points, unknown), None);
}

#[test]
fn memory_copied_to_outside_escapes() {
    let mut points = new();
    let ((inner, _), (slot, _), (local, _)) =
        (address(&mut points, PRIVATE), address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    store(&mut points, local, inner, 0);
    store(&mut points, inner, slot, 0);
    points.constrain(Constraint::CopyMemory { to: ANYTHING, from: slot });
    let (kept, written) = (load(&mut points, slot, 0), load(&mut points, inner, 0));
    points.solve();
    assert_eq!(space(&points, kept), Some(PRIVATE));
    assert_eq!(space(&points, written), None);
}

#[test]
fn null_has_no_contents() {
    let mut points = new();
    let ((local, _), (slot, _)) = (address(&mut points, PRIVATE), address(&mut points, PRIVATE));
    let maybe = points.node();
    copy(&mut points, maybe, slot);
    copy(&mut points, maybe, NUMBER);
    store(&mut points, local, slot, 0);
    let loaded = load(&mut points, maybe, 0);
    points.solve();
    assert_eq!(space(&points, loaded), Some(PRIVATE));
}

#[test]
fn unknown_memory_has_its_address_space() {
    let mut points = new();
    let nodes = [SHARED, SHARED, GENERIC].map(|space| {
        let (node, object) = (points.node(), points.any_in(space));
        points.point(node, object);
        node
    });
    let loaded = load(&mut points, nodes[0], 0);
    points.solve();
    assert_eq!(nodes.map(|node| space(&points, node)), [Some(SHARED), Some(SHARED), None]);
    assert_eq!(points.any_in(SHARED), points.any_in(SHARED));
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn many_objects_become_their_address_spaces() {
    let mut points = new();
    let (one, many) = (points.node(), points.node());
    let slots: Vec<_> = (0..=MAX_OBJECTS).map(|_| address(&mut points, SHARED).0).collect();
    slots.iter().for_each(|slot| copy(&mut points, many, *slot));
    store(&mut points, slots[0], slots[1], 0);
    copy(&mut points, one, slots[1]);
    let loaded = load(&mut points, one, 0);
    points.solve();
    assert_eq!(space(&points, many), Some(SHARED));
    // Unknown code may write to each of them.
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn a_collapsed_set_keeps_every_address_space_and_null() {
    let mut points = new();
    let (global, mixed) = (points.node(), points.node());
    copy(&mut points, global, NUMBER);
    for _ in 0..=MAX_OBJECTS {
        let slot = address(&mut points, GLOBAL).0;
        copy(&mut points, global, slot);
        copy(&mut points, mixed, slot);
    }
    let (local, (shared, _)) = (points.node(), address(&mut points, SHARED));
    copy(&mut points, mixed, shared);
    copy(&mut points, local, global);
    points.solve();
    // Null in global memory is null everywhere.
    assert_eq!(points.space(local, |_| true), Some(GLOBAL));
    assert_eq!(points.space(local, |_| false), None);
    assert_eq!(space(&points, mixed), None);
}

#[test]
fn an_object_added_to_a_collapsed_set_is_written_through_it() {
    let mut points = new();
    let ((local, _), (shared, _), (added, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, SHARED));
    let many = points.node();
    for _ in 0..=MAX_OBJECTS {
        let slot = address(&mut points, SHARED).0;
        copy(&mut points, many, slot);
    }
    copy(&mut points, many, added);
    store(&mut points, local, added, 0);
    store(&mut points, shared, many, 0);
    let loaded = load(&mut points, added, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn a_larger_offset_alone_is_propagated() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    store(&mut points, local, slot, 0);
    store(&mut points, shared, slot, 8);
    // `cursor` and `next` are a loop. In this order, the second offset comes a round after the last new object.
    let (seen, cursor, next, last) = (points.node(), points.node(), points.node(), points.node());
    let loaded = load(&mut points, seen, 0);
    copy(&mut points, seen, cursor);
    copy(&mut points, cursor, next);
    points.constrain(Constraint::Copy { to: next, from: last, by: Offset::exact(8) });
    copy(&mut points, last, cursor);
    copy(&mut points, cursor, slot);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn a_collapsed_set_ends_the_solution() {
    // Each round of the loop adds an offset to the pointer, and an object to the set.
    let mut points = new();
    let (cursor, next) = (points.node(), points.node());
    let slots: Vec<_> = (0..4 * MAX_OBJECTS).map(|_| address(&mut points, SHARED).0).collect();
    for slot in &slots {
        copy(&mut points, cursor, *slot);
        store(&mut points, cursor, *slot, 0);
    }
    points.constrain(Constraint::Copy { to: next, from: cursor, by: Offset::exact(8) });
    copy(&mut points, cursor, next);
    let loaded = load(&mut points, cursor, 0);
    points.solve();
    assert_eq!(space(&points, cursor), Some(SHARED));
    assert_eq!(space(&points, loaded), None);
}

#[test]
fn many_cells_become_one() {
    let mut points = new();
    let ((local, _), (shared, _), (slot, _)) =
        (address(&mut points, PRIVATE), address(&mut points, SHARED), address(&mut points, PRIVATE));
    (0..MAX_CELLS as i64).for_each(|i| store(&mut points, local, slot, 8 * i));
    store(&mut points, shared, slot, 8 * MAX_CELLS as i64);
    let loaded = load(&mut points, slot, 0);
    points.solve();
    assert_eq!(space(&points, loaded), None);
}
