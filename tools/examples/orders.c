// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An example program to trace: a warehouse that processes batches of orders.
 *
 * Each batch is a transaction, "batch", with three steps that are transactions of their own: "take"
 * (orders come in), "sort" (by customer), "bill" (a customer's orders are summed, with prices from
 * a hash table).  A customer with a high bill passes the point "big customer".  The observation
 * "mean bill" is the batch's mean bill, and the counter "orders done" is the number of orders.
 *
 * The sizes and durations of batches vary widely.  Every run does the same work, which takes about
 * a second on a slow machine.  "orders 150" processes 150 batches instead of 1500.
 *
 *   vcpc trace on; orders; vcpc trace show --hist
 *
 * "orders --slow" contains a mistake: it looks up each price five times.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/trace.h>

#define BATCHES		1500
#define MAX_ORDERS	8000
#define CUSTOMERS	700
#define ARTICLES	4096
#define SHELVES		(2 * ARTICLES)
#define BIG_BILL	100000.0

struct order {
	uint32_t customer;
	uint32_t article;
	uint32_t amount;
};

struct warehouse {
	uint64_t random;
	uint32_t articles[SHELVES];	/* a hash table of numbers; 0 marks a free entry */
	double prices[SHELVES];
	struct order orders[MAX_ORDERS];
	size_t n;
	unsigned int lookups;
	double done;
};

static uint32_t random_below(struct warehouse *w, uint32_t limit)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (w->random >> 33) % limit;
}

static size_t find_article(const struct warehouse *w, uint32_t article)
{
	size_t i = article * 2654435761u % SHELVES;

	while (w->articles[i] && w->articles[i] != article)
		i = (i + 1) % SHELVES;
	return i;
}

static void fill_shelves(struct warehouse *w)
{
	for (uint32_t article = 1; article <= ARTICLES; article++) {
		size_t i = find_article(w, article);

		w->articles[i] = article;
		w->prices[i] = 0.5 + random_below(w, 10000) / 100.0;
	}
}

static void take(struct warehouse *w)
{
	/* Few batches are large: sizes are distributed evenly over powers of two. */
	w->n = 10 + random_below(w, MAX_ORDERS - 10) / (1u << random_below(w, 8));
	for (size_t i = 0; i < w->n; i++) {
		w->orders[i].customer = random_below(w, CUSTOMERS);
		w->orders[i].article = 1 + random_below(w, ARTICLES);
		w->orders[i].amount = 1 + random_below(w, 100);
	}
}

static int by_customer(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->customer != y->customer)
		return x->customer < y->customer ? -1 : 1;
	return x->article < y->article ? -1 : x->article > y->article;
}

static double price_of(const struct warehouse *w, uint32_t article)
{
	volatile double price = 0;

	for (unsigned int i = 0; i < w->lookups; i++)
		price = w->prices[find_article(w, article)];
	return price;
}

/* Process all orders, customer by customer.  Return the mean bill. */
static double bill(struct warehouse *w)
{
	double all = 0;
	size_t i = 0, bills = 0;

	while (i < w->n) {
		uint32_t customer = w->orders[i].customer;
		double sum = 0;

		for (; i < w->n && w->orders[i].customer == customer; i++)
			sum += w->orders[i].amount * price_of(w, w->orders[i].article);
		if (sum > BIG_BILL)
			pmtracepoint("big customer");
		all += sum;
		bills++;
	}
	return all / bills;
}

static double do_batch(struct warehouse *w)
{
	double mean;

	pmtracebegin("batch");

	pmtracebegin("take");
	take(w);
	pmtraceend("take");

	pmtracebegin("sort");
	qsort(w->orders, w->n, sizeof(w->orders[0]), by_customer);
	pmtraceend("sort");

	pmtracebegin("bill");
	mean = bill(w);
	pmtraceend("bill");

	pmtraceend("batch");
	return mean;
}

int main(int argc, char **argv)
{
	struct warehouse *w = calloc(1, sizeof(*w));
	int err, batches = argc > 1 ? atoi(argv[argc - 1]) : 0;

	if (!w) {
		perror("orders");
		return 1;
	}
	if (batches <= 0)
		batches = BATCHES;
	w->random = 20000;
	w->lookups = argc > 1 && !strcmp(argv[1], "--slow") ? 5 : 1;
	fill_shelves(w);
	err = pmtracepoint("opened");
	if (err)
		fprintf(stderr, "orders: not traced: %s\n", pmtraceerrstr(err));
	for (int i = 0; i < batches; i++) {
		double mean = do_batch(w);

		w->done += w->n;
		pmtraceobs("mean bill", mean);
		pmtracecounter("orders done", w->done);
	}
	printf("orders: %d batches, %.0f orders\n", batches, w->done);
	free(w);
	return 0;
}
