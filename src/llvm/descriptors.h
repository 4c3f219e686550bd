/* The types of an intrinsic in LLVM's table. LLVM 23 has other names for them than LLVM 22. */
#ifndef OFFLOADC_DESCRIPTORS_H
#define OFFLOADC_DESCRIPTORS_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

using Descriptor = llvm::Intrinsic::IITDescriptor;

#if LLVM_VERSION_MAJOR >= 23

// The number of the type that the intrinsic is overloaded on here; none if the type depends on others.
inline std::optional<unsigned> overload_of(const Descriptor &each) {
  if (each.Kind != Descriptor::Overloaded && each.Kind != Descriptor::VecOfAnyPtrsToElt)
    return std::nullopt;
  return each.getOverloadIndex();
}

// Whether a type has the kind that the intrinsic is overloaded on here.
inline bool is_of_kind(const Descriptor &each, llvm::Type *type) {
  if (each.Kind != Descriptor::Overloaded)
    return true;
  auto [shape, element] = each.getOverloadConstraints();
  if ((shape == Descriptor::VC_Vector && !type->isVectorTy()) || (shape == Descriptor::VC_Scalar && type->isVectorTy()))
    return false;
  switch (element) {
  case Descriptor::EC_Integer:
    return type->isIntOrIntVectorTy();
  case Descriptor::EC_Float:
    return type->isFPOrFPVectorTy();
  case Descriptor::EC_Pointer:
    return type->isPtrOrPtrVectorTy();
  default:
    return true;
  }
}

// The number of the type that this type is derived from, if that must be a vector.
inline std::optional<unsigned> vector_of(const Descriptor &each) {
  switch (each.Kind) {
  case Descriptor::VecElement:
  case Descriptor::Subdivide2:
  case Descriptor::Subdivide4:
  case Descriptor::VecOfBitcastsToInt:
  case Descriptor::OneNthEltsVec:
    return each.getOverloadIndex();
  default:
    return std::nullopt;
  }
}

// The same if it must be an integer or a vector of integers.
inline std::optional<unsigned> integer_of(const Descriptor &each) {
  if (each.Kind != Descriptor::Extend && each.Kind != Descriptor::Trunc)
    return std::nullopt;
  return each.getOverloadIndex();
}

inline bool fits_signature(llvm::Intrinsic::ID id, llvm::FunctionType *type, llvm::SmallVectorImpl<llvm::Type *> &deduced) {
  return llvm::Intrinsic::isSignatureValid(id, type, deduced);
}

#else

inline std::optional<unsigned> overload_of(const Descriptor &each) {
  if (each.Kind == Descriptor::Argument && each.getArgumentKind() != Descriptor::AK_MatchType)
    return each.getArgumentNumber();
  if (each.Kind == Descriptor::VecOfAnyPtrsToElt)
    return each.getOverloadArgNumber();
  return std::nullopt;
}

inline bool is_of_kind(const Descriptor &each, llvm::Type *type) {
  if (each.Kind != Descriptor::Argument)
    return true;
  switch (each.getArgumentKind()) {
  case Descriptor::AK_AnyInteger:
    return type->isIntOrIntVectorTy();
  case Descriptor::AK_AnyFloat:
    return type->isFPOrFPVectorTy();
  case Descriptor::AK_AnyVector:
    return type->isVectorTy();
  case Descriptor::AK_AnyPointer:
    return type->isPtrOrPtrVectorTy();
  default:
    return true;
  }
}

inline std::optional<unsigned> vector_of(const Descriptor &each) {
  switch (each.Kind) {
  case Descriptor::VecElementArgument:
  case Descriptor::Subdivide2Argument:
  case Descriptor::Subdivide4Argument:
  case Descriptor::VecOfBitcastsToInt:
    return each.getArgumentNumber();
  case Descriptor::OneNthEltsVecArgument:
    return each.getRefArgNumber();
  default:
    return std::nullopt;
  }
}

inline std::optional<unsigned> integer_of(const Descriptor &each) {
  if (each.Kind != Descriptor::ExtendArgument && each.Kind != Descriptor::TruncArgument)
    return std::nullopt;
  return each.getArgumentNumber();
}

inline bool fits_signature(llvm::Intrinsic::ID id, llvm::FunctionType *type, llvm::SmallVectorImpl<llvm::Type *> &deduced) {
  return llvm::Intrinsic::getIntrinsicSignature(id, type, deduced);
}

#endif

#endif
