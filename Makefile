# SPDX-License-Identifier: GPL-2.0-or-later
# Entry points; "make help" lists them.
include scripts/config.mk

.DEFAULT_GOAL := all
.PHONY: all docs help setup module vm-pmu bpf lib tools tests .needs .needs-module .needs-tests check check-fast test test-rest test-attack test-debug test-nmi test-kcsan fuzz-kernel test-newer test-memory test-threads test-mutants soak demo bench \
	test-fresh matrix test-packages bench-archive bench-live soak-archive soak-fail soak-scripts test-pcp-qa \
	vm-shell install uninstall dist deb clean

all: module lib tools ## build the module, the BPF objects, libshim and the tools

help: ## this list
	@echo "vcpc $(VERSION): make [TARGET] [ARCH=x86_64|arm64] [SAN=1|thread] [V=1]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install all that is missing (Debian packages, as root), and say why
	@scripts/setup.sh

# Building fetches and installs nothing: it says what is missing, and how to get it
# (NEEDS=met: whoever calls has seen to that).
.needs:
	@$(if $(filter met,$(NEEDS)),,scripts/setup.sh --check build $(if $(filter-out $(HOST_ARCH),$(ARCH)),lab))

.needs-module: .needs
	@scripts/kdir.sh --check $(ARCH) "$(KDIR)"

# The kernel's build puts the module's folder into each command. So that ccache knows these from another checkout,
# the folder has one name for all of them, a link that is theirs in turn.
ifneq ($(CCACHE),)
MODULE_M = $(CACHE)/module/$(notdir $(OUT))
MODULE_PLACE = mkdir -p $(CACHE)/module && flock -o $(MODULE_M).lock sh -c 'ln -sfn "$$0" "$$1" && shift && exec "$$@"' $(OUT)/module $(MODULE_M)
else
MODULE_M = $(OUT)/module
MODULE_PLACE =
endif

module: .needs-module ## build vcpc.ko for KDIR (the running kernel, or Debian's newest; KUNIT=1 with suites)
	@mkdir -p $(OUT)/module
	@cp -pu --parents VERSION Kbuild $(shell find kmod include/uapi -type f) $(OUT)/module/
	$(Q)$(MODULE_PLACE) $(MAKE) -C $(KDIR) M=$(MODULE_M) $(if $(LLVM),,$(if $(CCACHE),CC='$(CC)')) $(KMAKEFLAGS) $(if $(KUNIT),CONFIG_VCPC_KUNIT_TEST=y) --no-print-directory modules
	@cp -pu $(OUT)/module/kmod/vcpc.ko $(OUT)/vcpc.ko

