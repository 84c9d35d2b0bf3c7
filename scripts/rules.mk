# SPDX-License-Identifier: GPL-2.0-or-later
# Build rules; the Makefiles in the directories list sources and flags.

# The dependencies of an object, in addition to its sources
RECIPES := $(TOP)/scripts/config.mk $(TOP)/scripts/rules.mk

say = @printf '  %-7s %s\n' $(1) $(patsubst $(TOP)/%,%,$(2))

# The include path of a directory of the library: $(call layer,directory,lower directories).  It contains
# links to the lower directories only, so other headers cannot be included.
layer_dir = $(OUT)/layers/$(1)
define layer
$(OUT)/layers/$(1)/.done: $(TOP)/user/Makefile
	@rm -rf $(OUT)/layers/$(1) && mkdir -p $(OUT)/layers/$(1)
	@$(foreach l,$(2),ln -s $(if $(filter bpf,$(l)),$(TOP)/bpf,$(TOP)/user/$(l)) $(OUT)/layers/$(1)/$(l);)
	@touch $$@
endef

# A directory of the library: build objects from all its .c files.
define folder
$(1)_SRCS := $(sort $(wildcard $(TOP)/user/$(1)/*.c))
$(1)_OBJS := $$(patsubst $(TOP)/user/%.c,$(OUT)/obj/%.o,$$($(1)_SRCS))
$$($(1)_OBJS): $(OUT)/obj/$(1)/%.o: $(TOP)/user/$(1)/%.c $(OUT)/layers/$(1)/.done $(RECIPES) | $(GENERATED)
	$$(call begin)
	$$(call say,CC,$$<)
	$$(Q)$$(CC) $$(CPPFLAGS) $$(CFLAGS) -I$(call layer_dir,$(1)) $(3) -c -o $$@ $$<
	$$(Q)$$(call depends,$$(@:.o=.d))
$(call layer,$(1),$(2))
LIB_OBJS += $$($(1)_OBJS)
endef
