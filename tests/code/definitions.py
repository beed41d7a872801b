"""Compares the definitions that nearfind finds in repositories with those of universal-ctags, by language and kind:
  tests/code/definitions.py NEARFIND WORK REPOSITORY... [--names 8] [--limit 2]
WORK is a folder for bundles. ctags is Debian's package universal-ctags. A definition of ctags counts as found if
`nearfind outline` of its file contains its name. Exits with 1 if nearfind misses more than --limit percent of the
definitions in a language with at least 50 of them."""

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: Kinds of ctags that are not definitions here, with the reason. `*` means any language.
NO_DEFINITION = {
    ("*", "local"): "a variable of a body",
    ("*", "label"): "a place to jump to",
    ("*", "parameter"): "a part of a signature",
    ("*", "file"): "the file itself, which has its path",
    ("*", "header"): "a file that is included",
    ("*", "unknown"): "what is imported, or mentioned",
    ("*", "library"): "what is required",
    ("Python", "module"): "what is imported",
    ("Python", "namespace"): "what is imported by another name",
    ("Go", "package"): "the clause of each file; its folder has the name",
    ("Go", "packageName"): "what is imported by another name",
    ("Go", "anonMember"): "an embedded type is a mention of it",
    ("Java", "package"): "the clause of each file; its folder has the name",
    ("Kotlin", "package"): "the clause of each file; its folder has the name",
    ("PHP", "alias"): "what is imported by another name",
    ("Rust", "implementation"): "the scope of methods, which are found as Type.method",
    ("Rust", "variable"): "the word after `static`, also that of a lifetime: `&'static str`",
    ("JavaScript", "property"): "a key of an object, unless it is a function",
    ("Protobuf", "protodef"): "what another file defines",
    ("Sh", "script"): "what is sourced",
    ("Sh", "heredoc"): "a text",
    ("SQL", "variable"): "a variable of a body, and words of statements that ctags takes for one",
    ("SQL", "cursor"): "a variable of a body",
    ("SQL", "ccflag"): "a mention",
}

#: Tags that are not definitions because of their line: language, kinds, an expression with the name at {}, reason.
NO_DEFINITION_LINE = [
    ("Rust", {"module"}, r";\s*\$?/?$", "`mod name;` names a file"),
    ("Kotlin", {"method"}, r"^(?!.*\bfun\b)", "a lambda, or a variable of a loop"),
    ("Kotlin", {"object"}, r"companion object(?! *\w)", "a companion without a name: its members are those of its class"),
    ("PHP", {"variable"}, r"^/\^\s*(?!(public|protected|private|var|static|readonly)\b)", "a variable of a body"),
    ("C#", {"field", "property", "class"}, r"\(.*\b{}\b|where .*\b{}\b|operator", "a parameter, or a type that a constraint names"),
    ("TypeScript", {"constant", "variable"}, r"^/\^\s", "a variable of a body, as it is indented"),
    ("JavaScript", {"constant", "variable"}, r"^/\^\s", "a variable of a body, as it is indented"),
    ("TypeScript", {"constant", "variable"}, r"^(?!.*\b(const|let|var)\b[^=]*\b{}\b)", "a word of a value or a type"),
    ("TypeScript", {"property"}, r"^(?!/\^\W*((\w+) +)*[\x27\x22#]?{}\b *[?!:;=,\$])", "a word of a value or a type"),
    ("TypeScript", {"class"}, r"\bclass +extends\b|class *\{{", "a class without a name"),
    ("JavaScript", {"class"}, r"^(?!.*\bclass\b)", "what something is assigned to"),
    ("TypeScript", {"alias"}, r"\b(import|from|export \{{)", "a name that is imported"),
    ("TypeScript", {"method"}, r"\bnew ?[(<]", "a signature without a name"),
    ("Go", {"member"}, r"^/\^\s*\*?[\w.]*\b{}(\[.*\])?\s*(`.*)?\$/$", "an embedded type is a mention of it"),
    ("C++", {"function"}, r"^/\^(TYPED_)?TEST(_[FPI])?\(", "a macro that begins a function, which is found as Suite.Case"),
    ("PowerShell", {"variable"}, r"", "a parameter or a variable of a script"),
    ("Ruby", {"singletonMethod"}, r"\bdef +{}\.", "the object that gets the method"),
    ("SQL", {"domain"}, r"(?i)domain +{}\.", "the schema of a domain"),
    ("Sh", {"function"}, r"=\(", "an array"),
    ("Protobuf", {"field"}, r"map *<", "the type of a key"),
]

#: Languages of ctags that are not compared, because nearfind reads them as text or they are not source code.
NO_SOURCE = {
    "Asciidoc", "Autoconf", "Automake", "CMake", "Cargo", "CSS", "DTD", "HTML", "Iniconf", "JSON", "JavaProperties", "LdScript",
    "M4", "Make", "Man", "Markdown", "Maven2", "Meson", "MesonOptions", "PlistXML", "Pod", "ReStructuredText", "RpmSpec", "SCSS",
    "SVG", "SystemdUnit", "Tex", "XML", "XSLT", "Yaml", "Vim", "Diff", "Ant", "RelaxNG", "Glade", "DosBatch", "Moose", "RSpec",
    "PythonLoggingConfig", "AnsiblePlaybook", "Perl", "Asm", "Emacs Lisp", "EmacsLisp", "YACC", "Flex", "Awk", "Tcl", "R",
}  # fmt: skip

