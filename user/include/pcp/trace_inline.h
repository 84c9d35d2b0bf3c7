/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace calls that return immediately while there is no listener; part of <pcp/trace.h>.
 *
 * A source file caches the tag of each of its literals.  A literal's address and tag never change
 * once set.  The library keeps the tags in memory that is zero in a forked child; zero means that
 * the library must be called.  A call that finds a listener, or any unusual state, calls the
 * library.
 */
#ifndef PCP_TRACE_INLINE_H
#define PCP_TRACE_INLINE_H

/* Disable warnings, because sources of any language and warning level may include this code. */
#pragma GCC system_header

#include <pcp/trace.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define SHIM_TRACE_ALONE	__libc_single_threaded
#endif
#endif
#ifndef SHIM_TRACE_ALONE
#define SHIM_TRACE_ALONE	0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SHIM_TRACE_SITES	64
#define SHIM_TRACE_MAX_TAG	254
/*
 * These functions are not static, because inline functions in the program's headers may call them
 * through the macros below.  They are always inlined.
 */
#define SHIM_TRACE_INLINE	extern __inline__ __attribute__((__gnu_inline__, __always_inline__, __unused__))

/*
 * Literals of this source file, indexed by address.  The first literal that uses an entry keeps it.
 */
static struct shim_trace_site shim_trace_sites[SHIM_TRACE_SITES] __attribute__((__unused__));
/* Used for all tags by calls that have no progress */
static struct shim_trace_site shim_trace_values __attribute__((__unused__));

/* Return the state of a literal's tag if there is no listener, otherwise NULL. */
SHIM_TRACE_INLINE struct shim_trace_state *shim_trace_quiet(const char *tag, struct shim_trace_site *site)
{
	const char *known = __atomic_load_n(&site->literal, __ATOMIC_RELAXED);
	struct shim_trace_state *state = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
	const unsigned int *const *at, *gate = 0;

	if (known && known != tag)
		return 0;
	if (state && known == tag) {
		at = __atomic_load_n(&state->gate, __ATOMIC_RELAXED);
		gate = at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : 0;
		if (gate)
			return __atomic_load_n(gate, __ATOMIC_RELAXED) ? 0 : state;
	}
	shim_trace_meet(tag, site);
	return 0;
}

/*
 * Begin (1) or end (2) a transaction without a listener.  Return 0 if the transaction is in a state
 * that does not allow this, or if there are other threads, because only the library knows which
 * thread is in the transaction.
 */
SHIM_TRACE_INLINE int shim_trace_pass(struct shim_trace_state *state, unsigned int to)
{
	unsigned long long now = __atomic_load_n(&state->progress, __ATOMIC_RELAXED);

	if (!SHIM_TRACE_ALONE || ((now & 3) == 1) == (to == 1))
		return 0;
	__atomic_store_n(&state->progress, to, __ATOMIC_RELAXED);
	return 1;
}

SHIM_TRACE_INLINE int shim_trace_fits(const char *literal)
{
	return literal && __builtin_strlen(literal) - 1 < SHIM_TRACE_MAX_TAG;
}

SHIM_TRACE_INLINE int shim_trace_passes(int is_literal, const char *tag, unsigned int to)
{
	unsigned long hash = (unsigned long)tag * 0x9e3779b1ul >> 16;
	struct shim_trace_site *site = &shim_trace_sites[hash % SHIM_TRACE_SITES];
	struct shim_trace_state *state = is_literal && shim_trace_fits(tag) ?
					 shim_trace_quiet(tag, site) : 0;

	return state && shim_trace_pass(state, to);
}

SHIM_TRACE_INLINE int shim_trace_unheard(int is_literal, const char *tag)
{
	return is_literal && shim_trace_fits(tag) && shim_trace_quiet(0, &shim_trace_values);
}

SHIM_TRACE_INLINE int shim_trace_begin(int is_literal, const char *tag)
{
	return shim_trace_passes(is_literal, tag, 1) ? 0 : pmtracebegin(tag);
}

SHIM_TRACE_INLINE int shim_trace_end(int is_literal, const char *tag)
{
	return shim_trace_passes(is_literal, tag, 2) ? 0 : pmtraceend(tag);
}

SHIM_TRACE_INLINE int shim_trace_abort(int is_literal, const char *tag)
{
	return shim_trace_passes(is_literal, tag, 2) ? 0 : pmtraceabort(tag);
}

SHIM_TRACE_INLINE int shim_trace_point(int is_literal, const char *tag)
{
	return shim_trace_unheard(is_literal, tag) ? 0 : pmtracepoint(tag);
}

SHIM_TRACE_INLINE int shim_trace_obs(int is_literal, const char *tag, double value)
{
	return shim_trace_unheard(is_literal, tag) ? 0 : pmtraceobs(tag, value);
}

SHIM_TRACE_INLINE int shim_trace_counter(int is_literal, const char *tag, double value)
{
	return shim_trace_unheard(is_literal, tag) ? 0 : pmtracecounter(tag, value);
}

#ifdef __cplusplus
}
#endif

/*
 * For a pointer, compilers report a constant only if it is a literal.  An argument may contain
 * commas, so the macros take a variable number of arguments.
 */
#define pmtracebegin(...)	shim_trace_begin(__builtin_constant_p((__VA_ARGS__)), __VA_ARGS__)
#define pmtraceend(...)		shim_trace_end(__builtin_constant_p((__VA_ARGS__)), __VA_ARGS__)
#define pmtraceabort(...)	shim_trace_abort(__builtin_constant_p((__VA_ARGS__)), __VA_ARGS__)
#define pmtracepoint(...)	shim_trace_point(__builtin_constant_p((__VA_ARGS__)), __VA_ARGS__)
#define pmtraceobs(tag, ...)	shim_trace_obs(__builtin_constant_p(tag), tag, __VA_ARGS__)
#define pmtracecounter(tag, ...) shim_trace_counter(__builtin_constant_p(tag), tag, __VA_ARGS__)

#endif /* PCP_TRACE_INLINE_H */
