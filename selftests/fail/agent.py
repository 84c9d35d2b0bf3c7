# SPDX-License-Identifier: GPL-2.0-or-later
"""Run pmdavcpc with each system call failing once, in place of pmcd, and judge its replies.

usage: agent.py AGENT LIBRARY CONFIG NUMBER_OF_POINTS

Each request is answered as in a run without a failure, or by an error, and then correctly when it
is repeated; or the agent does not start, exits with an error status and prints why.  Processes that
could not be counted are not tried again at once: until then their metrics report the error.
"""
import os
import select
import struct
import subprocess
import sys
import tempfile

AGENT, LIBRARY, CONFIG, MOST = sys.argv[1:5]
SECONDS = 10
DOMAIN = 450
PROCESSES = DOMAIN << 22 | 8
ERROR, RESULT, PROFILE, FETCH, DESC, INSTANCE, TEXT, CREDS, LABEL, LABELS = (
    0x7000, 0x7001, 0x7002, 0x7003, 0x7004, 0x7006, 0x7008, 0x700c, 0x7012, 0x7013)
# A process whose files may not be read is not counted, so open-EACCES is not among these.
WAYS = """memory open-EMFILE open-EINTR map-ENOMEM read-short read-EINTR read-EIO
    write-short write-EINTR write-ENOSPC ioctl-EIO perf-EMFILE stat-EIO entry-EIO line-EIO
    bpf-ENOMEM socket-EMFILE label-ENOMEM""".split()


class Gone(Exception):
    """The agent closed its output."""


class Hangs(Exception):
    """The agent does not reply."""


