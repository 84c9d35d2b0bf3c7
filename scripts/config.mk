# SPDX-License-Identifier: GPL-2.0-or-later
# Architectures, tools, options, and the directories for results

HOST_ARCH := $(patsubst aarch64,arm64,$(shell uname -m))
HOST_TRIPLET := $(patsubst arm64,aarch64,$(HOST_ARCH))-linux-gnu
ARCH ?= $(HOST_ARCH)
TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
VERSION := $(shell cat $(TOP)/VERSION)
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vcpc
OUT := $(TOP)/build/$(ARCH)$(if $(SAN),-$(if $(filter thread,$(SAN)),tsan,san))

# Directories for make install, with the names of the GNU standards
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
JNIDIR ?= $(LIBDIR)
MODULE ?= if-built
export DESTDIR PREFIX LIBDIR JNIDIR MODULE
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

ifeq ($(ARCH),x86_64)
TRIPLET := x86_64-linux-gnu
else ifeq ($(ARCH),arm64)
TRIPLET := aarch64-linux-gnu
else
$(error ARCH is x86_64 or arm64, not $(ARCH))
endif

# For another architecture, link with its packages in the cache.
ifneq ($(ARCH),$(HOST_ARCH))
CROSS_COMPILE := $(TRIPLET)-
SYSROOT = $(shell $(TOP)/scripts/sysroot.sh path $(ARCH))
CPPFLAGS += -isystem $(SYSROOT)/usr/include
# Symbolic links from the first directory to the second one do not work in the cache.
LDFLAGS += -L$(SYSROOT)/usr/lib/$(TRIPLET) -L$(SYSROOT)/lib/$(TRIPLET) -Wl,-rpath-link,$(SYSROOT)/usr/lib/$(TRIPLET) \
	   -Wl,-rpath-link,$(SYSROOT)/lib/$(TRIPLET)
endif
# Use ccache if it is installed; it also finds objects compiled in another checkout.
CCACHE ?= $(shell command -v ccache)
ifneq ($(CCACHE),)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_BASEDIR := $(TOP)
export CCACHE_NOHASHDIR := 1
endif
CC := $(strip $(CCACHE) $(CROSS_COMPILE)gcc)
AR := $(CROSS_COMPILE)gcc-ar
CLANG ?= clang
BPFTOOL ?= $(or $(shell PATH=$$PATH:/usr/sbin command -v bpftool),/usr/sbin/bpftool)

# Files that only the kernel's source tree contains (kselftest's harness, checkpatch); scripts/setup.sh
# unpacks them.
KSRC ?= $(CACHE)/ksrc
# The kernel for which the module is built: the running kernel if its headers are installed, otherwise the
# newest kernel for this architecture with headers.
KDIR ?= $(shell $(TOP)/scripts/kdir.sh $(ARCH))

# Programs find the library relative to their own directory; distributions set RPATH= and use the
# loader's path.
RPATH ?= yes
comma := ,
rpath = $(if $(RPATH),-Wl$(comma)-rpath$(comma)'$(1)')

# -O1 halves the build time with sanitizers, which make the programs slow anyway.
OPT ?= $(if $(SAN),-O1,-O2) -g
CFLAGS += -std=gnu11 $(OPT) -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
	  -fvisibility=hidden -fPIC -MMD -MP
# $(call begin,DIR...): create the directories, and remove the target.  A failed compilation would leave the
# old target together with a new .d file in which "depends" has not yet corrected the name.
begin = @mkdir -p $(@D) $(1) && rm -f $@
# $(call depends,FILE.d...): use make's name of the target, because ccache writes short paths
depends = sed -i '1s|^[^ ]*:|$@:|' $(1)
ifneq ($(WERROR),)
CFLAGS += -Werror
endif
ifeq ($(SAN),thread)
# -Wno-tsan: ThreadSanitizer does not support the fences used to read perf's pages.
CFLAGS += -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan
LDFLAGS += -fsanitize=thread
else ifneq ($(SAN),)
CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif

# Debian's kernel headers need these variables to build for another architecture.
ifneq ($(ARCH),$(HOST_ARCH))
KMAKEFLAGS := ARCH=$(ARCH) CROSS_COMPILE=$(CROSS_COMPILE) \
	DEB_BUILD_ARCH=$(patsubst x86_64,amd64,$(HOST_ARCH)) DEB_HOST_ARCH=$(patsubst x86_64,amd64,$(ARCH)) \
	DEB_HOST_GNU_TYPE=$(TRIPLET)
endif
