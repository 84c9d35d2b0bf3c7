// SPDX-License-Identifier: LGPL-2.1-or-later
package sgi.pcp;

/**
 * Performance Co-Pilot's trace calls for Java; libshim-trace(3) describes them.
 *
 * A call returns 0, or a negative code that pmtraceerrstr() explains. A tag is
 * sent in modified UTF-8.
 */
public class trace {
    public static final int PMTRACE_STATE_NONE = 0;
    public static final int PMTRACE_STATE_API = 1;
    public static final int PMTRACE_STATE_COMMS = 2;
    public static final int PMTRACE_STATE_PDU = 4;
    public static final int PMTRACE_STATE_PDUBUF = 8;
    public static final int PMTRACE_STATE_NOAGENT = 16;
    public static final int PMTRACE_STATE_ASYNC = 32;

    static {
        System.loadLibrary("shim_java");
    }

    /** Begin a transaction. */
    public static native int pmtracebegin(String tag);

    /** End a transaction and record its duration. */
    public static native int pmtraceend(String tag);

    /** End a transaction without recording it. */
    public static native int pmtraceabort(String tag);

    /** Record that a point of the program was passed. */
    public static native int pmtracepoint(String tag);

    /** Record a value that was observed. */
    public static native int pmtraceobs(String tag, double value);

    /** Record the value of a counter, which only increases. */
    public static native int pmtracecounter(String tag, double value);

    /** Return the text that describes a result. */
    public static native String pmtraceerrstr(int code);

    /** Replace the state flags, and return the previous ones. */
    public static native int pmtracestate(int flags);
}
