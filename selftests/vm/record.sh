#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Record archives in the VM that the host reads with PCP's own tools.
set -eu

folder=$1
mkdir -p "$folder"
head -c 60000 /usr/lib/libc.so.6 >/tmp/data
events=task-clock,page-faults,context-switches
if vcpc stat -e cycles -- true 2>&1 >/dev/null | grep -q '^ *[0-9,]*  *cycles'; then
	events=cycles,instructions,$events
fi

vcpc record -o "$folder/plain" -I 10msec -e $events -- xz -k /tmp/data
vcpc trace on
vcpc record -o "$folder/traced" -I 20msec -e $events -- orders

# Kill the recorder.  The records that it has written must be complete.
setsid vcpc record -o "$folder/killed" -I 5msec -e $events -- orders &
victim=$!
while ! [ -e "$folder/killed.0" ] || [ "$(wc -c <"$folder/killed.0")" -lt 5000 ]; do
	sleep 0.01
done
kill -9 $victim
wait $victim || :
kill -9 -$victim # orders
vcpc trace off
