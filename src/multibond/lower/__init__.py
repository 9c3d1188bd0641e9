"""Symbols to machine code: CasADi functions become LLVM IR, LLVM IR becomes native functions."""
