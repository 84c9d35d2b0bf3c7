/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain of metrics of pmdavcpc; part of every archive, so it never changes. */
#define VCPC 450
