# SPDX-License-Identifier: GPL-2.0-or-later
# How large the files are together that "apt-get download --print-uris" tells of.
{ bytes += $(NF - 1) }
END { printf "%.0f MB", bytes / 1e6 }
