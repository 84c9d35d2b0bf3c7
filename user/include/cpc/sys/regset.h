/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The places of registers in uc_mcontext.gregs, as handlers for Solaris write it.
 *
 * On arm64 the C library calls the array regs, and sp and pc lie right behind its 31 elements; the
 * compiler is kept from knowing the index, as it would take one past the end for a mistake.
 * A program with names of its own defines SHIM_NO_REGSET.
 */
#ifndef SHIM_SYS_REGSET_H
#define SHIM_SYS_REGSET_H

#ifndef SHIM_NO_REGSET

#if defined(__x86_64__)
#define PC	16
#define SP	15
#define USP	SP
#elif defined(__aarch64__)
static __inline__ int shim_register(int index)
{
	__asm__("" : "+r"(index));
	return index;
}

#define gregs	regs
#define PC	shim_register(32)
#define SP	shim_register(31)
#define USP	SP
#endif

#endif

#endif /* SHIM_SYS_REGSET_H */
