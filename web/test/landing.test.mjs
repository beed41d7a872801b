// Tests in real browsers where a site's results lead: to the section of a method, to the words of a passage, and to the
// version that the reader is in.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, serveFolders } from "./support.mjs";

const { textDirective } = await import(pathToFileURL(join(fileURLToPath(PACKAGE), "dist/element/destination.js")).href);
const folder = mkdtempSync(join(tmpdir(), "nearfind-"));
const site = join(folder, "site");
const BOX = '<script type="module" src="/site/nearfind/box/box.js"></script><nearfind-search></nearfind-search>';
// Prevents Escape outside fields, as the script of Sphinx does.
const PREVENTS =
  '<script>document.addEventListener("keydown", (event) => event.key === "Escape" && document.activeElement === document.body && event.preventDefault(), true)</script>';
const page = (title, body, head = "") =>
  `<!doctype html><html lang="en"><title>${title}</title><link rel=icon href="data:,">${head}${BOX}<main><h1 id=top>${title}</h1>${body}</main>${PREVENTS}`;
const FILLER = "<p>Nothing of interest stands in this paragraph, which is long.</p>".repeat(60);
const versioned = (version) => `<meta name="docsearch:version" content="${version}">`;
const VERSIONED = `<h2 id=soft>Soft deletion</h2><p>A row with a marmalade flag stays in the table and is not shown.</p>${FILLER}`;
const method = (name, text) =>
  `<dl class="py method"><dt class="sig sig-object py" id="ext.App.${name}"><em class="property">async </em><span class="sig-name descname">${name}</span>(<em>timeout</em>)<a class="headerlink" href="#ext.App.${name}">¶</a></dt><dd><p>${text}</p>${FILLER}</dd></dl>`;
