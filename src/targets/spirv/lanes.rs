//! Whether SPIR-V code contains subgroup operations. The runtime must know this before it loads Intel's OpenCL for
//! CPUs, which has subgroups only if it vectorises over threads.

/// The number of words before the first instruction.
const HEADER_WORDS: usize = 5;
/// `OpCapability`, `OpDecorate`.
const CAPABILITY: u32 = 17;
const DECORATE: u32 = 71;
/// `Groups`, and everything from `GroupNonUniform` to `GroupNonUniformQuad`.
const GROUPS: u32 = 18;
const NON_UNIFORM: std::ops::RangeInclusive<u32> = 61..=68;
/// The decoration `BuiltIn`, and the built-in variables from `SubgroupSize` to `SubgroupLocalInvocationId`.
const BUILT_IN: u32 = 11;
const SUBGROUP: std::ops::RangeInclusive<u32> = 36..=41;

/// Whether SPIR-V, in this machine's byte order, contains instructions or variables of subgroups.
pub(super) fn uses_lanes(code: &[u8]) -> bool {
    let words: Vec<u32> = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some((instruction, next)) = rest.split_at_checked(length).filter(|_| length > 0) else { return false };
        match (first & 0xffff, &instruction[1..]) {
            (CAPABILITY, [capability]) if *capability == GROUPS || NON_UNIFORM.contains(capability) => return true,
            (DECORATE, [_, BUILT_IN, variable]) if SUBGROUP.contains(variable) => return true,
            _ => rest = next,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::uses_lanes;

    fn code(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x0001_0200, 0, 10, 0];
        for instruction in instructions {
            words.push(instruction[0] | ((instruction.len() as u32) << 16));
            words.extend(&instruction[1..]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn instructions_and_variables_of_subgroups_count() {
        let kernel = &[17, 6][..];
        assert!(!uses_lanes(&code(&[kernel, &[71, 1, 11, 27]])));
        assert!(uses_lanes(&code(&[kernel, &[17, 18]])));
        assert!(uses_lanes(&code(&[kernel, &[17, 65]])));
        assert!(uses_lanes(&code(&[kernel, &[71, 1, 11, 41]])));
    }

    #[test]
    fn what_is_no_spirv_has_none() {
        assert!(!uses_lanes(&[]));
        assert!(!uses_lanes(&[0; 64]));
        assert!(!uses_lanes(&code(&[&[17, 6]])[..26]));
    }
}
