// Checks the repository's Markdown pages without running anything: links lead to files and headings that exist, code
// blocks parse, commands use options that the command-line reference lists, and the files that pages name exist.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { marked } from "marked";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Test data, not pages for people. */
const NOT_PAGES = /^native-indexer\/tests\//;
const PAGES = [
  ...new Set(
    execFileSync("git", ["-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { encoding: "utf8" })
      .trim()
      .split("\n")
      .filter((path) => !NOT_PAGES.test(path) && existsSync(join(ROOT, path))),
  ),
];
const textOf = (page) => readFileSync(join(ROOT, page), "utf8");

/** Returns all tokens of a page, the inner ones too. */
function tokensOf(page) {
  const tokens = [];
  marked.walkTokens(marked.lexer(textOf(page)), (token) => tokens.push(token));
  return tokens;
}

/** Returns the fragments by which GitHub finds the headings of a page, and the anchors that it declares. */
function anchorsOf(page) {
  const anchors = new Set();
  for (const token of tokensOf(page)) {
    if (token.type === "heading") {
      const text = token.text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]*>/g, "");
      const slug = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-");
      let anchor = slug;
      for (let again = 1; anchors.has(anchor); again += 1) {
        anchor = `${slug}-${again}`;
      }
      anchors.add(anchor);
    }
  }
  for (const [, anchor] of textOf(page).matchAll(/\sid="([^"]+)"/g)) {
    anchors.add(anchor);
  }
  return anchors;
}

