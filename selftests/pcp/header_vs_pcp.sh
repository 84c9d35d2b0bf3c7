#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare our public headers with PCP's: each function's type, each macro's value and each
# structure's layout.  This script lists the names that only one of the two defines.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck disable=SC2154,SC2034
evidence="$dir/log"
include=$here/../../user/include

# Functions that PCP's library exports without declaring them, or that only its next version
# declares
ours='pmClearFetchGroup|pmExtendFetchGroup_(timespec|timeval)'
ours="$ours|pmiWrite2|pmiHighResWrite|pmiPutAtomValue|pmiPutAtomValueHandle|pmiPutHighResResult|pmiDelInstance"
ours="$ours|pmiSetZoneinfo|pmiNextVolume|pmiExtraUnits"
ours="$ours|pmGetDebug|pmtimevalPrint|pmtimespecPrint(Interval)?|pmtimevalTotimespec|pmtimespecTotimeval"
ours="$ours|pmiWriteNow|pmiSetVolumeSize|pmiSetImportProgram|pmAddDerivedText|pmUnregisterDerived"
# Inline functions that check arguments (pmapi_checks.h)
ours="$ours|pm[A-Za-z_0-9]*_wrong_time_see_PMAPI_VERSION"
# Macros without a value: guards, keywords of other compilers, build options, macros with arguments
no_value='[A-Z0-9_]*_H|PMI?_CALL|PM_SIZEOF_.*|PM_XTB_[SG]ET|PM_VERSION|PMAPI_OPTIONS_(HEADER|TEXT)'
# Additions of PCP 7.2 since 6.0.3
newer='PM_(UNIT|TEMPERATURE|VOLTAGE|CURRENT|POWER)_[A-Za-z]*'
newer="$newer|PM_CTXFLAG_METADATA_ONLY|PMAPI_VERSION_4|PM_ERR_ARG|PM_CTXFLAG_LAST_VOLUME|PMCD_HOSTNAME_CHANGE|PM_LOG_VOL_CURRENT"

# cc_side SIDE ARGUMENT...: run the compiler with that side's headers
cc_side() {
	side=$1
	shift
	[ "$side" = pcp ] || set -- -I"$include" "$@"
	cc -w "$@"
}

# types SIDE: print the types of the functions, one per line
types() {
	cc_side "$1" -aux-info "$dir/aux" -c -o /dev/null "$dir/both.c" || return
	sed -E 's,^/\*[^*]*\*/ ,,' "$dir/aux" | grep -E '[ *]pm[A-Za-z_0-9]+ \(' |
		grep -vE "[ *]($ours) \(" | sort -u
}

# macros SIDE: print the names of macros that have a value and that programs may use
macros() {
	cc_side "$1" -E -dM "$dir/both.c" |
		grep -oE '^#define (PM[A-Z]*|PMNS)_[A-Za-z0-9_]*\>' | cut -d ' ' -f 2 |
		grep -vxE "$no_value|$newer" | sort -u
}

# Lists of options differ: the text of -a is that of PCP 6.3, not of 6.0.3.
values() {
	cc_side "$1" -E -P "$dir/lists.c" | sed -n 's/^LIST//p' |
		sed -e 's/  *//g' -e 's/(char\*)0/0/g' -e 's/aPCPlogarchive/aPCParchive/'
	cc_side "$1" -o "$dir/program" "$dir/values.c" && "$dir/program"
}

# Debugging options, which are separate fields, are omitted, because each version of PCP appends
# some.
layouts() {
	cc_side "$1" -o "$dir/program" "$dir/layouts.c" && "$dir/program" | grep -v '^pmdebugoptions_t '
}

# the_same WHAT COMMAND: check that COMMAND prints the same non-empty output for both sides
the_same() {
	{
		"$2" pcp >"$dir/pcp" && "$2" shim >"$dir/shim" && [ -s "$dir/shim" ] &&
			diff "$dir/pcp" "$dir/shim"
	} >"$dir/log" 2>&1
	result "$1: $(wc -l <"$dir/shim")"
}

needs_pcp import.h libpcp-import1-dev
printf '#include <pcp/pmapi.h>\n#include <pcp/import.h>\n' >"$dir/both.c"

the_same "types of functions" types

# Macros for system settings are the same as in PCP's header, except for PCP's build options and for
# headers that are not installed here.
platform() {
	echo '#include <pcp/platform_defs.h>' | cc_side "$1" -E -dM - |
		grep -oE '^#define (HAVE|IS)_[A-Za-z0-9_]*\>' | cut -d ' ' -f 2 | sort -u
}
built='HAVE_(SECURE_SOCKETS|STATIC_PROBES|PMA_QUERY_VIA|UV_PIPE_CHMOD|LIBIBU?MAD|SET_ESCDELAY|GETMOUSE|CONFIG.*)'
built="$built|HAVE_(STRERROR_R_PTR|INFINIBAND_.*|AVAHI_.*|SYSTEMD_.*|(LIB)?READLINE|PERFMON_.*|N?CURSES.*|TERM_H|LZMA_H)"
{
	platform pcp | grep -vxE "$built" >"$dir/platform.pcp"
	platform shim >"$dir/platform.shim"
	[ -s "$dir/platform.pcp" ] && ! comm -23 "$dir/platform.pcp" "$dir/platform.shim" | grep .
} >"$dir/log" 2>&1
result "names of system features: $(wc -l <"$dir/platform.shim")"

the_same "names of macros" macros

macros shim >"$dir/names"
{
	cat "$dir/both.c"
	grep -E '^PM(OPT|API_(GENERAL_)?OPTIONS)' "$dir/names" | sed 's/.*/LIST "&" &/'
} >"$dir/lists.c"
{
	cat "$dir/both.c"
	cat <<'END'
#define VALUE(m) say(#m, _Generic((m), char *: (m), default: ""), (long long)_Generic((m), char *: 0, default: (m)));
static void say(const char *name, const char *text, long long number)
{
	printf("%s %s %lld\n", name, text, number);
}
int main(void)
{
END
	# Exclude the version, because the installed PCP has another one than the library
	# implements.
	grep -vE '^PM(OPT_|API_(GENERAL_)?OPTIONS|_VERSION_CURRENT)' "$dir/names" | sed 's/.*/VALUE(&)/'
	echo '}'
} >"$dir/values.c"
the_same "values of macros" values

{
	cat "$dir/both.c"
	cat <<'END'
#define SIZE(t)		printf("%s %zu\n", #t, sizeof(t));
#define FIELD(t, f)	printf("%s.%s %zu %zu\n", #t, #f, offsetof(t, f), sizeof(((t *)0)->f));
#define BITS(t, f)	{ t x; memset(&x, 0, sizeof(x)); x.f = -1; bits(#t, #f, &x, sizeof(x), x.f < 0); }
static void bits(const char *type, const char *name, void *x, int size, int is_signed)
{
	printf("%s.%s %d ", type, name, is_signed);
	for (int i = 0; i < size; i++)
		printf("%02x", ((unsigned char *)x)[i]);
	printf("\n");
}
int main(void)
{
END
	# Our structures have two fields in place of "pad", as in PCP 7.2; exclude them.
	cc_side shim -E -P "$dir/both.c" | sed "s/; */;\n/g" | awk -f "$here/peer/fields.awk" | grep -v 'pmUnits, extra'
	echo '}'
} >"$dir/layouts.c"
the_same "fields of structures" layouts
done_testing
