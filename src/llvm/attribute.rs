//! Attributes and calling conventions of functions and calls.

use inkwell::llvm_sys::core::*;

use super::value::borrowed;
use super::{Function, Type, Value};

/// The index of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On the function or call.
    Function,
    /// On its result.
    Return,
    /// On the parameter or argument with this index.
    Parameter(u32),
}

/// An attribute: its name and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// An enum or integer attribute, by name, with its value (0 for an enum attribute).
    Enum(&'static str, u64),
    /// A string attribute.
    Text(String, String),
}

impl Attribute {
    /// That a function may treat subnormal numbers of `f32` as zero with their sign, but no others. LLVM 23 ignores the
    /// text of LLVM 22 where it does not read a module.
    pub fn flushing_subnormals() -> Self {
        if cfg!(feature = "llvm23") {
            // `DenormalFPEnv`: for results and for operands, two bits each, of all types and then of `f32`.
            const PRESERVE_SIGN: u64 = 1;
            return Self::Enum("denormal_fpenv", (PRESERVE_SIGN | PRESERVE_SIGN << 2) << 4);
        }
        Self::Text("denormal-fp-math-f32".to_owned(), "preserve-sign,preserve-sign".to_owned())
    }
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Place::Function => u32::MAX,
            Place::Return => 0,
            Place::Parameter(i) => i + 1,
        }
    }
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length describe `name`.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Attributes of functions and calls.
impl<'c> Value<'c> {
    /// Whether the enum or integer attribute with this name is set.
    pub fn has_attribute(self, place: Place, name: &str) -> bool {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        if self.is_function() {
            !llvm!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)).is_null()
        } else {
            !llvm!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind)).is_null()
        }
    }

    /// The value of an integer attribute, such as `align`.
    pub fn attribute_value(self, place: Place, name: &str) -> Option<u64> {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        let raw = if self.is_function() {
            llvm!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind))
        } else {
            llvm!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind))
        };
        (!raw.is_null()).then(|| llvm!(LLVMGetEnumAttributeValue(raw)))
    }

    /// The type of a type attribute, such as `sret`, of a function or a call.
    pub fn type_attribute(self, place: Place, name: &str) -> Option<Type<'c>> {
        assert!(self.is_function() || self.is_call());
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        let raw = if self.is_function() {
            llvm!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind))
        } else {
            llvm!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind))
        };
        (!raw.is_null()).then(|| Type::new(llvm!(LLVMGetTypeAttributeValue(raw))))
    }

    /// The value of a string attribute, such as `"target-cpu"`.
    pub fn text_attribute(self, place: Place, name: &str) -> Option<String> {
        let length = name.len() as u32;
        // SAFETY: LLVM owns the text for as long as the context lives, and `count` is its length.
        unsafe {
            let found = if self.is_function() {
                LLVMGetStringAttributeAtIndex(self.raw, place.index(), name.as_ptr().cast(), length)
            } else {
                LLVMGetCallSiteStringAttribute(self.raw, place.index(), name.as_ptr().cast(), length)
            };
            if found.is_null() {
                return None;
            }
            let mut count = 0;
            let raw = LLVMGetStringAttributeValue(found, &mut count);
            Some(borrowed(raw, count as usize))
        }
    }

    /// Adds an attribute to a function or a call.
    pub fn add_attribute(self, place: Place, attribute: &Attribute) {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let raw = match attribute {
            Attribute::Enum(name, value) => {
                let kind = attribute_kind(name);
                assert!(kind != 0, "LLVM knows no attribute {name}");
                llvm!(LLVMCreateEnumAttribute(context, kind, *value))
            }
            Attribute::Text(name, value) => llvm!(LLVMCreateStringAttribute(
                context,
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            )),
        };
        if self.is_function() {
            llvm!(LLVMAddAttributeAtIndex(self.raw, place.index(), raw))
        } else {
            llvm!(LLVMAddCallSiteAttribute(self.raw, place.index(), raw))
        }
    }

    /// Adds a type attribute, such as `byval(T)`, to a function's or call's parameter.
    pub fn add_type_attribute(self, place: Place, name: &str, ty: Type<'c>) {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        let raw = llvm!(LLVMCreateTypeAttribute(LLVMGetTypeContext(LLVMTypeOf(self.raw)), kind, ty.raw));
        if self.is_function() {
            llvm!(LLVMAddAttributeAtIndex(self.raw, place.index(), raw))
        } else {
            llvm!(LLVMAddCallSiteAttribute(self.raw, place.index(), raw))
        }
    }

    /// Promises that the result of this call, an integer of at most 64 bits, is below a number.
    pub fn bound_result(self, limit: u64) {
        assert!(self.is_call());
        let (kind, width) = (attribute_kind("range"), self.ty().int_width().expect("the result is an integer"));
        assert!(kind != 0 && width <= 64);
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let raw = llvm!(LLVMCreateConstantRangeAttribute(context, kind, width, &0, &limit));
        llvm!(LLVMAddCallSiteAttribute(self.raw, Place::Return.index(), raw));
    }

    /// Adds an enum attribute to the function or call itself.
    pub fn mark(self, name: &'static str) {
        self.add_attribute(Place::Function, &Attribute::Enum(name, 0));
    }

    /// Removes an enum, integer or type attribute.
    pub fn remove_attribute(self, place: Place, name: &str) {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        if self.is_function() {
            llvm!(LLVMRemoveEnumAttributeAtIndex(self.raw, place.index(), kind))
        } else {
            llvm!(LLVMRemoveCallSiteEnumAttribute(self.raw, place.index(), kind))
        }
    }

    /// Removes all string attributes of a function or call itself.
    pub fn remove_text_attributes(self) {
        // SAFETY: `all` has room for each attribute; each one is live, and `count` is the length of its text.
        unsafe {
            let index = Place::Function.index();
            let count = if self.is_function() {
                LLVMGetAttributeCountAtIndex(self.raw, index)
            } else {
                LLVMGetCallSiteAttributeCount(self.raw, index)
            };
            let mut all = vec![std::ptr::null_mut(); count as usize];
            if self.is_function() {
                LLVMGetAttributesAtIndex(self.raw, index, all.as_mut_ptr())
            } else {
                LLVMGetCallSiteAttributes(self.raw, index, all.as_mut_ptr())
            }
            for each in all {
                if LLVMIsStringAttribute(each) == 0 {
                    continue;
                }
                let mut length = 0;
                let name = LLVMGetStringAttributeKind(each, &mut length);
                if self.is_function() {
                    LLVMRemoveStringAttributeAtIndex(self.raw, index, name, length)
                } else {
                    LLVMRemoveCallSiteStringAttribute(self.raw, index, name, length)
                }
            }
        }
    }

    /// The calling convention's number (`llvm/IR/CallingConv.h`).
    pub fn calling_convention(self) -> u32 {
        if self.is_function() {
            llvm!(LLVMGetFunctionCallConv(self.raw))
        } else {
            llvm!(LLVMGetInstructionCallConv(self.raw))
        }
    }

    /// Sets the calling convention of a function or a call.
    pub fn set_calling_convention(self, number: u32) {
        if self.is_function() {
            llvm!(LLVMSetFunctionCallConv(self.raw, number))
        } else {
            llvm!(LLVMSetInstructionCallConv(self.raw, number))
        }
    }
}

impl<'c> Function<'c> {
    /// Copies another function's attributes with these `names` to this function, from one index to another.
    pub fn copy_attributes(self, to: Place, other: Function<'c>, from: Place, names: &[&str]) {
        for name in names {
            let kind = attribute_kind(name);
            assert!(kind != 0, "LLVM knows no attribute {name}");
            let found = llvm!(LLVMGetEnumAttributeAtIndex(other.raw, from.index(), kind));
            if !found.is_null() {
                llvm!(LLVMAddAttributeAtIndex(self.raw, to.index(), found));
            }
        }
    }
}
