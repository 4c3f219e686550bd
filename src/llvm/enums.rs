//! LLVM's enumerations, under names without prefixes.
//!
//! The rest of offloadc uses only these, so if a version of LLVM changes an enumeration, only this file changes.

use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind,
    LLVMValueKind,
};

/// Defines an enumeration with the members of one of llvm-sys, and the conversions.
macro_rules! enumeration {
    (
        $(#[$doc:meta])* $name:ident of $theirs:ident { $($(#[$when:meta])* $ours:ident = $raw:ident),* $(,)? }
        $(also $($(#[$and_when:meta])* $and_raw:ident => $and_ours:ident),*)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$when])* #[doc = concat!("`", stringify!($raw), "` of LLVM's C API.")] $ours),*
        }

        impl From<$theirs> for $name {
            fn from(theirs: $theirs) -> Self {
                match theirs {
                    $($(#[$when])* $theirs::$raw => Self::$ours,)*
                    $($($(#[$and_when])* $theirs::$and_raw => Self::$and_ours,)*)?
                }
            }
        }

        impl From<$name> for $theirs {
            fn from(ours: $name) -> Self {
                match ours { $($(#[$when])* $name::$ours => $theirs::$raw),* }
            }
        }
    };
}

enumeration! {
    /// The kinds of instructions, and of constant expressions.
    Opcode of LLVMOpcode {
        Ret = LLVMRet,
        #[cfg(feature = "llvm22")]
        Br = LLVMBr,
        #[cfg(feature = "llvm23")]
        Br = LLVMUncondBr,
        Switch = LLVMSwitch,
        IndirectBr = LLVMIndirectBr,
        Invoke = LLVMInvoke,
        Unreachable = LLVMUnreachable,
        CallBr = LLVMCallBr,
        FNeg = LLVMFNeg,
        Add = LLVMAdd,
        FAdd = LLVMFAdd,
        Sub = LLVMSub,
        FSub = LLVMFSub,
        Mul = LLVMMul,
        FMul = LLVMFMul,
        UDiv = LLVMUDiv,
        SDiv = LLVMSDiv,
        FDiv = LLVMFDiv,
        URem = LLVMURem,
        SRem = LLVMSRem,
        FRem = LLVMFRem,
        Shl = LLVMShl,
        LShr = LLVMLShr,
        AShr = LLVMAShr,
        And = LLVMAnd,
        Or = LLVMOr,
        Xor = LLVMXor,
        Alloca = LLVMAlloca,
        Load = LLVMLoad,
        Store = LLVMStore,
        GetElementPtr = LLVMGetElementPtr,
        Trunc = LLVMTrunc,
        ZExt = LLVMZExt,
        SExt = LLVMSExt,
        FPToUI = LLVMFPToUI,
        FPToSI = LLVMFPToSI,
        UIToFP = LLVMUIToFP,
        SIToFP = LLVMSIToFP,
        FPTrunc = LLVMFPTrunc,
        FPExt = LLVMFPExt,
        PtrToInt = LLVMPtrToInt,
        PtrToAddr = LLVMPtrToAddr,
        IntToPtr = LLVMIntToPtr,
        BitCast = LLVMBitCast,
        AddrSpaceCast = LLVMAddrSpaceCast,
        ICmp = LLVMICmp,
        FCmp = LLVMFCmp,
        Phi = LLVMPHI,
        Call = LLVMCall,
        Select = LLVMSelect,
        UserOp1 = LLVMUserOp1,
        UserOp2 = LLVMUserOp2,
        VAArg = LLVMVAArg,
        ExtractElement = LLVMExtractElement,
        InsertElement = LLVMInsertElement,
        ShuffleVector = LLVMShuffleVector,
        ExtractValue = LLVMExtractValue,
        InsertValue = LLVMInsertValue,
        Freeze = LLVMFreeze,
        Fence = LLVMFence,
        AtomicCmpXchg = LLVMAtomicCmpXchg,
        AtomicRMW = LLVMAtomicRMW,
        Resume = LLVMResume,
        LandingPad = LLVMLandingPad,
        CleanupRet = LLVMCleanupRet,
        CatchRet = LLVMCatchRet,
        CatchPad = LLVMCatchPad,
        CleanupPad = LLVMCleanupPad,
        CatchSwitch = LLVMCatchSwitch,
    }
    also #[cfg(feature = "llvm23")] LLVMCondBr => Br
}

enumeration! {
    /// The kinds of types.
    TypeKind of LLVMTypeKind {
        Void = LLVMVoidTypeKind,
        Half = LLVMHalfTypeKind,
        Float = LLVMFloatTypeKind,
        Double = LLVMDoubleTypeKind,
        X86Fp80 = LLVMX86_FP80TypeKind,
        FP128 = LLVMFP128TypeKind,
        PpcFp128 = LLVMPPC_FP128TypeKind,
        Label = LLVMLabelTypeKind,
        Integer = LLVMIntegerTypeKind,
        Function = LLVMFunctionTypeKind,
        Struct = LLVMStructTypeKind,
        Array = LLVMArrayTypeKind,
        Pointer = LLVMPointerTypeKind,
        Vector = LLVMVectorTypeKind,
        Metadata = LLVMMetadataTypeKind,
        Token = LLVMTokenTypeKind,
        ScalableVector = LLVMScalableVectorTypeKind,
        BFloat = LLVMBFloatTypeKind,
        X86Amx = LLVMX86_AMXTypeKind,
        TargetExt = LLVMTargetExtTypeKind,
        #[cfg(feature = "llvm23")]
        Byte = LLVMByteTypeKind,
    }
}

enumeration! {
    /// The linkages of functions and variables.
    Linkage of LLVMLinkage {
        External = LLVMExternalLinkage,
        AvailableExternally = LLVMAvailableExternallyLinkage,
        LinkOnceAny = LLVMLinkOnceAnyLinkage,
        LinkOnceODR = LLVMLinkOnceODRLinkage,
        LinkOnceODRAutoHide = LLVMLinkOnceODRAutoHideLinkage,
        WeakAny = LLVMWeakAnyLinkage,
        WeakODR = LLVMWeakODRLinkage,
        Appending = LLVMAppendingLinkage,
        Internal = LLVMInternalLinkage,
        Private = LLVMPrivateLinkage,
        DLLImport = LLVMDLLImportLinkage,
        DLLExport = LLVMDLLExportLinkage,
        ExternalWeak = LLVMExternalWeakLinkage,
        Ghost = LLVMGhostLinkage,
        Common = LLVMCommonLinkage,
        LinkerPrivate = LLVMLinkerPrivateLinkage,
        LinkerPrivateWeak = LLVMLinkerPrivateWeakLinkage,
    }
}

enumeration! {
    /// The predicates of integer comparisons.
    IntPredicate of LLVMIntPredicate {
        Eq = LLVMIntEQ,
        Ne = LLVMIntNE,
        Ugt = LLVMIntUGT,
        Uge = LLVMIntUGE,
        Ult = LLVMIntULT,
        Ule = LLVMIntULE,
        Sgt = LLVMIntSGT,
        Sge = LLVMIntSGE,
        Slt = LLVMIntSLT,
        Sle = LLVMIntSLE,
    }
}

enumeration! {
    /// The predicates of floating-point comparisons.
    RealPredicate of LLVMRealPredicate {
        False = LLVMRealPredicateFalse,
        Oeq = LLVMRealOEQ,
        Ogt = LLVMRealOGT,
        Oge = LLVMRealOGE,
        Olt = LLVMRealOLT,
        Ole = LLVMRealOLE,
        One = LLVMRealONE,
        Ord = LLVMRealORD,
        Uno = LLVMRealUNO,
        Ueq = LLVMRealUEQ,
        Ugt = LLVMRealUGT,
        Uge = LLVMRealUGE,
        Ult = LLVMRealULT,
        Ule = LLVMRealULE,
        Une = LLVMRealUNE,
        True = LLVMRealPredicateTrue,
    }
}

enumeration! {
    /// The orderings of atomic operations.
    Ordering of LLVMAtomicOrdering {
        NotAtomic = LLVMAtomicOrderingNotAtomic,
        Unordered = LLVMAtomicOrderingUnordered,
        Monotonic = LLVMAtomicOrderingMonotonic,
        Acquire = LLVMAtomicOrderingAcquire,
        Release = LLVMAtomicOrderingRelease,
        AcquireRelease = LLVMAtomicOrderingAcquireRelease,
        SequentiallyConsistent = LLVMAtomicOrderingSequentiallyConsistent,
    }
}

enumeration! {
    /// The operations of `atomicrmw`.
    AtomicOperation of LLVMAtomicRMWBinOp {
        Xchg = LLVMAtomicRMWBinOpXchg,
        Add = LLVMAtomicRMWBinOpAdd,
        Sub = LLVMAtomicRMWBinOpSub,
        And = LLVMAtomicRMWBinOpAnd,
        Nand = LLVMAtomicRMWBinOpNand,
        Or = LLVMAtomicRMWBinOpOr,
        Xor = LLVMAtomicRMWBinOpXor,
        Max = LLVMAtomicRMWBinOpMax,
        Min = LLVMAtomicRMWBinOpMin,
        UMax = LLVMAtomicRMWBinOpUMax,
        UMin = LLVMAtomicRMWBinOpUMin,
        FAdd = LLVMAtomicRMWBinOpFAdd,
        FSub = LLVMAtomicRMWBinOpFSub,
        FMax = LLVMAtomicRMWBinOpFMax,
        FMin = LLVMAtomicRMWBinOpFMin,
        UIncWrap = LLVMAtomicRMWBinOpUIncWrap,
        UDecWrap = LLVMAtomicRMWBinOpUDecWrap,
        USubCond = LLVMAtomicRMWBinOpUSubCond,
        USubSat = LLVMAtomicRMWBinOpUSubSat,
        FMaximum = LLVMAtomicRMWBinOpFMaximum,
        FMinimum = LLVMAtomicRMWBinOpFMinimum,
        #[cfg(feature = "llvm23")]
        FMaximumNum = LLVMAtomicRMWBinOpFMaximumNum,
        #[cfg(feature = "llvm23")]
        FMinimumNum = LLVMAtomicRMWBinOpFMinimumNum,
    }
}

enumeration! {
    /// The kinds of values.
    ValueKind of LLVMValueKind {
        Argument = LLVMArgumentValueKind,
        BasicBlock = LLVMBasicBlockValueKind,
        MemoryUse = LLVMMemoryUseValueKind,
        MemoryDef = LLVMMemoryDefValueKind,
        MemoryPhi = LLVMMemoryPhiValueKind,
        Function = LLVMFunctionValueKind,
        GlobalAlias = LLVMGlobalAliasValueKind,
        GlobalIFunc = LLVMGlobalIFuncValueKind,
        GlobalVariable = LLVMGlobalVariableValueKind,
        BlockAddress = LLVMBlockAddressValueKind,
        ConstantExpr = LLVMConstantExprValueKind,
        ConstantArray = LLVMConstantArrayValueKind,
        ConstantStruct = LLVMConstantStructValueKind,
        ConstantVector = LLVMConstantVectorValueKind,
        Undef = LLVMUndefValueValueKind,
        ConstantAggregateZero = LLVMConstantAggregateZeroValueKind,
        ConstantDataArray = LLVMConstantDataArrayValueKind,
        ConstantDataVector = LLVMConstantDataVectorValueKind,
        ConstantInt = LLVMConstantIntValueKind,
        ConstantFP = LLVMConstantFPValueKind,
        ConstantPointerNull = LLVMConstantPointerNullValueKind,
        ConstantTokenNone = LLVMConstantTokenNoneValueKind,
        MetadataAsValue = LLVMMetadataAsValueValueKind,
        InlineAsm = LLVMInlineAsmValueKind,
        Instruction = LLVMInstructionValueKind,
        Poison = LLVMPoisonValueKind,
        ConstantTargetNone = LLVMConstantTargetNoneValueKind,
        ConstantPtrAuth = LLVMConstantPtrAuthValueKind,
        #[cfg(feature = "llvm23")]
        ConstantByte = LLVMConstantByteValueKind,
    }
}

impl IntPredicate {
    /// Whether it is a comparison of signed numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Sgt | Self::Sge | Self::Slt | Self::Sle)
    }

    /// The predicate of the same comparison with its operands swapped.
    pub fn swapped(self) -> Self {
        match self {
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Eq | Self::Ne => self,
        }
    }

    /// The predicate that holds where this one does not.
    pub fn inverted(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
        }
    }

    /// Whether it holds for numbers that are positive with a sign, too.
    pub fn holds(self, a: u64, b: u64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Ult | Self::Slt => a < b,
            Self::Ule | Self::Sle => a <= b,
            Self::Ugt | Self::Sgt => a > b,
            Self::Uge | Self::Sge => a >= b,
        }
    }
}
