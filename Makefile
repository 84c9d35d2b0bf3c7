# SPDX-License-Identifier: GPL-2.0-or-later
# "make help" lists the targets.
include scripts/config.mk

.DEFAULT_GOAL := all
.PHONY: all docs help setup module vm-pmu bpf lib tools tests .needs .needs-module .needs-tests check check-fast test test-rest test-attack test-clang test-debug test-nmi test-kcsan fuzz-kernel test-newer test-memory test-threads test-mutants soak demo bench \
	test-fresh matrix test-packages bench-archive bench-live soak-archive soak-fail soak-scripts test-pcp-qa \
	vm-shell install uninstall dist deb clean

all: module lib tools ## build the module, the BPF objects, libshim and the tools

help: ## list the targets
	@echo "vcpc $(VERSION): make [TARGET] [ARCH=x86_64|arm64] [SAN=1|thread] [V=1]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install missing packages (Debian, as root), listing the reason for each
	@scripts/setup.sh

# A build fetches and installs nothing.  It reports missing packages and how to install them
# (NEEDS=met skips this check).
.needs:
	@$(if $(filter met,$(NEEDS)),,scripts/setup.sh --check build $(if $(filter-out $(HOST_ARCH),$(ARCH)),lab))

.needs-module: .needs
	@scripts/kdir.sh --check $(ARCH) "$(KDIR)"

# The kernel's build puts the module's directory into each command.  Each build points a link, whose name is the same for
# all checkouts, to its own directory.  Therefore ccache finds the results of other checkouts.
ifneq ($(CCACHE),)
MODULE_M = $(CACHE)/module/$(notdir $(OUT))
MODULE_PLACE = mkdir -p $(CACHE)/module && flock -o $(MODULE_M).lock sh -c 'ln -sfn "$$0" "$$1" && shift && exec "$$@"' $(OUT)/module $(MODULE_M)
else
MODULE_M = $(OUT)/module
MODULE_PLACE =
endif

module: .needs-module ## build vcpc.ko for KDIR (default: the running kernel or Debian's newest; KUNIT=1 adds the KUnit suites)
	@mkdir -p $(OUT)/module
	@cp -pu --parents VERSION Kbuild $(shell find kmod include/uapi -type f) $(OUT)/module/
	$(Q)$(MODULE_PLACE) $(MAKE) -C $(KDIR) M=$(MODULE_M) $(if $(LLVM),,$(if $(CCACHE),CC='$(CC)')) $(KMAKEFLAGS) $(if $(KUNIT),CONFIG_VCPC_KUNIT_TEST=y) --no-print-directory modules
	@cp -pu $(OUT)/module/kmod/vcpc.ko $(OUT)/vcpc.ko

