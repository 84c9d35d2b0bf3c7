# SPDX-License-Identifier: GPL-2.0-or-later
# Read a preprocessed header.  For each structure of PCP print SIZE(type), and for each of its
# fields FIELD(type, name), or BITS(type, name) if it is a bit-field.

/^typedef (struct|union)( [A-Za-z]+)? {$/ { depth = 1; n = 0; next }
!depth { next }
/{$/ { depth++; next }
depth > 1 && /^ *}/ { depth--; sub(/^ *}/, "") }

depth == 1 && /^}/ {
	depth = 0
	gsub(/[};]| /, "")
	if (!/^pm/)
		next
	print "SIZE(" $0 ")"
	for (i = 1; i <= n; i++)
		print kind[i] "(" $0 ", " name[i] ")"
	next
}

depth == 1 {
	count = split($0, part, ",")
	for (i = 1; i <= count; i++) {
		kind[++n] = part[i] ~ / : / ? "BITS" : "FIELD"
		sub(/( :|\[|;).*/, "", part[i])
		sub(/.*[ *]/, "", part[i])
		name[n] = part[i]
	}
}