const PAGES = {
  "index.html": page("Home", "<p>Where everything begins.</p>"),
  "api.html": page(
    "Application",
    `<dl class="py class"><dt class="sig py" id="ext.App"><span class="sig-prename descclassname">ext.</span><span class="sig-name descname">App</span></dt><dd><p>Runs a bot.</p>${FILLER}${method("run_polling", "Polls for updates until it is stopped.")}${method("run_webhook", "Listens for updates on a port.")}</dd></dl>`,
  ),
  "docs/index.html": page("Rows", VERSIONED, versioned("7.0")),
  "docs/v6/index.html": page("Rows", VERSIONED, versioned("6.x")),
  "docs/v6/other.html": page("Other", "<p>Elsewhere in the sixth version.</p>", versioned("6.x")),
  // Words that browsers find and words that they do not find, in a passage far below.
  "words.html": page(
    "Words",
    `${FILLER}<p>Call <code>application.run_polling(allowed_updates=[])</code> and of delete_all_reactions nothing else is left.</p>
     <p>So by using the <code style="display:inline-block">ENV_NAME</code> environment variable when the site is built, a kumquat grows.</p>
     <p>Ripe persimmons, (quinces) and medlars_are kept [cold] in &lt;cellars&gt;.</p>`,
  ),
};
for (const [name, text] of Object.entries(PAGES)) {
  mkdirSync(dirname(join(site, name)), { recursive: true });
  writeFileSync(join(site, name), text);
}
execFileSync(process.env.NEARFIND ?? "nearfind", ["index", site, "-o", join(site, "nearfind"), "--quiet", "--small-encoder", "never"], {
  env: { ...process.env, NEARFIND_PACKAGE: fileURLToPath(PACKAGE) },
});
const server = await serveFolders({ site });
after(async () => {
  await closeBrowsers();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const answered = (question) => {
  const { dataset } = document.querySelector("nearfind-search").shadowRoot.querySelector("[role=listbox]");
  return dataset.query === question && dataset.tier !== "";
};

/** Opens a page of the site, opens the box and waits for the answer to a question. */
async function asked(name, path, question) {
  const box = await openIn(name, `${server.url}/site/${path}`);
  await box.until(() => document.querySelector("nearfind-search")?.shadowRoot?.querySelector("dialog") != null);
  await box.press("Control+k");
  await box.type(question);
  await box.until(answered, question);
  return box;
}
const first = () => {
  const option = document.querySelector("nearfind-search").shadowRoot.querySelector("a[role=option]");
  return { title: option.querySelector(".title").textContent, place: option.querySelector(".place").textContent, href: option.href };
};
/** Asserts that the browser finds the first match of `words` in `text` when it opens the page with only the fragment. */
async function isFound(name, text, words) {
  const at = text.indexOf(words);
  const directive = textDirective({ text, highlights: [[at, at + words.length]] });
  assert.notEqual(directive, "", text);
  const box = await openIn(name, `${server.url}/site/words.html#:~:text=${directive}`);
  try {
    await box.until(() => scrollY > 800, undefined, `${directive} is not found`);
  } finally {
    await box.close();
  }
}

for (const name of BROWSERS) {
  describe(name, () => {
    test("a method has a section of its own, to which its result leads", async () => {
      const box = await asked(name, "index.html", "run_webhook");
      try {
        const found = await box.run(first);
        assert.equal(found.place, "ext.App › run_webhook");
        await box.press("Enter");
        await box.until(() => {
          const { top } = document.getElementById("ext.App.run_webhook")?.getBoundingClientRect() ?? {};
          return top > -5 && top < innerHeight;
        });
      } finally {
        await box.close();
      }
    });

    test("browsers find the words that links name", async () => {
      const code = "Call application.run_polling(allowed_updates=[]) and of delete_all_reactions nothing else is left.";
      await isFound(name, code, "delete");
      await isFound(name, code, "nothing");
      await isFound(name, "So by using the ENV_NAME environment variable when the site is built, a kumquat grows.", "ENV_NAME");
      await isFound(name, "So by using the ENV_NAME environment variable when the site is built, a kumquat grows.", "environment");
      await isFound(name, "Ripe persimmons, (quinces) and medlars_are kept [cold] in <cellars>.", "quinces");
    });

    test("Escape closes the box from any of its buttons, even if the page prevents the key", async () => {
      const box = await asked(name, "index.html", "begins");
      try {
        await box.press("Tab");
        assert.notEqual(await box.run(() => document.querySelector("nearfind-search").shadowRoot.activeElement.localName), "input");
        await box.press("Escape");
        await box.until(() => !document.querySelector("nearfind-search").isOpen);
      } finally {
        await box.close();
      }
    });

    test("only the version that is being read is shown, until the reader chooses others", async () => {
      const box = await asked(name, "docs/v6/other.html", "marmalade");
      try {
        const shown = () =>
          [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("a.option:not(.section)")].map((option) => [
            new URL(option.href).pathname,
            option.querySelector(".place").textContent,
          ]);
        // Pages without a version are shown to all readers.
        const rows = (await box.run(shown)).map(([path]) => path).filter((path) => path.startsWith("/site/docs/"));
        assert.deepEqual(rows, ["/site/docs/v6/"]);
        const pressed = () =>
          [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("[part=choice][aria-pressed=true]")].map(
            (choice) => choice.firstChild.textContent,
          );
        assert.deepEqual(await box.run(pressed), ["6.x"]);
        await box.run(() => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=choice][aria-pressed=true]").click());
        await box.until(
          () => document.querySelector("nearfind-search").shadowRoot.querySelector("[part=choice][aria-pressed=true]") === null,
        );
        // Versions of the same page are one result, the latest.
        const isRow = () =>
          [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll("a.option:not(.section)")].some(
            (option) => new URL(option.href).pathname === "/site/docs/" && option.querySelector(".place").textContent.startsWith("7.0"),
          );
        await box.until(isRow);
        assert.equal((await box.run(shown)).filter(([path]) => path.startsWith("/site/docs/")).length, 1);
      } finally {
        await box.close();
      }
    });

    test("a mistyped question is corrected and answered, in one line", async () => {
      const box = await asked(name, "index.html", "aplication that runs");
      try {
        assert.equal((await box.run(first)).title, "Application");
        const notes = await box.run(() =>
          [...document.querySelector("nearfind-search").shadowRoot.querySelectorAll(".notes p")].map((note) => note.textContent),
        );
        assert.deepEqual(notes, ["No page contains “aplication”. Showing results for “application that runs”."]);
      } finally {
        await box.close();
      }
    });
  });
}

test("text fragments have whole words at both ends, and a single short word gets none", () => {
  const of = (text, words) => {
    const at = text.indexOf(words);
    return decodeURIComponent(textDirective({ text, highlights: [[at, at + words.length]] }));
  };
  assert.equal(of("When using concurrent_updates or the job_queue of it", "concurrent"), "When using-,concurrent_updates,-or the");
  assert.equal(of("Queries with game_short_name are answered", "name"), "Queries with-,game_short_name,-are answered");
  assert.equal(of("one two three four five six seven eight nine", "five"), "two three four five six seven eight");
  assert.equal(of("First. Then comes the second. Third.", "second"), "Then comes the second");
  assert.equal(of("webhook", "webhook"), "");
  assert.equal(of("webhook · true", "webhook"), "");
  assert.equal(of("run application_builder_with_all_settings()", "builder"), "");
  assert.equal(textDirective({ text: "no match", highlights: [] }), "");
});
