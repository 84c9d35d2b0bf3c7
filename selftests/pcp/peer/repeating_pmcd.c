// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Act as a pmcd with faulty agents, which return two values for one instance, and an instance for a
 * metric without instances.  Print the socket's path, and serve until the end of standard input.
 */
#include "../fake_pmcd.h"

static enum fake_then lie(struct fake_pdu *reply, uint64_t arg)
{
	static const char *const names[] = { "a.word", "a.text" };
	uint32_t type = fake_get(reply->bytes + 4);
	uint8_t *sets = reply->bytes + (type == FAKE_RESULT ? 24 : 32);

	(void)arg;
	if (type == FAKE_NAMES) {
		fake_names(reply, false, names, 2);
		fake_end(reply);
	}
	if (type != FAKE_RESULT && type != FAKE_HIGHRES_RESULT)
		return FAKE_GO_ON;
	fake_set(sets + 12 + 8, 1);	/* the second value of a.word */
	fake_set(sets + 36 + 12, 5);	/* the instance of a.text */
	return FAKE_GO_ON;
}

int main(void)
{
	struct fake_pmcd fake;

	if (fake_start(&fake))
		return 1;
	fake.lies->lie = lie;
	puts(fake.spec + strlen("unix:"));
	fflush(stdout);
	while (getchar() != EOF)
		;
	fake_stop(&fake);
	return 0;
}
