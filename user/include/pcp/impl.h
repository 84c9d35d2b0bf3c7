/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Empty, as in PCP 6, for older programs that include it */
#ifndef PCP_IMPL_H
#define PCP_IMPL_H
#endif /* PCP_IMPL_H */