vm-pmu: .needs-module ## build synthetic core PMUs for tests of hybrid CPUs in VMs (x86-64; KDIR)
	@mkdir -p $(OUT)/vm-pmu
	@cp -pu selftests/vm/pmu/Kbuild selftests/vm/pmu/*.[ch] $(OUT)/vm-pmu/
	$(Q)$(MAKE) -C $(KDIR) M=$(OUT)/vm-pmu $(if $(LLVM),,$(if $(CCACHE),CC='$(CC)')) $(KMAKEFLAGS) --no-print-directory modules

bpf: .needs ## build the BPF objects and their skeletons
	$(Q)$(MAKE) --no-print-directory -f bpf/Makefile

lib: bpf ## build libshim, shared and static
	$(Q)$(MAKE) --no-print-directory -f user/Makefile
	$(Q)$(MAKE) --no-print-directory -f user/java/Makefile

tools: lib ## build the vcpc command, the examples, and PCP's agent if its headers are installed
	$(Q)$(MAKE) --no-print-directory -f tools/Makefile
	$(Q)$(MAKE) --no-print-directory -f tools/pmda/Makefile

.needs-tests:
	@scripts/setup.sh --check tests

tests: .needs-tests lib tools ## build the test programs
	$(Q)$(MAKE) --no-print-directory -f selftests/Makefile

check: all ## run all checks: checkpatch --strict, sparse, layers, symbols, documentation, scripts
	@scripts/setup.sh --check tests check
	@scripts/check.sh $(OUT)

check-fast: ## run the checks that need no build
	@scripts/check.sh $(OUT) fast

test: ## run all tests: natively, under sanitizers, and in both VMs (half an hour on two cores)
	@selftests/test.sh

test-rest: ## run the tests that make test skips in one of the VMs to save time
	@selftests/test.sh --rest

test-attack: ## attack the module under the debug kernel for hours (ATTACK_TRIES=, ATTACK_ROUNDS=)
	@selftests/vm/kernel.sh attack $(FOLDERS)

test-debug: ## run the tests that need a VM under a debug kernel (the first build takes ten minutes)
	@selftests/vm/kernel.sh debug $(FOLDERS)

test-nmi: ## run the overflow and race tests under the debug kernel with a PMU that interrupts by NMI
	@selftests/vm/kernel.sh nmi $(FOLDERS)

test-clang: ## run tests of the module, compiled by clang, on a kernel compiled by clang (the first build takes ten minutes)
	@selftests/vm/kernel.sh clang $(FOLDERS)

test-kcsan: ## run the race and overflow tests under a KCSAN kernel (the first build takes ten minutes)
	@selftests/vm/kernel.sh kcsan $(FOLDERS)

fuzz-kernel: ## fuzz the module under the debug kernel, guided by coverage, for FUZZ_SECONDS (300)
	@selftests/vm/kernel.sh fuzz

test-newer: ## run the tests that need a VM on Debian's backports kernels, x86-64 and arm64 (NEWER=6.12; default: newest)
	@NEWER=$(NEWER) selftests/vm/kernel.sh newer $(FOLDERS)
	@NEWER=$(NEWER) selftests/vm/kernel.sh newer-arm64 $(FOLDERS)

test-memory: ## run the tests of libcpc and tracing under ASan and UBSan, and under valgrind (x86-64 VM)
	@selftests/vm/memory.sh asan $(FOLDERS)
	@selftests/vm/memory.sh valgrind $(FOLDERS)

test-threads: ## run the library's thread tests under ThreadSanitizer (natively)
	@selftests/threads.sh

soak: soak-fail ## run failing calls, races, both fuzzers and unloading under the debug kernel for an hour (SOAK_MINUTES=, SOAK_SEED=)
	@selftests/vm/kernel.sh soak $(FOLDERS)

soak-fail: lib tools ## make each system call that can fail in typical programs fail once (natively; tracing in a VM, 20 of each kind)
	@$(MAKE) tests TESTS=fail
	@for t in $(OUT)/tests/fail/*[a-z] selftests/fail/*.sh; do \
		[ ! -f "$$t" ] || FAIL_POINTS=0 "$$t" || exit 1; done
	@TEST_TIMEOUT=50000 VM_OPTIONS='--timeout 50000' VM_ENVIRONMENT=FAIL_POINTS=$(or $(FAIL_POINTS),20) selftests/vm/kernel.sh newer \
		why/failing.sh why/failures tools/failing.sh bpf/failures

test-fresh: ## run both commands of the README in bare Debian roots (as root; FRESH='make demo', SUITES=trixie)
	@for suite in $(or $(SUITES),bookworm trixie); do scripts/fresh.sh $$suite '$(or $(FRESH),make demo && make test)' || exit; done

matrix: ## print a table of the kernels, machines and hosts of the last make test and make test-fresh
	@selftests/matrix.sh

test-packages: ## build, compare, check, install, upgrade and purge the packages (as root, in separate roots; SUITES=)
	@for suite in $(or $(SUITES),bookworm trixie); do selftests/packages/test.sh $$suite || exit; done

demo: ## run the whole tutorial: count, trace and record in a VM, replay here (MODULE=no: without the module)
	@tools/demo/demo.sh

bench: ## compare the instruction counts of hot paths with other tools (arm64 VM)
	@selftests/bench/bench.sh

bench-live: lib ## compare the CPU time of fetching from a pmcd with PCP's library
	@selftests/bench/live_rate.sh

bench-archive: lib ## compare the CPU time of reading archives with PCP's library
	@selftests/bench/archive.sh

soak-archive: lib ## fuzz the archive reader for FUZZ_SECONDS (3600)
	@FUZZ_SEED=0 FUZZ_SECONDS=$(or $(FUZZ_SECONDS),3600) selftests/fuzz/archive.sh

test-pcp-qa: lib ## run programs of PCP 7.2.2's own test suite with our library and with PCP's
	@selftests/qa/qa.sh

soak-scripts: lib ## compare random sequences of calls with PCP's library for SOAK_MINUTES (60)
	@SOAK_MINUTES=$(or $(SOAK_MINUTES),60) selftests/pcp/random_scripts.sh

test-mutants: ## check that native tests detect errors inserted into the library (MUTANTS=30, SEED=1)
	@selftests/mutants/mutants.sh $(or $(MUTANTS),30) $(or $(SEED),1)

docs: ## build the documentation site in build/docs, including the manual pages (installs Sphinx)
	@scripts/setup.sh docs
	@scripts/docs.sh build/docs

vm-shell: module lib tools ## open a shell in the VM of ARCH, with the module and the tools
	@selftests/vm/shell.sh $(ARCH) $(OUT)

install: ## install the built files (DESTDIR=, PREFIX=, LIBDIR=; MODULE=no: without the module)
	@scripts/install.sh install $(OUT)

uninstall: ## remove the files that make install has installed
	@scripts/install.sh uninstall $(OUT)

dist: ## pack the committed source into a reproducible vcpc-VERSION.tar.xz
	@scripts/dist.sh $(TOP)/build

deb: ## build Debian packages of the committed source into build/deb
	@scripts/deb.sh $(TOP)/build/deb

clean: ## remove everything that was built
	rm -rf build
