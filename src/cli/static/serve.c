// SPDX-License-Identifier: GPL-2.0
/* `iolat serve` of a static build: libmicrohttpd stands on GnuTLS, which cannot be linked statically as distributions
 * build it (p11-kit loads modules). */
#include "cli/serve.h"

#include "base/log.h"

int serve_run(const struct options *o)
{
	log_error("serve: not in this static build, for its HTTP library has none: use the dynamic one");
	return EXIT_FAILED;
}