test("links lead to files and headings that exist", () => {
  const broken = [];
  for (const page of PAGES) {
    const targets = tokensOf(page)
      .filter(({ type }) => type === "link" || type === "image")
      .map(({ href }) => href);
    for (const [, target] of textOf(page).matchAll(/<(?:img|source|a)\s[^>]*?(?:src|srcset|href)="([^"]+)"/g)) {
      targets.push(target);
    }
    for (const target of targets) {
      // `#ask=` opens the panel of answers with a question.
      if (/^[a-z]+:|^#ask=/.test(target)) {
        continue;
      }
      const [path, fragment] = target.replace(/\?[^#]*/, "").split("#");
      // Pages that exist only in the built site. The test of the site opens them.
      if (path.startsWith("reference/") || OF_THE_SITE.has(path)) {
        continue;
      }
      const to = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, to))) {
        broken.push(`${page}: ${target}: no such file`);
      } else if (fragment && to.endsWith(".md") && !anchorsOf(to).has(fragment)) {
        broken.push(`${page}: ${target}: no such heading`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

/** The names that examples/website/build.sh gives to pages from other folders. */
const OF_THE_SITE = new Set(
  [...readFileSync(join(ROOT, "examples/website/build.sh"), "utf8").matchAll(/^page "\$ROOT\/[^"]+" (\S+)$/gm)].map(([, name]) => name),
);

/** How a block of code is checked, by its language. Returns what is wrong, or nothing. */
const PARSERS = {
  json: (code) => {
    try {
      JSON.parse(code);
    } catch (error) {
      return error.message;
    }
  },
  js: (code) => syntaxErrors(code, "block.mjs"),
  jsx: (code) => syntaxErrors(code, "block.jsx"),
  ts: (code) => syntaxErrors(code, "block.mts"),
  python: (code) => pythonSays("import ast; ast.parse(text)", code),
  toml: (code) => pythonSays("import tomllib; tomllib.loads(text)", code),
  sh: (code) => {
    const checked = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
    return checked.status === 0 ? undefined : checked.stderr;
  },
};
/** Languages that need no check: output, drawings, and markup that browsers accept in any state. */
const UNCHECKED = ["", "html", "yaml"];

function syntaxErrors(code, fileName) {
  const { diagnostics } = ts.transpileModule(code, { fileName, reportDiagnostics: true, compilerOptions: { target: "esnext" } });
  return diagnostics.length === 0 ? undefined : diagnostics.map(({ messageText }) => messageText).join("; ");
}

function pythonSays(statement, code) {
  const checked = spawnSync("python3", ["-c", `import sys; text = sys.stdin.read(); ${statement}`], { input: code, encoding: "utf8" });
  return checked.status === 0 ? undefined : checked.stderr.trim().split("\n").at(-1);
}

test("blocks of code parse", () => {
  const wrong = [];
  let count = 0;
  for (const page of PAGES) {
    for (const { type, lang = "", text } of tokensOf(page)) {
      if (type !== "code" || UNCHECKED.includes(lang)) {
        continue;
      }
      count += 1;
      const problem = PARSERS[lang] ? PARSERS[lang](text) : `no check for “${lang}”`;
      if (problem !== undefined) {
        wrong.push(`${page}: ${lang}: ${problem}: ${text.split("\n")[0]}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 30, `${count} blocks`);
});

/** Commands that the program itself runs. */
const INTERNAL = ["read-apart"];
const REFERENCE = "examples/website/docs/command_line.md";

/** Returns the options of each command, as the reference lists them. */
function commands() {
  const listed = new Map();
  let options;
  for (const line of textOf(REFERENCE).split("\n")) {
    const heading = line.match(/^#+ nearfind (.+)$/);
    if (heading) {
      options = new Set(["--models", "--help", "-h"]);
      listed.set(heading[1], options);
    } else if (options && line.startsWith("| `")) {
      for (const option of line.match(/`([^`]+)`/)[1].split(", ")) {
        options.add(option.split(/[ [=]/)[0]);
      }
    }
  }
  return listed;
}

/** Yields the words of each call of nearfind in some shell code. */
function* callsIn(code) {
  const joined = code.replaceAll("\\\n", " ").replace(/(^|\s)#.*$/gm, "");
  for (const part of joined.split(/\n|&&|\|\||[|;()`]/)) {
    const words = part.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
    const at = words.findIndex((word) => word === "nearfind" || /^"?[^"=]*\/nearfind"?$/.test(word) || word === '"$NEARFIND"');
    const before = words.slice(0, Math.max(at, 0));
    // "docker run … nearfind" names an image, and `pip install nearfind` a package.
    if (at >= 0 && before.every((word) => /^(npx|uvx|pnpm|exec|-y|--yes|sudo|time|\$|[A-Z_]+=.*)$/.test(word))) {
      yield words.slice(at + 1);
    }
  }
}

test("commands have the options that the reference lists", () => {
  const known = commands();
  const wrong = [];
  let count = 0;
  for (const page of PAGES) {
    for (const token of tokensOf(page)) {
      const isCode = (token.type === "code" && token.lang === "sh") || (token.type === "codespan" && /\bnearfind /.test(token.text));
      if (!isCode) {
        continue;
      }
      for (const words of callsIn(token.text)) {
        if (words.length === 0 || words[0].startsWith("-") || INTERNAL.includes(words[0])) {
          continue;
        }
        const name = known.has(words.slice(0, 2).join(" ")) ? words.slice(0, 2).join(" ") : words[0];
        count += 1;
        if (!known.has(name)) {
          wrong.push(`${page}: nearfind ${words.join(" ")}: no such command`);
          continue;
        }
        for (const word of words.filter((word) => /^--?[a-z]/.test(word))) {
          if (!known.get(name).has(word.split("=")[0])) {
            wrong.push(`${page}: nearfind ${words.join(" ")}: no option ${word}`);
          }
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 100, `${count} calls`);
});

/** The folders that pages name files from. */
const FOLDERS = [".", "native-indexer"];

test("files that pages name exist", () => {
  const missing = [];
  let count = 0;
  for (const page of PAGES.filter((page) => page !== "CHANGELOG.md")) {
    for (const { type, text } of tokensOf(page)) {
      const path = type === "codespan" && text.match(/^(?:core|native-indexer|wasm|web|tests|examples)\/[\w./-]+/)?.[0];
      if (!path || /[*<{]/.test(text) || isMade(path)) {
        continue;
      }
      count += 1;
      const found = FOLDERS.map((folder) => join(folder, path)).find((candidate) => existsSync(join(ROOT, candidate)));
      if (!found || (path.endsWith("/") && !statSync(join(ROOT, found)).isDirectory())) {
        missing.push(`${page}: ${path}`);
      }
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(count > 50, `${count} names`);
});

/** Returns whether a file comes from a build, so a checkout does not contain it. */
function isMade(path) {
  return spawnSync("git", ["-C", ROOT, "check-ignore", "--quiet", path]).status === 0;
}