vm-pmu: .needs-module ## build the core PMUs that VMs load for tests of two kinds of core (x86-64; KDIR)
	@mkdir -p $(OUT)/vm-pmu
	@cp -pu selftests/vm/pmu/Kbuild selftests/vm/pmu/*.[ch] $(OUT)/vm-pmu/
	$(Q)$(MAKE) -C $(KDIR) M=$(OUT)/vm-pmu $(if $(LLVM),,$(if $(CCACHE),CC='$(CC)')) $(KMAKEFLAGS) --no-print-directory modules

bpf: .needs ## build the BPF objects and their skeletons
	$(Q)$(MAKE) --no-print-directory -f bpf/Makefile

lib: bpf ## build libshim, shared and static
	$(Q)$(MAKE) --no-print-directory -f user/Makefile
	$(Q)$(MAKE) --no-print-directory -f user/java/Makefile

tools: lib ## build the vcpc command, the examples, and PCP's agent if its headers are here
	$(Q)$(MAKE) --no-print-directory -f tools/Makefile
	$(Q)$(MAKE) --no-print-directory -f tools/pmda/Makefile

.needs-tests:
	@scripts/setup.sh --check tests

tests: .needs-tests lib tools ## build the test programs
	$(Q)$(MAKE) --no-print-directory -f selftests/Makefile

check: all ## checkpatch --strict, sparse, layers, symbols, documentation, scripts
	@scripts/setup.sh --check tests check
	@scripts/check.sh $(OUT)

check-fast: ## those of the checks that need no build
	@scripts/check.sh $(OUT) fast

test: ## everything: natively, under sanitizers, and in both VMs (half an hour on two cores)
	@selftests/test.sh

test-rest: ## what make test leaves out in one of the VMs for its time
	@selftests/test.sh --rest

test-attack: ## attacks on the module under the debug kernel, for hours (ATTACK_TRIES=, ATTACK_ROUNDS=)
	@selftests/vm/kernel.sh attack $(FOLDERS)

test-debug: ## the kernel's tests under a debug kernel (built once, some ten minutes)
	@selftests/vm/kernel.sh debug $(FOLDERS)

test-nmi: ## overflow and races under the debug kernel, whose PMU interrupts by NMIs there
	@selftests/vm/kernel.sh nmi $(FOLDERS)

test-kcsan: ## races and overflows under a kernel that reports data races (built once, ten minutes)
	@selftests/vm/kernel.sh kcsan $(FOLDERS)

fuzz-kernel: ## fuzz the module in the debug kernel, led by its coverage, for FUZZ_SECONDS (300)
	@selftests/vm/kernel.sh fuzz

test-newer: ## the kernel's tests on a kernel of Debian's backports, x86-64 and arm64 (NEWER=6.12; the newest)
	@NEWER=$(NEWER) selftests/vm/kernel.sh newer $(FOLDERS)
	@NEWER=$(NEWER) selftests/vm/kernel.sh newer-arm64 $(FOLDERS)

test-memory: ## libcpc's and tracing's tests under ASan and UBSan, and under valgrind (x86-64 VM)
	@selftests/vm/memory.sh asan $(FOLDERS)
	@selftests/vm/memory.sh valgrind $(FOLDERS)

test-threads: ## the library's threads under ThreadSanitizer (natively)
	@selftests/threads.sh

soak: soak-fail ## each failing call, then races, both fuzzers and unloading under the debug kernel, for an hour (SOAK_MINUTES=, SOAK_SEED=)
	@selftests/vm/kernel.sh soak $(FOLDERS)

soak-fail: lib tools ## each call of the system that can fail in typical programs fails once (natively)
	@$(MAKE) tests TESTS=fail
	@for t in $(OUT)/tests/fail/*[a-z] selftests/fail/*.sh; do \
		[ ! -f "$$t" ] || FAIL_POINTS=0 "$$t" || exit 1; done

test-fresh: ## both commands in bare Debian roots with git and make (as root; FRESH='make demo', SUITES=trixie)
	@for suite in $(or $(SUITES),bookworm trixie); do scripts/fresh.sh $$suite '$(or $(FRESH),make demo && make test)' || exit; done

matrix: ## kernels, machines and hosts that the last make test and make test-fresh ran on, as a table
	@selftests/matrix.sh

test-packages: ## build packages, compare, check, install, upgrade and purge them (as root, in roots of their own; SUITES=)
	@for suite in $(or $(SUITES),bookworm trixie); do selftests/packages/test.sh $$suite || exit; done

demo: ## the main job, start to end: count, trace, record in a VM, replay here (MODULE=no: without the module)
	@tools/demo/demo.sh

bench: ## hot paths beside their peers, in guest instructions (arm64 VM)
	@selftests/bench/bench.sh

bench-live: lib ## fetching from a pmcd beside PCP's library, in CPU time
	@selftests/bench/live_rate.sh

bench-archive: lib ## reading archives beside PCP's library, in CPU time
	@selftests/bench/archive.sh

soak-archive: lib ## fuzz the reader of archives for FUZZ_SECONDS (an hour)
	@FUZZ_SEED=0 FUZZ_SECONDS=$(or $(FUZZ_SECONDS),3600) selftests/fuzz/archive.sh

test-pcp-qa: lib ## programs and runs of PCP 7.2.2's own test suite, with our library and with PCP's
	@selftests/qa/qa.sh

soak-scripts: lib ## random scripts of calls beside PCP's library for SOAK_MINUTES (an hour)
	@SOAK_MINUTES=$(or $(SOAK_MINUTES),60) selftests/pcp/random_scripts.sh

test-mutants: ## whether native tests notice errors put into the library: MUTANTS (30), SEED (1)
	@selftests/mutants/mutants.sh $(or $(MUTANTS),30) $(or $(SEED),1)

docs: ## the documentation as a site in build/docs, with the manual pages (installs Sphinx)
	@scripts/setup.sh docs
	@scripts/docs.sh build/docs

vm-shell: module lib tools ## a shell in the VM of ARCH, with the module and the tools
	@selftests/vm/shell.sh $(ARCH) $(OUT)

install: ## put what was built under DESTDIR, PREFIX and LIBDIR (MODULE=no: without the module)
	@scripts/install.sh install $(OUT)

uninstall: ## take away what make install put there
	@scripts/install.sh uninstall $(OUT)

dist: ## the committed source as vcpc-VERSION.tar.xz, the same bytes each time
	@scripts/dist.sh $(TOP)/build

deb: ## Debian packages of what is committed, into build/deb
	@scripts/deb.sh $(TOP)/build/deb

clean: ## remove everything that was built
	rm -rf build
