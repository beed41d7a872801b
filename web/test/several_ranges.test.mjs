// Tests requests for several ranges over HTTP/1.1, with servers that support them. With other servers, the answers are
// the same.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROWSERS, closeBrowsers, openIn } from "./browsers.mjs";
import { PACKAGE, serveFolders } from "./support.mjs";

const { byteRanges, rangeHeader } = await import(new URL("dist/sources/byte_ranges.js", PACKAGE));
const folders = {
  bundle: process.env.NEARFIND_BUNDLE,
  nearfind: fileURLToPath(PACKAGE),
  page: fileURLToPath(new URL("page/", import.meta.url)),
};
after(closeBrowsers);

const bytes = (text) => new TextEncoder().encode(text);
const part = (range, data) => `\r\n--edge\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${range}/100\r\n\r\n${data}`;
const found = (body, ranges) => byteRanges(bytes(body), ranges)?.map((range) => new TextDecoder().decode(range));

test("ranges are read in any order, also from joined neighbours, and rejected if one is missing", () => {
  assert.equal(
    rangeHeader([
      { start: 0, end: 3 },
      { start: 9, end: 10 },
    ]),
    "bytes=0-2,9-9",
  );
  const ranges = [
    { start: 0, end: 3 },
    { start: 9, end: 11 },
  ];
  assert.deepEqual(found(`${part("0-2", "abc")}${part("9-10", "\r\n")}\r\n--edge--\r\n`, ranges), ["abc", "\r\n"]);
  assert.deepEqual(found(`${part("9-10", "xy")}${part("0-2", "abc")}\r\n--edge--`, ranges), ["abc", "xy"], "in another order");
  assert.deepEqual(found(`${part("0-10", "abc......xy")}\r\n--edge--`, ranges), ["abc", "xy"], "as one");
  assert.equal(found(`${part("0-2", "abc")}\r\n--edge--`, ranges), undefined, "one is missing");
  assert.equal(found(`${part("0-2", "abc")}${part("9-10", "x")}`, ranges), undefined, "one is cut");
  assert.equal(found(`${part("9-999999999999", "x")}`, ranges), undefined, "one that lies about its length");
  assert.equal(found("\r\n--edge\r\nContent-Type: text/plain\r\n\r\nabc", ranges), undefined, "one that does not say what it is");
  assert.equal(found(`${part("0-2", "abc")}${part("900-5", "x")}`, ranges), undefined, "one that ends before it begins");
  assert.equal(found("", ranges), undefined);
});

test("a damaged response gives ranges of the requested lengths, or none", () => {
  const ranges = [
    { start: 0, end: 3 },
    { start: 9, end: 11 },
  ];
  const sound = bytes(`${part("9-10", "xy")}${part("0-2", "abc")}\r\n--edge--`);
  // Pseudo-random numbers that are the same in every run.
  let state = 1;
  const below = (most) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % most;
  };
  let refused = 0;
  for (let number = 0; number < 20_000; number++) {
    const body = sound.slice(0, below(8) === 0 ? below(sound.length) : sound.length);
    for (let changes = below(6); changes > 0 && body.length > 0; changes--) {
      body[below(body.length)] = below(4) === 0 ? below(256) : 48 + below(10);
    }
    const given = byteRanges(body, ranges);
    refused += given ? 0 : 1;
    given?.forEach((range, at) => {
      assert.equal(range.length, ranges[at].end - ranges[at].start);
    });
  }
  assert.ok(refused > 2000 && refused < 18_000, `${refused} refused`);
  assert.equal(byteRanges(bytes(part("50-50", "").repeat(12_000)), ranges), undefined, "beginnings of parts alone, a megabyte of them");
});

for (const browser of BROWSERS) {
  test(`one request reads several ranges, with the same answer, in ${browser}`, async () => {
    const answers = [];
    for (const several of [true, false]) {
      const server = await serveFolders(folders, { several });
      const box = await openIn(browser, `${server.url}/page/empty.html`);
      try {
        const ask = async () => {
          const { open } = await import("/nearfind/dist/browser.js");
          const search = await open("/bundle/");
          const answers = [];
          for (const question of ["how do threads share memory?", "a value that is moved", "what is a lifetime?"]) {
            answers.push((await search.query(question)).hits.map(({ document, section, score }) => [document, section, score]));
          }
          return answers;
        };
        answers.push(await box.run(ask));
        const together = server.log.filter(({ several }) => several > 2);
        assert.equal(together.length > 0, several, "more than the two by which it is tried out");
        const [tried] = server.log.filter(({ several }) => several === 2);
        assert.equal(tried !== undefined, several);
        assert.deepEqual(box.problems, []);
      } finally {
        await box.close();
        server.close();
      }
    }
    assert.deepEqual(answers[0], answers[1]);
  });
}
