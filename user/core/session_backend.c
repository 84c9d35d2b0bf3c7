// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which back end is used.
 *
 * The definition is weak: a test that is linked with the static library picks
 * another back end by defining the function.  Nothing else can.
 */
#include "session.h"

/**
 * shim_session__backend() - the back end that sessions are opened on
 *
 * Return: the module's.
 */
__attribute__((weak)) const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__vcpc;
}
