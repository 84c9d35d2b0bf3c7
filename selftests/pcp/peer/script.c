// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run random scripts of calls on an archive, and print all results.
 *
 * The program includes only <pcp/pmapi.h>.  random_scripts.sh builds it with libshim and with PCP's
 * own library (with -DPEER_IS_PCP), and compares the output.  A script depends only on its seed and
 * the archive, not on the results of its calls, so one difference does not cause others.
 *
 * Each script runs in a separate process, because the original can crash or hang.
 *
 * usage: script ARCHIVE SEED FIRST LAST
 */
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"

#define STEPS		30
#define SECONDS		20	/* CPU time after which a script is considered to hang */
#define WAITING		900	/* the same in wall time, for a busy machine */
#define MEMORY		(2ul << 30)
#define KEPT		(500ul << 20)

#ifdef PEER_IS_PCP
/*
 * Delay each free().  The original frees records to which it still refers, so its results would be
 * undefined.
 */
void __libc_free(void *p);

void free(void *p)
{
	static void *kept[1 << 18];
	static size_t total, first, n;

	if (!p)
		return;
	while (n && (n == 1 << 18 || total > KEPT)) {
		total -= malloc_usable_size(kept[first % (1 << 18)]);
		__libc_free(kept[first++ % (1 << 18)]);
		n--;
	}
	total += malloc_usable_size(p);
	kept[(first + n++) % (1 << 18)] = p;
}
#endif

static bool is_partial(const struct script *s)
{
	return s->at >= 0 && s->actors[s->at].partial;
}

static void play(const struct archive *ar, uint64_t seed)
{
	static const struct {
		void (*way)(struct script *);
		bool of_metadata;
	} ways[] = {
		{ play_fetch, false }, { play_fetch, false }, { play_fetch, false }, { play_fetch, false }, { play_mode, false },
		{ play_mode, false }, { play_mode, false }, { play_context, false }, { play_profile, false },
		{ play_instances, true }, { play_names, true }, { play_labels, true },
		{ play_texts, true }, { play_archive, false },
	};
	const size_t n = sizeof(ways) / sizeof(ways[0]);
	struct script s = { .ar = ar, .at = -1 };

	for (int i = 0; i < MAX_CONTEXTS; i++)
		s.actors[i].handle = -1;
	for (int step = 0; step < STEPS; step++) {
		s.dice = seed * 1000003 + step;
		for (int i = 0; i < 4; i++)
			random_next(&s.dice);
		printf("%d. ", step);
		if (step && roll(&s, 40)) {
			unsigned int i = roll(&s, n);

			if (!ways[i].of_metadata || !is_partial(&s))
				ways[i].way(&s);
		} else {
			play_context(&s);
		}
	}
	putchar('\n');
}

static void play_apart(const struct archive *ar, uint64_t seed)
{
	struct rlimit memory = { MEMORY, MEMORY }, cpu = { SECONDS, SECONDS };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_AS, &memory);
		setrlimit(RLIMIT_CPU, &cpu);
		alarm(WAITING);
		play(ar, seed);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("\nended by signal %d\n", WTERMSIG(status));
}

int main(int argc, char **argv)
{
	static struct archive ar;
	uint64_t seed;
	int err;

	if (argc != 5)
		return 2;
	seed = strtoull(argv[2], NULL, 10);
	err = archive_learn(&ar, argv[1]);
	printf("archive: %d\n", err);
	for (long i = atol(argv[3]); !err && i <= atol(argv[4]); i++) {
		printf("== %ld\n", i);
		play_apart(&ar, seed * 1000000007 + i);
	}
	return 0;
}
