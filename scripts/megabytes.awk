# SPDX-License-Identifier: GPL-2.0-or-later
# Print the total size of the files that "apt-get download --print-uris" lists.
{ bytes += $(NF - 1) }
END { printf "%.0f MB", bytes / 1e6 }
