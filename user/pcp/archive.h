/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of archives as a source of metrics, grouped by file */
#ifndef SHIM_PCP_ARCHIVE_H
#define SHIM_PCP_ARCHIVE_H

#include "context.h"

/* Operations in archive_fetch.c */
int shim_archive_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			       struct shim_ts *stamp, pmResult **out);
int shim_archive_source__record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out);
int shim_archive_source__set_mode(struct shim_context *ctx, int mode, const struct shim_ts *when,
				  struct shim_ts delta);

/* Operations in archive_meta.c */
int shim_archive_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out);
int shim_archive_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out);
int shim_archive_source__metrics(struct shim_context *ctx, int n, const char *const *names,
				 pmID *pmids);
int shim_archive_source__children(struct shim_context *ctx, const char *name, char ***offspring,
				  int **status);
int shim_archive_source__leaves(struct shim_context *ctx, const char *name, char ***names);
int shim_archive_source__names(struct shim_context *ctx, pmID pmid, char ***nameset);
int shim_archive_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			      int level, char **out);
int shim_archive_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
				struct shim_label_sets *sets);
int shim_archive_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				   char ***namelist);
int shim_archive_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				       char **name);
int shim_archive_source__instance(struct shim_context *ctx, pmInDom indom, const char *name);

#endif /* SHIM_PCP_ARCHIVE_H */
