# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of libshim's C interface that this package calls: functions, structures, numbers.

Functions are declared as in C.  selftests/python/interface_test.py makes the compiler compare all types, offsets,
sizes and numbers with the public headers.
"""
import ctypes
import re
from ctypes import POINTER, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32
from ctypes import c_uint64, c_ulonglong, c_void_p, py_object

HEADERS = ("shim/shim.h", "pcp/trace.h", "pcp/pmapi.h")

PROTOTYPES = """
const char *shim_version(void);
int shim_open(struct shim_handle **);
void shim_close(struct shim_handle *);
const char *shim_backend(struct shim_handle *);
int shim_backend_why(struct shim_handle *, char *, size_t);
int shim_events_walk(struct shim_handle *, int (*)(void *, const char *, const char *), void *);
int shim_event_suggest(const char *, char *, size_t);
int shim_set_create(struct shim_handle *, const char *const *, unsigned int, unsigned int *, struct shim_set **);
void shim_set_destroy(struct shim_set *);
const char *shim_set_event(const struct shim_set *, unsigned int);
int shim_set_bind(struct shim_set *, pid_t, unsigned int);
int shim_set_enable(struct shim_set *, pid_t);
int shim_set_disable(struct shim_set *, pid_t);
int shim_set_sample(struct shim_set *, pid_t, struct shim_sample *);
int shim_set_total(struct shim_set *, pid_t, struct shim_sample *);

int pmtracebegin(const char *);
int pmtraceend(const char *);
int pmtraceabort(const char *);
int pmtracepoint(const char *);
int pmtraceobs(const char *, double);
int pmtracecounter(const char *, double);
char *pmtraceerrstr(int);
unsigned long long shim_trace_lost(void);

char *pmErrStr_r(int, char *, int);
int pmNewContext(int, const char *);
int pmDupContext(void);
int pmUseContext(int);
int pmDestroyContext(int);
int pmGetHighResArchiveLabel(pmHighResLogLabel *);
int pmGetHighResArchiveEnd(struct timespec *);
int pmLookupName(int, const char **, pmID *);
int pmGetChildrenStatus(const char *, char ***, int **);
int pmLookupDesc(pmID, pmDesc *);
int pmLookupText(pmID, int, char **);
int pmGetInDomArchive(pmInDom, int **, char ***);
int pmSetModeHighRes(int, const struct timespec *, const struct timespec *);
int pmFetchHighRes(int, pmID *, pmHighResResult **);
void pmFreeHighResResult(pmHighResResult *);
int pmExtractValue(int, const pmValue *, int, pmAtomValue *, int);
char *pmUnitsStr_r(const pmUnits *, char *, int);
const char *pmTypeStr(int);
const char *pmSemStr(int);
int pmParseHighResInterval(const char *, struct timespec *, char **);
int pmParseHighResTimeWindow(const char *, const char *, const char *, const char *, const struct timespec *,
    const struct timespec *, struct timespec *, struct timespec *, struct timespec *, char **);
