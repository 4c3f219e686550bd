//! Pools of memory, from which a program allocates in the order of a stream. A device has a default one. Memory goes
//! back to the system at once, whatever the pool should keep.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};

use super::driver::Driver;
use super::{DevicePointer, Handle, INVALID_VALUE, OUT_OF_MEMORY, Outcome, Status, call, in_context, put};
use emulator_core::Kind;

/// Handles of default pools: one for each device.
const DEFAULT_POOLS: Handle = 0x200;

/// `CUmemPool_attribute`: the first three are of 32 bits, and decide which memory is used again.
const LAST_REUSE: c_int = 3;
/// How many bytes the pool keeps when the host waits.
const RELEASE_THRESHOLD: c_int = 4;
/// The bytes that the pool has from the system, and the most that it had; then those that a program has from the pool.
const RESERVED: c_int = 5;
const RESERVED_HIGH: c_int = 6;
const USED: c_int = 7;
const USED_HIGH: c_int = 8;

/// All pools.
#[derive(Default)]
pub(super) struct Pools {
    /// Those that were used or made.
    pools: HashMap<Handle, Pool>,
    /// The pool of each device whose default pool was replaced.
    current: HashMap<usize, Handle>,
    /// The pool and the size of each allocation.
    allocations: HashMap<u64, (Handle, u64)>,
}

#[derive(Default)]
struct Pool {
    /// The attributes that were set.
    set: HashMap<c_int, u64>,
    used: u64,
    most: u64,
}

impl Pools {
    fn of_device(&self, device: usize) -> Handle {
        self.current.get(&device).copied().unwrap_or(DEFAULT_POOLS + device)
    }

    fn pool(&mut self, handle: Handle, devices: usize) -> Outcome<&mut Pool> {
        let is_default = (DEFAULT_POOLS..DEFAULT_POOLS + devices).contains(&handle);
        match self.pools.entry(handle) {
            std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
            std::collections::hash_map::Entry::Vacant(entry) if is_default => Ok(entry.insert(Pool::default())),
            std::collections::hash_map::Entry::Vacant(_) => Err(INVALID_VALUE),
        }
    }

    /// An allocation has ended.
    pub(super) fn forget(&mut self, address: u64) {
        if let Some((pool, size)) = self.allocations.remove(&address)
            && let Some(pool) = self.pools.get_mut(&pool)
        {
            pool.used -= size;
        }
    }
}

/// Allocates memory of a pool; of the current device's if it is null.
pub(super) fn allocate(driver: &mut Driver, device: usize, pool: Handle, size: usize) -> Outcome<u64> {
    let handle = if pool == 0 { driver.pools.of_device(device) } else { pool };
    let devices = driver.devices.len();
    driver.pools.pool(handle, devices)?;
    if size == 0 {
        return Err(INVALID_VALUE);
    }
    let address = driver.memory.allocate(size, Kind::Device, "").ok_or(OUT_OF_MEMORY)?;
    let pool = driver.pools.pool(handle, devices)?;
    pool.used += size as u64;
    pool.most = pool.most.max(pool.used);
    driver.pools.allocations.insert(address, (handle, size as u64));
    Ok(address)
}

/// The default pool of a device.
///
/// # Safety
///
/// `pool` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) -> Status {
    call(|driver| {
        let handle = DEFAULT_POOLS + driver.device(device)?;
        // SAFETY: the caller's.
        unsafe { put(pool, handle) }
    })
}

/// The pool that a device uses.
///
/// # Safety
///
/// `pool` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetMemPool(pool: *mut Handle, device: c_int) -> Status {
    call(|driver| {
        let handle = driver.pools.of_device(driver.device(device)?);
        // SAFETY: the caller's.
        unsafe { put(pool, handle) }
    })
}

/// Another pool for a device.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceSetMemPool(device: c_int, pool: Handle) -> Status {
    call(|driver| {
        let (device, devices) = (driver.device(device)?, driver.devices.len());
        driver.pools.pool(pool, devices)?;
        driver.pools.current.insert(device, pool);
        Ok(())
    })
}

/// A new pool. Its properties name a device, which is of no consequence: all devices have the same memory.
///
/// # Safety
///
/// `pool` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolCreate(pool: *mut Handle, properties: *const c_void) -> Status {
    call(|driver| {
        if properties.is_null() {
            return Err(INVALID_VALUE);
        }
        let handle = driver.handle();
        // SAFETY: the caller's.
        unsafe { put(pool, handle) }?;
        driver.pools.pools.insert(handle, Pool::default());
        Ok(())
    })
}

/// The end of a pool. Its memory stays until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolDestroy(pool: Handle) -> Status {
    call(|driver| {
        driver.pools.pools.remove(&pool).ok_or(INVALID_VALUE)?;
        driver.pools.current.retain(|_, current| *current != pool);
        Ok(())
    })
}

/// Gives memory back that the pool keeps: it keeps none.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolTrimTo(pool: Handle, _bytes: usize) -> Status {
    call(|driver| {
        let devices = driver.devices.len();
        driver.pools.pool(pool, devices).map(drop)
    })
}

/// Sets an attribute. Those about memory that had been used at most can only be reset.
///
/// # Safety
///
/// `value` is null or has the size of the attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolSetAttribute(pool: Handle, which: c_int, value: *const c_void) -> Status {
    call(|driver| {
        let devices = driver.devices.len();
        let pool = driver.pools.pool(pool, devices)?;
        if value.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's; the sizes are those of the reference.
        let number = match which {
            1..=LAST_REUSE => u64::from(unsafe { value.cast::<u32>().read_unaligned() }),
            _ => unsafe { value.cast::<u64>().read_unaligned() },
        };
        match which {
            1..=RELEASE_THRESHOLD => drop(pool.set.insert(which, number)),
            RESERVED_HIGH | USED_HIGH if number == 0 => pool.most = pool.used,
            _ => return Err(INVALID_VALUE),
        }
        Ok(())
    })
}

/// An attribute.
///
/// # Safety
///
/// `value` is null or has room for the attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolGetAttribute(pool: Handle, which: c_int, value: *mut c_void) -> Status {
    call(|driver| {
        let devices = driver.devices.len();
        let pool = driver.pools.pool(pool, devices)?;
        let number = match which {
            1..=LAST_REUSE => pool.set.get(&which).copied().unwrap_or(1),
            RELEASE_THRESHOLD => pool.set.get(&which).copied().unwrap_or(0),
            RESERVED | USED => pool.used,
            RESERVED_HIGH | USED_HIGH => pool.most,
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: the caller's; the sizes are those of the reference.
        unsafe {
            match which {
                1..=LAST_REUSE => put(value.cast(), number as u32),
                _ => put(value.cast(), number),
            }
        }
    })
}

/// Allocates memory of a pool in the order of a stream.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync(
    address: *mut DevicePointer,
    size: usize,
    pool: Handle,
    _stream: Handle,
) -> Status {
    in_context(|driver, device| {
        if pool == 0 {
            return Err(INVALID_VALUE);
        }
        let found = allocate(driver, device, pool, size)?;
        // SAFETY: the caller's.
        unsafe { put(address, found) }
    })
}
