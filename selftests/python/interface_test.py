# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare vcpc._interface with the public headers, using the C compiler."""
import ctypes
import os
import subprocess
import tempfile
import unittest

from vcpc import _interface as c

TOP = os.path.join(os.path.dirname(__file__), "..", "..")
INCLUDES = "".join(f"#include <{header}>\n" for header in c.HEADERS) + "#include <time.h>\n"
SCALARS = {name: kind for name, kind in c.TYPES.items() if kind is not None and issubclass(kind, ctypes._SimpleCData)
           and not name.endswith(("*", ")"))}


def compiled(source, *options):
    """Return the compiler's messages about a program, and its path if it compiles."""
    flags = [f"-I{TOP}/user/include", "-DPM_NO_TIME_CHECKS", "-Wall", "-Wextra", "-Werror", *options]
    return subprocess.run(["gcc", "-x", "c", *flags, "-"], input=source, text=True, capture_output=True)


def structures():
    return [kind for kind in vars(c).values() if isinstance(kind, type) and hasattr(kind, "_cname_")]


def is_bits(field):
    return len(field) == 3


def print_structure(kind):
    """Return C code that prints a type as layout() does; for a bit field, the bytes when all its bits
    are set."""
    name = kind._cname_
    lines = [f'printf("{name} %zu\\n", sizeof({name}));']
    for field in kind._fields_:
        if is_bits(field):
            lines.append(f'{{ {name} x; memset(&x, 0, sizeof(x)); x.{field[0]} = -1; printf("{name}.{field[0]}"); '
                         f'for (size_t i = 0; i < 4; i++) printf(" %02x", ((unsigned char *)&x)[i]); puts(""); }}')
        else:
            lines.append(f'printf("{name}.{field[0]} %zu %zu\\n", offsetof({name}, {field[0]}), '
                         f'sizeof((({name} *)0)->{field[0]}));')
    return "\n".join(lines)


def layout(kind):
    name = kind._cname_
    lines = [f"{name} {ctypes.sizeof(kind)}"]
    for field in kind._fields_:
        place = getattr(kind, field[0])
        if is_bits(field):
            one = kind()
            setattr(one, field[0], -1)
            lines.append(f"{name}.{field[0]} " + " ".join(f"{byte:02x}" for byte in bytes(one)[:4]))
        else:
            lines.append(f"{name}.{field[0]} {place.offset} {place.size}")
    return lines


class Interface(unittest.TestCase):
    def test_prototypes(self):
        """the compiler accepts each function's declaration together with the header's"""
        result = compiled(INCLUDES + c.PROTOTYPES, "-fsyntax-only")
        self.assertEqual(result.stderr, "")

    def test_a_wrong_prototype(self):
        """the compiler refuses a declaration that differs from the header's"""
        wrong = c.PROTOTYPES.replace("int pmLookupDesc(pmID,", "int pmLookupDesc(unsigned long,")
        self.assertNotEqual(wrong, c.PROTOTYPES)
        self.assertIn("conflicting types", compiled(INCLUDES + wrong, "-fsyntax-only").stderr)

    def test_layout(self):
        """sizes, offsets, bits, signs and numbers are the same as in C"""
        body = [print_structure(kind) for kind in structures()]
        body += [f'printf("{name} %zu %d\\n", sizeof({name}), ({name})-1 < 0);' for name in SCALARS]
        body += [f'printf("{name} %lld\\n", (long long)({name}));' for name in c.NUMBERS]
        ours = [line for kind in structures() for line in layout(kind)]
        ours += [f"{name} {ctypes.sizeof(kind)} {int(kind(-1).value < 0)}" for name, kind in SCALARS.items()]
        ours += [f"{name} {number}" for name, number in c.NUMBERS.items()]
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "layout")
            result = compiled(f"{INCLUDES}int main(void)\n{{\n" + "\n".join(body) + "\nreturn 0;\n}\n", "-Wno-overflow",
                              "-Wno-bitfield-constant-conversion", "-Wno-type-limits", "-o", program)
            self.assertEqual(result.returncode, 0, result.stderr)
            theirs = subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines()
        self.assertGreater(len(theirs), 80)
        self.assertEqual(ours, theirs)

    def test_all_are_typed(self):
        """each function has types, and ctypes converts no argument by default"""
        self.assertEqual(len(list(c.functions())), c.PROTOTYPES.count(";"))
