/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where programs for Solaris look for the places of registers in uc_mcontext.gregs.
 *
 * Only x86-64 has an array of that name here; elsewhere a handler's si_addr is the
 * address where the program was.
 */
#ifndef SHIM_SYS_REGSET_H
#define SHIM_SYS_REGSET_H

#ifdef __x86_64__
#define PC	16
#define SP	15
#define USP	SP
#endif

#endif /* SHIM_SYS_REGSET_H */
