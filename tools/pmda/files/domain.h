/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCP's domain number of pmdavcpc.  Archives contain it, so it must never change. */
#define VCPC 450
