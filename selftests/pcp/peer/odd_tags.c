// SPDX-License-Identifier: GPL-2.0-or-later
/* Make transactions with unusual tags. */
#include <pcp/trace.h>

static int transact(const char *tag)
{
	return pmtracebegin(tag) < 0 || pmtraceend(tag) < 0;
}

int main(void)
{
	return transact("plain") + transact("plain") + transact("say \"hi\"") +
	       transact("two\nlines") + transact("a/b/c") + transact("back\\slash") != 0;
}
