//! Values for which the code of a kernel is compiled: bytes of its arguments, and the size of the block.

use std::str::FromStr;

/// Where bytes of the arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentPlace {
    /// The parameter with this number in the kernel's table, from 0; in a block kernel the scalar with this number.
    Parameter(usize),
    /// At this offset in the packed argument buffer.
    Offset(u32),
}

/// A value that all launches have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Specialized {
    /// Bytes of the arguments.
    Bytes(ArgumentPlace, Vec<u8>),
    /// The size of the block.
    BlockDim([u32; 3]),
}

/// A value and its kernel: `KERNEL:PARAMETER=HEXBYTES` or `KERNEL:block_dim=X,Y,Z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// The name of the kernel in the images.
    pub kernel: String,
    /// The value.
    pub value: Specialized,
}

/// Which constant of `late_const!` is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LatePlace {
    /// The one with this path, such as `app::TILE`.
    Path(String),
    /// The one that the kernel with this name in the images writes. The runtime has no paths, and two versions of a
    /// crate may have constants of the same path.
    Writer(String),
}

/// The value of a constant that the program has set: `PATH=HEXBYTES` or `@KERNEL=HEXBYTES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateConstant {
    /// The constant.
    pub place: LatePlace,
    /// The value.
    pub bytes: Vec<u8>,
}

impl FromStr for LateConstant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "it is `PATH=HEXBYTES` or `@KERNEL=HEXBYTES`";
        let (name, value) = text.rsplit_once('=').filter(|(name, _)| !["", "@"].contains(name)).ok_or(form)?;
        let place = match name.strip_prefix('@') {
            Some(kernel) => LatePlace::Writer(kernel.to_owned()),
            None => LatePlace::Path(name.to_owned()),
        };
        Ok(Self { place, bytes: bytes(value)? })
    }
}

/// The values for which kernels of a slice are compiled.
#[derive(Clone, Debug, Default)]
pub struct SpecializeOptions {
    /// The values of parameters.
    pub values: Vec<Specialization>,
    /// The values of constants that the program sets.
    pub constants: Vec<LateConstant>,
    /// Whether all other constants have their initial values.
    pub others_initial: bool,
    /// Whether the kernels without values are left out.
    pub only: bool,
    /// The kernels that are not left out; all if there are none.
    pub kernels: Vec<String>,
}

impl SpecializeOptions {
    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.has_constants() && self.kernels.is_empty()
    }

    /// Whether the kernel with this name is not left out.
    pub fn keeps(&self, kernel: &str) -> bool {
        (!self.only || self.names(kernel)) && (self.kernels.is_empty() || self.kernels.iter().any(|one| one == kernel))
    }

    /// Whether constants that the program sets have values.
    pub fn has_constants(&self) -> bool {
        self.others_initial || !self.constants.is_empty()
    }

    /// Whether there is a value for the kernel with this name.
    pub fn names(&self, kernel: &str) -> bool {
        self.values.iter().any(|one| one.kernel == kernel)
    }
}

/// The most threads in a block on every device.
const MOST_THREADS: u64 = 1024;

impl FromStr for Specialization {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "it is `KERNEL:PARAMETER=HEXBYTES` or `KERNEL:block_dim=X,Y,Z`";
        let (place, value) = text.rsplit_once('=').ok_or(form)?;
        let (kernel, place) = place.rsplit_once(':').filter(|(kernel, _)| !kernel.is_empty()).ok_or(form)?;
        let number = |text: &str| text.parse::<u32>().ok();
        let value = match (place, place.strip_prefix('@')) {
            ("block_dim", _) => Specialized::BlockDim(block_dim(value)?),
            (_, Some(offset)) => {
                let offset = number(offset).ok_or("the offset of bytes is a number, such as `@8`")?;
                Specialized::Bytes(ArgumentPlace::Offset(offset), bytes(value)?)
            }
            _ => {
                let parameter = number(place).ok_or("a parameter is a number from 0, `@OFFSET` or `block_dim`")?;
                Specialized::Bytes(ArgumentPlace::Parameter(parameter as usize), bytes(value)?)
            }
        };
        Ok(Self { kernel: kernel.to_owned(), value })
    }
}

fn block_dim(text: &str) -> Result<[u32; 3], String> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
    let size = numbers.and_then(|numbers| <[u32; 3]>::try_from(numbers).ok());
    let threads =
        |size: &[u32; 3]| size.iter().fold(1, |product: u64, number| product.saturating_mul((*number).into()));
    let size = size.filter(|size| (1..=MOST_THREADS).contains(&threads(size)));
    size.ok_or_else(|| format!("the size of a block is three numbers, of 1 to {MOST_THREADS} threads: `16,16,1`"))
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| !digits.is_empty() && digits.len().is_multiple_of(2));
    let digits =
        digits.ok_or("the bytes of a value are pairs of hexadecimal digits, the lowest byte first: `10000000`")?;
    Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Specialized, String> {
        text.parse::<Specialization>().map(|all| all.value)
    }

    #[test]
    fn values_have_a_kernel_and_a_place() {
        let one: Specialization = "app::smooth:2=0a00ff".parse().unwrap();
        assert_eq!(one.kernel, "app::smooth");
        assert_eq!(one.value, Specialized::Bytes(ArgumentPlace::Parameter(2), vec![10, 0, 255]));
        assert_eq!(parsed("k:@16=01"), Ok(Specialized::Bytes(ArgumentPlace::Offset(16), vec![1])));
        assert_eq!(parsed("k:block_dim=16,8,1"), Ok(Specialized::BlockDim([16, 8, 1])));
        for wrong in ["", "k", "k=00", ":0=00", "k:x=00", "k:0=", "k:0=0", "k:0=0g", "k:@=00", "k:-1=00"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        let late = |text: &str| text.parse::<LateConstant>().map(|late| late.place);
        assert_eq!(late("app::TILE=20"), Ok(LatePlace::Path("app::TILE".to_owned())));
        assert_eq!(late("@set=20"), Ok(LatePlace::Writer("set".to_owned())));
        assert!(["=20", "@=20", "@set=2", "@set"].into_iter().all(|wrong| late(wrong).is_err()));
        for wrong in ["0,1,1", "1025,1,1", "16,16", "16,16,1,1", "4294967295,4294967295,4294967295", "a,1,1"] {
            assert!(parsed(&format!("k:block_dim={wrong}")).is_err(), "{wrong}");
        }
    }
}
