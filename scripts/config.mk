# SPDX-License-Identifier: GPL-2.0-or-later
# What is built for which machine, with which tools, and where results go.

HOST_ARCH := $(patsubst aarch64,arm64,$(shell uname -m))
HOST_TRIPLET := $(patsubst arm64,aarch64,$(HOST_ARCH))-linux-gnu
ARCH ?= $(HOST_ARCH)
TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
VERSION := $(shell cat $(TOP)/VERSION)
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vcpc
OUT := $(TOP)/build/$(ARCH)$(if $(SAN),-$(if $(filter thread,$(SAN)),tsan,san))

# Where make install puts it, as GNU's standards call the folders
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

# Another machine's programs are built against its packages in the cache.
ifneq ($(ARCH),$(HOST_ARCH))
CROSS_COMPILE := $(TRIPLET)-
SYSROOT = $(shell $(TOP)/scripts/sysroot.sh path $(ARCH))
CPPFLAGS += -isystem $(SYSROOT)/usr/include
# Links in the first folder that should lead to the second one lead nowhere.
LDFLAGS += -L$(SYSROOT)/usr/lib/$(TRIPLET) -L$(SYSROOT)/lib/$(TRIPLET) -Wl,-rpath-link,$(SYSROOT)/usr/lib/$(TRIPLET) \
	   -Wl,-rpath-link,$(SYSROOT)/lib/$(TRIPLET)
endif
# What was compiled before, also in another checkout, comes from a cache, if ccache is here.
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

# Files of the kernel's source tree that no header package has (kselftest's
# harness, checkpatch), unpacked by scripts/setup.sh.
KSRC ?= $(CACHE)/ksrc
# The kernel that the module is built for: the running one if its headers are
# here, otherwise the newest that is installed for this machine.
KDIR ?= $(shell $(TOP)/scripts/kdir.sh $(ARCH))

# Where programs find the library beside them; RPATH= for a distribution, whose loader knows.
RPATH ?= yes
comma := ,
rpath = $(if $(RPATH),-Wl$(comma)-rpath$(comma)'$(1)')

# Under sanitizers half the time to build: they slow programs anyway.
OPT ?= $(if $(SAN),-O1,-O2) -g
CFLAGS += -std=gnu11 $(OPT) -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
	  -fvisibility=hidden -fPIC -MMD -MP
# $(call depends,FILE.d...): whose rule becomes the target's, as make knows it; ccache writes short paths
depends = sed -i '1s|^[^ ]*:|$@:|' $(1)
ifneq ($(WERROR),)
CFLAGS += -Werror
endif
ifeq ($(SAN),thread)
# -Wno-tsan: it does not know fences, by which perf's pages are read
CFLAGS += -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan
LDFLAGS += -fsanitize=thread
else ifneq ($(SAN),)
CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif

# The kernel's own make wants to know of a cross build in its own words.
ifneq ($(ARCH),$(HOST_ARCH))
KMAKEFLAGS := ARCH=$(ARCH) CROSS_COMPILE=$(CROSS_COMPILE) \
	DEB_BUILD_ARCH=$(patsubst x86_64,amd64,$(HOST_ARCH)) DEB_HOST_ARCH=$(patsubst x86_64,amd64,$(ARCH)) \
	DEB_HOST_GNU_TYPE=$(TRIPLET)
endif