class Agent:
    """A running agent."""

    def __init__(self, how, folder):
        self.count = os.path.join(folder, "count")
        self.messages = os.path.join(folder, "messages")
        if os.path.exists(self.count):
            os.remove(self.count)
        env = dict(os.environ, LD_PRELOAD=LIBRARY, INJECT=how, INJECT_COUNT=self.count,
                   INJECT_NOT="libpcp")
        with open(self.messages, "wb") as messages:
            self.process = subprocess.Popen(
                [AGENT, "-d", str(DOMAIN), "-T", "0", "-c", CONFIG, "-l", self.messages], env=env,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()

    def send(self, kind, body):
        """Send one PDU."""
        try:
            os.write(self.into, struct.pack(">3I", 12 + len(body), kind, 0) + body)
        except BrokenPipeError as gone:
            raise Gone from gone

    def read(self, n):
        """Receive n bytes."""
        data = b""
        while len(data) < n:
            if not select.select([self.out], [], [], SECONDS)[0]:
                raise Hangs
            part = os.read(self.out, n - len(data))
            if not part:
                raise Gone
            data += part
        return data

    def receive(self):
        """Receive one PDU: its type and its body."""
        length, kind, _ = struct.unpack(">3I", self.read(12))
        return kind, self.read(length - 12)

    def greet(self):
        """Exchange versions, as pmcd does at the start of an agent."""
        self.send(CREDS, struct.pack(">iI", 1, 0x01020000))
        kind, _ = self.receive()
        assert kind == CREDS, kind

    def descriptors(self):
        """What its open descriptors refer to."""
        where = f"/proc/{self.process.pid}/fd"
        return sorted(os.readlink(f"{where}/{fd}").split(":")[0] for fd in os.listdir(where))

    def end(self):
        """Close its input; return its exit status, blocks of memory, and whether a call failed."""
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        self.process.stdout.close()
        calls, fired, blocks = 0, 0, 0
        if os.path.exists(self.count):
            with open(self.count, encoding="ascii") as lines:
                calls, fired, blocks = map(int, lines.readlines()[-1].split())
        return status, calls, bool(fired), blocks


def pmid(cluster, item):
    """The number of a metric."""
    return DOMAIN << 22 | cluster << 10 | item


def metrics():
    """The numbers of all metrics, from the names that the agent prints."""
    text = subprocess.run([AGENT, "-c", CONFIG, "-N"], check=True, capture_output=True).stdout
    numbers = [w.split(":") for w in text.decode().split() if w.startswith(f"{DOMAIN}:")]
    return [pmid(int(c), int(i)) for _, c, i in numbers]


def domains_of(numbers, folder):
    """The instance domains of metrics."""
    agent, found = Agent("none:0", folder), set()
    agent.greet()
    for number in numbers:
        agent.send(DESC, struct.pack(">I", number))
        found.add(struct.unpack_from(">3I", agent.receive()[1])[2])
    agent.end()
    return sorted(found - {0xffffffff})


def requests(numbers, domains):
    """Each request as (type, body); None for a request without a reply."""
    profile = struct.pack(">4i", 0, 0, 0, 0)
    fetch = struct.pack(f">3iI{len(numbers)}I", 0, 0, 0, len(numbers), *numbers)
    yield PROFILE, profile
    # This is the first request that fills the agent's tables of instances, among them the CPUs.
    yield LABEL, struct.pack(">2I", domains[0], 1 << 5)
    for _ in range(2):
        yield PROFILE, profile
        yield FETCH, fetch
    yield LABEL, struct.pack(">2I", DOMAIN, 1 << 1)
    for number in numbers[:3] + numbers[-3:]:
        yield DESC, struct.pack(">I", number)
        yield TEXT, struct.pack(">2I", number, 1 | 4)
        yield LABEL, struct.pack(">2I", number, 1 << 3)
    # The fetches have found the process, which the next request adds to its table.
    for domain in sorted(domains, key=lambda domain: domain != PROCESSES):
        yield INSTANCE, struct.pack(">I2iiI", domain, 0, 0, -1, 0)
        yield LABEL, struct.pack(">2I", domain, 1 << 5)
    yield PROFILE, profile
    yield FETCH, fetch


def show(kind, body):
    """What must be the same in each run: of a result, the metrics, instances and errors."""
    if kind != RESULT:
        return kind, body
    number = struct.unpack_from(">i", body, 8)[0]
    at, seen = 12, []
    for _ in range(number):
        metric, n = struct.unpack_from(">Ii", body, at)
        at += 8
        if n > 0:
            at += 4
            seen.append((metric, n, struct.unpack_from(">" + "iI" * n, body, at)[::2]))
            at += 8 * n
        else:
            seen.append((metric, n, ()))
    return kind, seen


def excused(asked, answer, usual, known):
    """Whether an answer differs only in processes whose failure was reported before."""
    kind, body = asked
    if kind in (INSTANCE, LABEL):
        return struct.unpack_from(">I", body)[0] == PROCESSES
    return kind == FETCH and answer[0] == RESULT and all(
        a == u or a[0] in known and a[1] < 0 for a, u in zip(answer[1], usual[1]))


def label_counts(body):
    """The number of labels, or the error, of each set of labels."""
    sets, at, counts = struct.unpack_from(">I", body, 12)[0], 16, []
    for _ in range(sets):
        counts.append(struct.unpack_from(">i", body, at + 4)[0])
        at += 16 + 8 * max(counts[-1], 0)
    return counts


def failed(answer, usual):
    """Whether an answer is an error, or has one for a metric or an instance that usually has none."""
    if answer[0] == ERROR:
        return True
    if answer[0] == usual[0] == LABELS:
        return any(n < 0 for n in label_counts(answer[1]))
    return answer[0] == usual[0] == RESULT and len(answer[1]) == len(usual[1]) and all(
        a == u or (a[0] == u[0] and a[1] < 0) for a, u in zip(answer[1], usual[1]))


def differs(answer, usual):
    """What is different, in a few words."""
    if answer[0] == usual[0] == RESULT:
        pairs = [(hex(a[0]), a[1:], u[1:]) for a, u in zip(answer[1], usual[1]) if a != u]
        return f"{len(pairs)} metrics, {pairs[:2]}"
    return f"{answer} not {usual}"


def ask(agent, kind, body):
    """Send a request, and return what the reply shows; None if it has no reply."""
    agent.send(kind, body)
    return None if kind == PROFILE else show(*agent.receive())


def judge(agent, asked, i, answer, usual, said, known):
    """Judge an unusual answer: (what is wrong or None, a failure was said, metrics that report it)."""
    right = usual["answers"][i]
    if said and excused(asked[i], answer, right, known):
        return None, said, known
    if not said and asked[i][0] in (INSTANCE, LABEL) and excused(asked[i], answer, right, known):
        i, right = usual["fetch"], usual["answers"][usual["fetch"]]
        answer = ask(agent, *asked[i])
    if said or not failed(answer, right):
        return f"request {i}: {differs(answer, right)}"[:300], said, known
    if answer[0] == RESULT:
        known = {a[0] for a, u in zip(answer[1], right[1]) if a != u and a[0] in usual["late"]}
    answer = ask(agent, *asked[i])
    if answer != right and not excused(asked[i], answer, right, known):
        return f"request {i}, repeated: {differs(answer, right)}"[:300], True, known
    return None, True, known


def run(how, asked, folder, usual=None):
    """One run: (result, calls, fired); result is "same", "said", or what is wrong."""
    agent, said, known, answers = Agent(how, folder), False, set(), []
    try:
        agent.greet()
        for i, (kind, body) in enumerate(asked):
            answer = ask(agent, kind, body)
            if usual and answer != usual["answers"][i]:
                wrong, said, known = judge(agent, asked, i, answer, usual, said, known)
                if wrong:
                    agent.process.kill()
                    agent.end()
                    return wrong, 0, True
            answers.append(answer)
        descriptors = agent.descriptors()
    except Gone:
        return stopped(agent)
    except Hangs:
        agent.process.kill()
        agent.end()
        return "hangs", 0, True
    status, calls, fired, blocks = agent.end()
    if usual is None:
        first = [kind for kind, _ in asked].index(FETCH)
        return {"answers": answers, "descriptors": descriptors, "blocks": blocks,
                "late": {r[0] for r in answers[first][1] if r[2] and r[2][0] > 1000},
                "fetch": first}, calls, fired
    if status:
        return f"exit status {status} at the end", calls, fired
    # Ignore descriptors after a failed ioctl(2): the library does not close a descriptor that it
    # cannot identify, because it might be another file's.
    if not how.startswith("ioctl") and len(descriptors) > len(usual["descriptors"]):
        return f"descriptors {descriptors}, not {usual['descriptors']}", calls, fired
    # Ignore memory after a failed label: PCP's library logs the failure, and keeps the variables of
    # pcp.conf in memory.
    if not how.startswith("label") and blocks > usual["blocks"]:
        return f"{blocks} blocks of memory, not {usual['blocks']}", calls, fired
    return "said" if said else "same", calls, fired


def stopped(agent):
    """Judge an agent that stopped: it must have exited with an error status and a message."""
    status, calls, _, _ = agent.end()
    with open(agent.messages, encoding="utf-8", errors="replace") as lines:
        text = [line for line in lines if "pmdavcpc" in line and "Log for" not in line]
    if status > 0 and text:
        return "said", calls, True
    return f"stopped with status {status}: {text}", calls, True


def points(way, calls, folder):
    """The calls to fail: some, and the first one with each chain of callers unless MOST is set."""
    most = min(int(MOST or 8) or calls, calls)
    chosen = {1 + i * calls // most for i in range(most)}
    with open(os.path.join(folder, "count"), encoding="ascii") as lines:
        for words in map(str.split, lines):
            if words[0] == way and not MOST:
                chosen.update(map(int, words[2:]))
    return sorted(chosen)


def main():
    """Sweep all ways to fail."""
    numbers, bad = metrics(), 0
    with tempfile.TemporaryDirectory() as folder:
        asked = list(requests(numbers, domains_of(numbers, folder)))
        for way in os.environ.get("WAYS", "").split() or WAYS:
            usual, calls, _ = run(f"{way}:0", asked, folder)
            if not isinstance(usual, dict):
                print(f"# {way}: without a failure: {usual}")
                return 1
            again, _, _ = run(f"{way}:0", asked, folder, usual)
            if again != "same":
                print(f"# {way}: without a failure it is not the same: {again}")
                return 1
            sums = {"points": 0, "same": 0, "said": 0, "wrong": 0}
            for n in points(way, calls, folder):
                result, _, fired = run(f"{way}:{n}", asked, folder, usual)
                if not fired:
                    continue
                sums["points"] += 1
                sums[result if result in sums else "wrong"] += 1
                if result not in sums:
                    print(f"# {way}:{n}: {result}")
            if sums["points"]:
                print(f"# agent {way:14} " + " ".join(f"{v:6} {k}" for k, v in sums.items()))
            bad += sums["wrong"]
            for key, value in sums.items():
                TOTAL[key] += value
    print("# agent all            " + " ".join(f"{v:6} {k}" for k, v in TOTAL.items()))
    return 1 if bad or not TOTAL["points"] else 0


TOTAL = {"points": 0, "same": 0, "said": 0, "wrong": 0}
sys.exit(main())
