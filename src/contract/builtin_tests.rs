//! Tests of the table of builtins.

use super::*;

#[test]
fn each_builtin_has_one_row() {
    for (at, builtin) in BUILTINS.iter().enumerate() {
        let others = || BUILTINS[at + 1..].iter();
        assert!(others().all(|other| other.name != builtin.name && other.id != builtin.id), "{}", builtin.name);
    }
    let scopes = [FenceScope::Block, FenceScope::Device, FenceScope::System].map(DeviceBuiltin::Fence);
    let modes = [ShuffleMode::Index, ShuffleMode::Xor, ShuffleMode::Up, ShuffleMode::Down];
    let positions = [DeviceBuiltin::ThreadId, DeviceBuiltin::BlockId, DeviceBuiltin::BlockDim, DeviceBuiltin::GridDim];
    let positions = positions.iter().flat_map(|of| Axis::ALL.map(of));
    let lanes = [Participants::Active, Participants::Masked].into_iter().flat_map(|lanes| {
        let others = [LaneOperation::Ballot(lanes), LaneOperation::Any(lanes), LaneOperation::All(lanes)];
        modes.map(|mode| LaneOperation::Shuffle(mode, lanes)).into_iter().chain(others)
    });
    let lanes: Vec<_> = lanes.chain([LaneOperation::ActiveMask, LaneOperation::SyncWarp]).collect();
    for operation in &lanes {
        assert_eq!(operation.builtin().lane_operation(), Some(*operation));
        assert_eq!(operation.builtin().parameters.first() == Some(&Scalar::U64), operation.is_masked());
        let masked = operation.masked().map(LaneOperation::is_masked);
        assert_eq!(masked, (*operation != LaneOperation::ActiveMask).then_some(true));
    }
    let single = [DeviceBuiltin::LaneId, DeviceBuiltin::LaneCount, DeviceBuiltin::SyncThreads];
    let others =
        single.into_iter().chain(scopes).chain([DeviceBuiltin::DynamicShared, DeviceBuiltin::DynamicSharedSize]);
    let lanes = lanes.into_iter().map(DeviceBuiltin::Lanes);
    let all: Vec<_> = positions.chain(others).chain(lanes).map(DeviceBuiltin::symbol).collect();
    assert_eq!(BUILTINS.iter().filter(|b| matches!(b.id, BuiltinId::Device(_))).count(), all.len());
}