#: Names that ctags makes up for definitions without a name.
MADE_UP = re.compile(r"^(__anon|anon|Anonymous|anonymous)|<lambda>|^<.*>$")
#: The kinds of functions.
CODE = {"function", "method", "func", "def", "singletonMethod", "generator", "getter", "setter", "accessor", "describe"}
#: The kinds of variables.
VARIABLES = {"variable", "constant", "property", "field", "member"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("work", type=Path, help="where bundles go")
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--names", type=int, default=8, help="names that are missed to print for a kind")
    parser.add_argument("--limit", type=float, default=2, help="definitions of a hundred that a language may miss")
    parser.add_argument("--only", default="", help="languages of ctags, separated by commas")
    arguments = parser.parse_args()
    only = set(filter(None, arguments.only.split(",")))
    found: Counter[tuple[str, str]] = Counter()
    missed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for repository in arguments.repositories:
        tags = [tag for tag in of_ctags(repository) if not only or tag["language"] in only]
        bundle = arguments.work / repository.resolve().name
        index(arguments.nearfind, repository, bundle)
        names, unread = of_nearfind(arguments.nearfind, bundle, {tag["path"] for tag in tags})
        for tag in tags:
            kind, path = (tag["language"], tag["kind"]), tag["path"]
            if path not in names:
                continue
            found[kind] += 1
            if not is_found(tag, names[path]):
                missed[kind].append(f"{tag['name']} ({repository.resolve().name}/{path}:{tag['line']})")
        print(f"{repository.resolve().name}: {len(names)} files, {unread} more are not indexed", flush=True)
    return report(found, missed, arguments.names, arguments.limit)


def of_ctags(repository: Path) -> list[dict]:
    command = ["ctags", "--output-format=json", "--fields=+neKlS", "--fields=-T", "-R", "--exclude=.git", "-f", "-", "."]
    done = subprocess.run(command, cwd=repository, capture_output=True)
    tags = [json.loads(line) for line in done.stdout.decode(errors="replace").splitlines()]
    for tag in tags:
        tag["path"] = tag["path"].removeprefix("./")
    return [tag for tag in tags if is_counted(tag)]


def is_counted(tag: dict) -> bool:
    """Returns whether a tag is a definition."""
    language, kind, pattern = tag.get("language", ""), tag.get("kind", ""), tag.get("pattern", "")
    if language in NO_SOURCE or MADE_UP.search(tag["name"]) or "line" not in tag:
        return False
    if ("*", kind) in NO_DEFINITION or (language, kind) in NO_DEFINITION:
        return False
    # Variables in the body of a function.
    if kind in VARIABLES and tag.get("scopeKind", "") in CODE:
        return False
    for of, kinds, expression, _ in NO_DEFINITION_LINE:
        if of == language and kind in kinds and re.search(expression.format(*2 * [re.escape(tag["name"])]), pattern):
            return False
    return True


def index(nearfind: str, repository: Path, bundle: Path) -> None:
    command = [nearfind, "index", str(repository), "--code", "--quick", "-o", str(bundle), "--no-box", "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def of_nearfind(nearfind: str, bundle: Path, paths: set[str]) -> tuple[dict[str, set[str]], int]:
    """Returns the names in each file, and how many files are not indexed."""

    def outline(path: str):
        done = subprocess.run([nearfind, "outline", str(bundle), path, "--json"], capture_output=True, text=True)
        if done.returncode:
            return path, None
        files = [file for file in json.loads(done.stdout)["files"] if file["path"] == path]
        if not files:
            return path, None
        return path, {plain(entry["name"]) for entry in files[0]["entries"]}

    with ThreadPoolExecutor(4) as pool:
        outlines = list(pool.map(outline, sorted(paths)))
    return {path: names for path, names in outlines if names is not None}, sum(names is None for _, names in outlines)


def plain(name: str) -> str:
    """Returns a name in a form that both tools share."""
    name = re.sub(r"\s+", "", name).strip("\"'`$@#")
    # ctags leaves out the signs at the end of Ruby's names, and lists the writer of an accessor separately.
    return name if name.startswith("operator") else re.sub(r"<.*>$|[?!=]$", "", name)


def is_found(tag: dict, names: set[str]) -> bool:
    """Returns whether an outline contains the name of a tag. Either name may come after its scope."""
    name = plain(tag["name"])
    last = name if name.startswith("operator") else re.split(r"::|\.|\\", name)[-1]
    return name in names or last in names or any(known.endswith((f".{name}", f"::{name}", f"\\{name}")) for known in names)


def report(found: Counter, missed: dict, names: int, limit: float) -> int:
    worst = 0.0
    for language in sorted({language for language, _ in found}):
        kinds = sorted((kind for of, kind in found if of == language), key=lambda kind: -len(missed[language, kind]))
        total, lost = (sum(f(language, kind) for kind in kinds) for f in (lambda *k: found[k], lambda *k: len(missed[k])))
        share = 100 * lost / total
        # A few definitions say nothing about a language.
        worst = max(worst, share if total >= 50 else 0)
        print(f"\n{language}: {lost} of {total} missed, {share:.1f} %")
        for kind in kinds:
            lost = missed[language, kind]
            if lost:
                shown = ", ".join(lost[:: max(1, len(lost) // names)][:names])
                print(f"  {kind}: {len(lost)} of {found[language, kind]}: {shown}")
            else:
                print(f"  {kind}: none of {found[language, kind]}")
    return int(worst > limit)


if __name__ == "__main__":
    raise SystemExit(main())