"""

# Constants from the headers
NUMBERS = {
    "SHIM_EVENT_MAX": 256, "SHIM_SET_MAX": 64, "SHIM_WHY_MAX": 512, "SHIM_STATE_EXITED": 2,
    "SHIM_BIND_THREADS": 2, "SHIM_BIND_TREE": 4, "SHIM_BIND_PROCESS": 8, "SHIM_BIND_CPU": 16,
    "PMTRACE_ERR_TAGNAME": -12000, "PMTRACE_ERR_INPROGRESS": -12001, "PMTRACE_ERR_NOPROGRESS": -12002,
    "PMTRACE_ERR_NOSUCHTAG": -12003, "PMTRACE_ERR_TAGTYPE": -12004, "PMTRACE_ERR_TAGLENGTH": -12005,
    "PM_MAXERRMSGLEN": 128, "PM_CONTEXT_ARCHIVE": 2, "PM_MODE_INTERP": 1, "PM_MODE_FORW": 2,
    "PM_ID_NULL": 0xffffffff, "PM_INDOM_NULL": 0xffffffff, "PM_IN_NULL": 0xffffffff, "PMNS_NONLEAF_STATUS": 1,
    "PM_TYPE_32": 0, "PM_TYPE_U32": 1, "PM_TYPE_64": 2, "PM_TYPE_U64": 3, "PM_TYPE_FLOAT": 4, "PM_TYPE_DOUBLE": 5,
    "PM_TYPE_STRING": 6, "PM_TYPE_AGGREGATE": 7, "PM_TYPE_AGGREGATE_STATIC": 8, "PM_VAL_HDR_SIZE": 4,
    "PM_TEXT_ONELINE": 1, "PM_TEXT_HELP": 2, "PM_TEXT_DIRECT": 16, "PM_MAX_TIME_T": 0x7fffffffffffffff,
    "PM_ERR_EOL": -12370, "PM_ERR_NOTHOST": -12369, "PM_ERR_NONLEAF": -12394, "PM_ERR_TEXT": -12349, "PM_ERR_TYPE": -12397,
    "PM_ERR_BADDERIVE": -12409,
}
globals().update(NUMBERS)


# _cname_: the type's name in C
class Timespec(ctypes.Structure):
    _cname_ = "struct timespec"
    _fields_ = [("tv_sec", c_int64), ("tv_nsec", c_int64)]


class ShimSample(ctypes.Structure):
    _cname_ = "struct shim_sample"
    _fields_ = [
        ("time", c_uint64), ("tick", c_uint64), ("enabled", c_uint64), ("running", c_uint64),
        ("nr", c_uint32), ("state", c_uint32), ("values", c_uint64 * NUMBERS["SHIM_SET_MAX"]),
    ]


class Units(ctypes.Structure):
    _cname_ = "pmUnits"
    _fields_ = [
        ("extraScale", c_uint, 3), ("extraUnit", c_int, 5), ("scaleCount", c_int, 4), ("scaleTime", c_uint, 4), ("scaleSpace", c_uint, 4),
        ("dimCount", c_int, 4), ("dimTime", c_int, 4), ("dimSpace", c_int, 4),
    ]


class Desc(ctypes.Structure):
    _cname_ = "pmDesc"
    _fields_ = [("pmid", c_uint), ("type", c_int), ("indom", c_uint), ("sem", c_int), ("units", Units)]


class ValueBlock(ctypes.Structure):
    _cname_ = "pmValueBlock"
    _fields_ = [("vlen", c_uint, 24), ("vtype", c_uint, 8), ("vbuf", c_char * 1)]


class _InsituOrPointer(ctypes.Union):
    _fields_ = [("pval", c_void_p), ("lval", c_int)]


class Value(ctypes.Structure):
    _cname_ = "pmValue"
    _fields_ = [("inst", c_int), ("value", _InsituOrPointer)]


class ValueSet(ctypes.Structure):
    _cname_ = "pmValueSet"
    _fields_ = [("pmid", c_uint), ("numval", c_int), ("valfmt", c_int), ("vlist", Value * 1)]


class Result(ctypes.Structure):
    _cname_ = "pmHighResResult"
    _fields_ = [("timestamp", Timespec), ("numpmid", c_int), ("vset", POINTER(ValueSet) * 1)]


class AtomValue(ctypes.Union):
    _cname_ = "pmAtomValue"
    _fields_ = [
        ("l", c_int32), ("ul", c_uint32), ("ll", c_int64), ("ull", c_uint64), ("f", c_float), ("d", c_double),
        ("cp", c_void_p), ("vbp", c_void_p),
    ]


class Label(ctypes.Structure):
    _cname_ = "pmHighResLogLabel"
    _fields_ = [
        ("magic", c_int), ("pid", c_int), ("start", Timespec), ("hostname", c_char * 256), ("timezone", c_char * 256),
        ("zoneinfo", c_char * 256),
    ]


# For shim_events_walk(), whose third argument is a dict: operator.setitem stores each event in it.
# No bytecode runs between two events, so no signal handler can raise an exception, which a callback
# could not pass on.  setitem returns None, which C receives as the int 0, so the walk continues.
WALK = ctypes.CFUNCTYPE(c_void_p, py_object, c_char_p, c_char_p)

# ctypes' types for C types.  Memory that must be freed is passed as an address.
TYPES = {
    "void": None, "int": c_int, "unsigned int": c_uint, "unsigned long long": c_ulonglong, "size_t": c_size_t,
    "pid_t": c_int, "double": c_double, "pmID": c_uint, "pmInDom": c_uint,
    "char *": c_char_p, "const char *": c_char_p, "void *": py_object,
    "int (*)(void *, const char *, const char *)": WALK,
    "char **": POINTER(c_void_p), "const char **": POINTER(c_char_p), "const char *const *": POINTER(c_char_p),
    "char ***": POINTER(POINTER(c_char_p)), "int **": POINTER(POINTER(c_int)), "unsigned int *": POINTER(c_uint),
    "pmID *": POINTER(c_uint),
    "struct shim_handle *": c_void_p, "struct shim_handle **": POINTER(c_void_p), "struct shim_set *": c_void_p,
    "const struct shim_set *": c_void_p, "struct shim_set **": POINTER(c_void_p),
    "struct shim_sample *": POINTER(ShimSample), "struct timespec *": POINTER(Timespec),
    "const struct timespec *": POINTER(Timespec), "pmHighResLogLabel *": POINTER(Label), "pmDesc *": POINTER(Desc),
    "pmHighResResult *": POINTER(Result), "pmHighResResult **": POINTER(POINTER(Result)),
    "const pmValue *": POINTER(Value), "pmAtomValue *": POINTER(AtomValue), "const pmUnits *": POINTER(Units),
}


def functions():
    """Yield (name, type of the result, types of the arguments) of each function."""
    for prototype in PROTOTYPES.split(";"):
        parts = re.fullmatch(r"\s*(.*?)(\w+)\((.*)\)\s*", prototype, re.DOTALL)
        if not parts:
            continue
        result, name, arguments = parts.groups()
        types = [" ".join(text.split()) for text in re.split(r",(?![^()]*\))", arguments)]
        yield name, TYPES[result.strip()], [TYPES[text] for text in types if text != "void"]
