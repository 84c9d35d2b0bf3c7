# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the output of peer/script.c in two runs, PCP's first.  Print each script that differs,
# from the first differing line on, then the number of differences of each kind.  If PCP's program
# did not finish a script, compare only the part before its end.
function finish() {
	if (script != "" && bad == "" && i < n[script])
		bad = "  ends earlier"
	if (bad != "") {
		differ++
		if (differ <= 5)
			print "script " script ": " bad
	}
	bad = ""
}
FNR == 1 { other++; script = "" }
/^== / {
	if (other == 2)
		finish()
	script = $2
	i = 0
	if (other == 2)
		scripts++
	next
}
other == 1 {
	if (/^ended by signal/) {
		died[script] = 1
		deaths++
	}
	line[script, ++n[script]] = $0
	next
}
bad == "" && /^ended by signal/ { bad = $0; next }
bad == "" {
	i++
	if (script in died && i >= n[script] - 60)
		next
	if (line[script, i] != $0)
		bad = "line " i "\n  pcp:  " substr(line[script, i], 1, 200) "\n  shim: " substr($0, 1, 200)
}
END {
	finish()
	print scripts + 0 " scripts, " differ + 0 " differ, PCP did not end " deaths + 0
	exit differ > 0 || !scripts
}
