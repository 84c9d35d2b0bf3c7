/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHIM_API marks the definition of a public function, which must also be listed in libshim.map. */
#ifndef SHIM_BASE_API_H
#define SHIM_BASE_API_H

#define SHIM_API __attribute__((visibility("default")))

#endif /* SHIM_BASE_API_H */
