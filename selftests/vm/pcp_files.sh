# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts that copy PCP's collector, its trace agent and its tools into a VM, and that
# have sourced /etc/pcp.env.
#
# Symbolic links are resolved to find the files.
pcp_files="$PCP_BINADM_DIR/pmcd $PCP_BINADM_DIR/pmnsmerge $PCP_BINADM_DIR/pmcpp $PCP_VAR_DIR/pmns/root_pmcd
$PCP_PMDAS_DIR/trace/pmdatrace $PCP_PMDAS_DIR/trace/pmns $PCP_PMDAS_DIR/trace/root $PCP_PMDAS_DIR/pmcd/pmda_pmcd.so
$PCP_PMDAS_DIR/pmcd/help.dir $PCP_PMDAS_DIR/pmcd/help.pag /etc/pcp.env /etc/pcp.conf
/usr/bin/pminfo /usr/bin/pmval /usr/bin/pmlogcheck /usr/bin/pmdumplog"
# Commands for the start of a job, which give the guest a host name
pcp_names='echo 127.0.0.1 localhost "$(hostname)" >/etc/hosts; echo hosts: files >/etc/nsswitch.conf'
