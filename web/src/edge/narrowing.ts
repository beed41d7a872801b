/** Narrows down the documents that a tool reads, by project, path and kind. These arguments mean the same to every tool. */
import { ToolError, ensure } from "./arguments.js";
import type { Contents } from "./bundle.js";
import { safeExpression } from "./safe_expression.js";

const CODE = "code";
const MOST_NAMED = 20;
/** The maximum number of stars and braces in a path pattern: each may match in many ways. */
const MOST_STARS = 6;
/** The maximum number of combinations of the alternatives in a pattern's braces. */
const MOST_CHOICES = 100;

/**
 * Returns the project that `name` stands for: an exact match, or otherwise one that ignores case and treats spaces and
 * underscores as dashes.
 */
export function projectNamed({ projects }: Contents, name: string): string {
  const plain = (text: string): string => text.trim().toLowerCase().replace(/[_ ]/g, "-");
  const alike = projects.filter((project) => project.name === name || plain(project.name) === plain(name));
  const found = alike.find((project) => project.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
  if (!found) {
    const known = projects.slice(0, MOST_NAMED).map((project) => project.name);
    const more = projects.length > MOST_NAMED ? ", or another one of list_projects" : "";
    throw new ToolError(`there is no project ${JSON.stringify(name)}: use one of ${known.join(", ")}${more}`);
  }
  return found.name;
}

/** Returns the kinds that `kind` stands for. An empty list stands for all kinds. */
export function kindsNamed({ kinds }: Contents, kind: string | undefined): string[] {
  const plain = kind?.trim().toLowerCase() ?? "";
  switch (plain) {
    case "all":
    case "any":
    case "both":
    case "":
      return [];
    case "docs":
    case "doc":
    case "documentation":
      // If there is no code, everything is docs.
      return kinds.includes(CODE) ? kinds.filter((known) => known !== CODE) : [];
    case CODE:
      ensure(kinds.includes(CODE), 'no source code is indexed here: search the documentation with kind="docs"');
      return [CODE];
    default:
      ensure(kinds.includes(plain), `no document has kind \`${plain}\`: use one of ${kinds.join(", ")}`);
      return [plain];
  }
}

/** The requested paths. */
export interface Paths {
  /** A regular expression that matches these paths. */
  expression: string;
  /** The projects that the paths begin with, if every path begins with one. */
  projects: string[];
}

/**
 * Combines path arguments into one expression. A path must match one of the folders, files and patterns in `paths`, none of those
 * that begin with `!`, and one of the regular expressions. Returns `undefined` if all paths match.
 */
export function pathsNamed({ projects }: Contents, paths: string[], regexes: string[]): Paths | undefined {
  const given = (texts: string[]): string[] => texts.map((text) => text.trim()).filter(Boolean);
  const included = given(paths).filter((path) => !path.startsWith("!"));
  const excluded = given(paths)
    .filter((path) => path.startsWith("!"))
    .map((path) => path.slice(1));
  const expressions = given(regexes);
  if (included.length + excluded.length + expressions.length === 0) {
    return undefined;
  }
  expressions.forEach(safeExpression);
  // If there are several projects, document names in answers begin with the project.
  const inFront = (path: string): string | undefined =>
    projects.find(({ name }) => path.replace(/^\.?\//, "").startsWith(`${name}/`) || path === name)?.name;
  const fronts = included.map(inFront);
  const forms = (path: string): string[] => {
    const front = inFront(path);
    return front === undefined ? [path] : [path, path.replace(/^\.?\//, "").slice(front.length + 1)];
  };
  const any = (of: string[], pattern: (text: string) => string): string => `(?:${of.flatMap(forms).map(pattern).join("|")})`;
  const parts = [
    ...(excluded.length > 0 ? [`(?!${any(excluded, pathPattern)})`] : []),
    ...(included.length > 0 ? [`(?=${any(included, pathPattern)})`] : []),
    ...(expressions.length > 0 ? [`(?=.*(?:${expressions.join("|")}))`] : []),
  ];
  const isInProjects = included.length > 0 && fronts.every((front) => front !== undefined);
  return { expression: `^${parts.join("")}`, projects: isInProjects ? [...new Set(fronts as string[])] : [] };
}

/**
 * Returns an expression for a folder and everything in it, a file, or a pattern. A pattern without a slash matches in any folder.
 */
function pathPattern(path: string): string {
  const plain = path
    .replaceAll("\\", "/")
    .replace(/^(\.?\/)+/, "")
    .replace(/\/+$/, "");
  if (plain === "" || plain === ".") {
    return "";
  }
  if (!/[*?[{]/.test(plain)) {
    return `(?:.*/)?${literal(plain)}(?:/|$)`;
  }
  const stars = plain.match(/\*+|\{/g)?.length ?? 0;
  ensure(stars <= MOST_STARS, `the path ${JSON.stringify(path)} has too many stars and braces: use ${MOST_STARS} at most`);
  const [, ...choices] = plain.split("{").map((part) => part.split(",").length);
  const ways = choices.reduce((product, choice) => product * choice, 1);
  ensure(ways <= MOST_CHOICES, `the path ${JSON.stringify(path)} has too many alternatives: pass a list of paths`);
  const anywhere = plain.includes("/") ? plain : `**/${plain}`;
  return `(?:${globPattern(anywhere)}|${literal(plain)}(?:/|$))`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * Returns the expression for a pattern where `*` matches within a folder, `**` matches across folders, and `{a,b}` matches `a` or
 * `b`.
 */
function globPattern(glob: string): string {
  let depth = 0;
  const body = glob.replace(/(?:\*\*+\/)+|\*\*+|\*|\?|\{|\}|,|[^*?{},]+/g, (sign) => {
    if (sign.startsWith("**")) {
      return sign.endsWith("/") ? "(?:.*/)?" : ".*";
    }
    switch (sign) {
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        depth += 1;
        return "(?:";
      case "}":
        depth -= 1;
        return depth < 0 ? literal(sign) : ")";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        return literal(sign);
    }
  });
  return depth > 0 ? literal(glob) : `${body}$`;
}
