// Writes a page for each generator in the table of examples/sites/README.md, with the files that its row links to:
//   node recipes.mjs PAGES MKDOCS_YML
// and lists the pages in the navigation, below the page with the whole table.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SITES = fileURLToPath(new URL("../sites/", import.meta.url));
const [pages, configuration] = process.argv.slice(2);
const guide = readFileSync(join(SITES, "README.md"), "utf8");
/** Generators that Python runs: their plugins are in the Python package. */
const OF_PYTHON = ["mkdocs", "sphinx"];
/** Files that configure a site. Most of their settings have nothing to do with nearfind. */
const SETTINGS = /conf(ig)?\.(m?js|py)$|\.yml$/;
/** Languages of code blocks, if they differ from the file extension. */
const LANGUAGES = { hbs: "html", erb: "html", svelte: "html", jsx: "js", mjs: "js" };

/** Returns Markdown without its links, and the files that these led to. */
function withoutLinks(markdown) {
  const files = [];
  const text = markdown.replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words, target) => {
    if (extname(target) !== "" || target.endsWith("/options")) {
      files.push(target);
    }
    return /^[^`]*\./.test(words) ? `\`${words}\`` : words;
  });
  return { text, files };
}

/** Returns the last part: the command that builds and indexes, and what it does. */
function outcome(text) {
  const command = text.match(/^`([^`]+)`(?:[.,] |$)/);
  if (!command) {
    throw new Error(`this cell of the table does not begin with a command: ${text}`);
  }
  const rest = text.slice(command[0].length);
  return ["## Build and index", `\`\`\`sh\n${command[1].replaceAll(" && ", " &&\n  ")}\n\`\`\``, ...(rest ? [sentence(rest)] : [])];
}

/** Returns how to install nearfind for a generator. */
function install(folder) {
  const command = OF_PYTHON.includes(folder) ? "pip install nearfind" : "npm install nearfind";
  return `\`\`\`sh\n${command}\n\`\`\`\n\nFrom then on, everything works without a network. Until the first release, [build the package from the \
repository](../generators.md#before-the-first-release).`;
}

const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

mkdirSync(join(pages, "generators"), { recursive: true });
const listed = [];
let overview = readFileSync(join(pages, "generators.md"), "utf8");
for (const row of guide.split("\n")) {
  const cells = row.match(/^\| (\[([^\]]+)\]\(([a-z]+)\).*?) \| (.*) \| (.*) \|$/);
  if (!cells) {
    continue;
  }
  const [, label, name, folder, write, result] = cells;
  const todo = withoutLinks(write);
  const after = withoutLinks(result);
  const blocks = [...todo.files, ...after.files].map((file) => {
    const ending = extname(file).slice(1);
    const code = readFileSync(join(SITES, file), "utf8").trimEnd();
    // A configuration belongs to a whole example, and other files are needed as they are.
    const whose = SETTINGS.test(file) ? " of the example" : "";
    return `\`${file.slice(folder.length + 1)}\`${whose}:\n\n\`\`\`\`${LANGUAGES[ending] ?? ending}\n${code}\n\`\`\`\`\n`;
  });
  const page = [
    `# Search for ${name}`,
    `This page shows how to add nearfind to a site that ${name.split(", ").join(" or ")} builds.`,
    "## Install",
    install(folder),
    "## What to write",
    sentence(`Write ${todo.text}`),
    ...blocks,
    ...(blocks.join("").includes("--ship-model") ? ["`--ship-model` is optional: it offers readers the full model as well."] : []),
    ...outcome(after.text),
    "## More",
    "[The table of all generators](../generators.md) also explains further options, caches in continuous integration, and how to " +
      "switch from Pagefind or DocSearch. [The box and the library](../package.md) lists the attributes of the box.",
  ];
  writeFileSync(join(pages, "generators", `${folder}.md`), `${page.join("\n\n")}\n`);
  listed.push(`          - ${name.replace(", ", " and ")}: generators/${folder}.md`);
  // In the table, the name leads to the page. The links were removed when the table became a page.
  const cell = `| ${withoutLinks(label).text} |`;
  overview = overview.replace(cell, cell.replace(name, `[${name}](generators/${folder}.md)`));
}
if (listed.length < 15) {
  throw new Error(`only ${listed.length} generators were found in the table of examples/sites/README.md`);
}
writeFileSync(join(pages, "generators.md"), overview);
const before = readFileSync(configuration, "utf8");
const entry = "      - In your generator: generators.md\n";
if (!before.includes(entry)) {
  throw new Error(`${configuration} does not list generators.md`);
}
writeFileSync(
  configuration,
  before.replace(entry, `      - In your generator:\n          - All generators: generators.md\n${listed.join("\n")}\n`),
);
