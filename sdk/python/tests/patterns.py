"""Patterns of other dialects: those that the service matches, and those that it refuses."""

READABLE = [
    r"^[a-z]+$",
    r"^\(?\d{3}\)?$",
    r"^(?:a|b)(?<year>\d{4})$",
    r"^\p{Lu}\P{L}\w\B\$\.\_\-$",
    r"\\A",
    r"^.{2,1000}$",
    r"^a{3}b{3,}$",
    r"^\x41\u0041\t\0$",
]
UNREADABLE = [
    # What pydantic writes for a Decimal.
    r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$",
    r"(?=a)",
    r"(?<=a)b",
    r"(?<!a)b",
    r"(?i)abc",
    r"(?P<year>\d{4})",
    r"\Aabc\Z",
    r"abc\z",
    r"(a)\1",
    r"[[:alpha:]]",
    r"^.{1,5000}$",
    r"^a{1001}$",
    r"^a{,5}$",
    r"a\ b",
]
