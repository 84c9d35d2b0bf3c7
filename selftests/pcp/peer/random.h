/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers and texts that depend only on a seed, so they are the same in both builds of a
 * program
 */
#ifndef SELFTESTS_PCP_PEER_RANDOM_H
#define SELFTESTS_PCP_PEER_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % n;
}

static uint64_t random_bits(void)
{
	return (uint64_t)random_below(1u << 31) << 33 ^ (uint64_t)random_below(1u << 31) << 11 ^
	       random_below(2048);
}

/* Return a number of any size and sign, or the limit of a type. */
static __attribute__((unused)) double random_real(void)
{
	static const double borders[] = {
		0, -0.0, 1, -1, 0x1p31, 0x1p31 - 1, -0x1p31, -0x1p31 - 1, 0x1p32, 0x1p32 - 1,
		0x1p63, -0x1p63, 0x1p64, 1e300, -1e300, 0x1p-1074, 0.5, 99.995, 999.995,
	};
	uint64_t bits;
	double d;

	switch (random_below(4)) {
	case 0:
		return borders[random_below(sizeof(borders) / sizeof(borders[0]))];
	case 1:
		bits = random_bits();
		memcpy(&d, &bits, sizeof(d));
		return d;
	case 2:
		return (double)(int64_t)(random_bits() >> random_below(64)) / 1000;
	}
	return (double)(int64_t)random_below(2000000) - 1000000;
}

/* Return words from a table, with blanks between some of them.  Rarely return arbitrary bytes. */
static __attribute__((unused)) const char *random_text(const char *const *words, unsigned int n,
						       unsigned int most)
{
	static char text[512];
	unsigned int count = random_below(most + 1);
	size_t len = 0;

	text[0] = '\0';
	while (count--) {
		const char *word = words[random_below(n)];
		char any[2] = { (char)(1 + random_below(255)) };

		if (random_below(60) == 0)
			word = any;
		if (len + strlen(word) + 2 >= sizeof(text))
			break;
		len += (size_t)sprintf(text + len, "%s%s", word, random_below(3) ? "" : " ");
	}
	return text;
}

#define RANDOM_TEXT(words, most) random_text(words, sizeof(words) / sizeof((words)[0]), most)

/* Print text with escaped newlines. */
static __attribute__((unused)) void show_text(const char *s)
{
	if (!s) {
		printf(" NULL");
		return;
	}
	printf(" \"");
	for (; *s; s++)
		if (*s >= ' ' && *s < 0x7f && *s != '\\')
			putchar(*s);
		else
			printf("\\%02x", (unsigned char)*s);
	putchar('"');
}

#endif /* SELFTESTS_PCP_PEER_RANDOM_H */
