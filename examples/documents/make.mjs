// Writes a folder of typical documents: a manual as PDF, minutes as Word, figures as Excel, slides, a book, notes. All
// files are generated, so that the sources contain no binary files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";

/** The colors of the manual's pages. In a screenshot they identify the page. */
export const PAGE_COLORS = [
  [255, 255, 255],
  [220, 235, 255],
  [225, 250, 220],
  [255, 240, 205],
];

const MANUAL = [
  [
    "The Heron Coffee Machine",
    "Manual for owners",
    "This manual explains how to set up, clean and repair the machine.",
    "Keep it near the machine.",
  ],
  [
    "Setting up",
    "Unpack the machine and put it on a level surface.",
    "Fill the tank with cold water up to the mark.",
    "Plug it in and wait until the lamp stops blinking.",
  ],
  [
    "Cleaning",
    "Descale the machine every two months.",
    "Dissolve a sachet of citric acid in a litre of water,",
    "pour it into the tank and press the steam button for five seconds.",
  ],
  [
    "Repairs",
    "When the lamp blinks red twice the thermal fuse has blown.",
    "Only a workshop may replace the fuse.",
    "The warranty covers repairs for three years.",
  ],
];

/** Writes the documents into `folder`. */
export function makeDocuments(folder) {
  mkdirSync(folder, { recursive: true });
  const write = (name, content) => writeFileSync(join(folder, name), content);
  write("manual.pdf", pdf(MANUAL));
  write(
    "minutes.docx",
    docx([
      ["Heading1", "Minutes of the spring meeting"],
      ["Heading2", "Office plants"],
      ["", "Ms Okafor will water the ficus on Mondays, and the ferns when she remembers."],
      ["Heading2", "Parking"],
      ["", "Bicycles are to be locked to the racks behind the building, never to the railing."],
    ]),
  );
  write(
    "suppliers.xlsx",
    xlsx("Suppliers", [
      ["Supplier", "City", "Product", "Delivery days"],
      ["Nordlicht Roasters", "Bergen", "Espresso beans", 4],
      ["Atlas Paper", "Porto", "Paper filters", 9],
      ["Vale Dairy", "Truro", "Oat milk", 2],
    ]),
  );
  write(
    "training.pptx",
    pptx([
      ["Welcome", ["How we treat our guests"]],
      ["Complaints", ["Listen first, apologise once", "A cold cup is replaced without a question"]],
    ]),
  );
  write("allergens.csv", "Drink,Contains,Note\nHazelnut latte,nuts and milk,ask before serving\nCold brew,nothing,safe for all\n");
  write("opening.md", "# Opening the shop\n\nSwitch on the grinder before the lights: it needs ten minutes to warm up.\n");
  write("recipes.adoc", "= Recipes\n\n== Cold brew\n\nSteep coarse grounds in cold water for sixteen hours, then strain twice.\n");
  write("ideas.txt", "Ideas for the summer\n\nRent the terrace to the chess club on Thursday evenings.\n");
  // Real folders contain broken files. This one adds a line to the report, and has no other effect.
  write("broken.docx", "PK\u0003\u0004 this is not a document");
}

/** Returns a PDF with a page for each list of lines. The first line is the heading and an entry of the outline. */
function pdf(pages) {
  const objects = new Map([
    [1, "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /Lang (en) >>"],
    [2, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${10 + 2 * at} 0 R`).join(" ")}] >>`],
    [3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"],
    [4, "<< /Title (The Heron Coffee Machine) >>"],
    [5, `<< /First 100 0 R /Last ${99 + pages.length} 0 R /Count ${pages.length} >>`],
  ]);
  pages.forEach(([heading, ...lines], at) => {
    const color = PAGE_COLORS[at].map((part) => (part / 255).toFixed(3)).join(" ");
    const show = (text, size, y) => `BT /F ${size} Tf 60 ${y} Td (${text}) Tj ET\n`;
    const content = `${color} rg 0 0 595 842 re f 0 g\n${show(heading, 20, 760)}${lines.map((line, row) => show(line, 11, 720 - 16 * row)).join("")}`;
    objects.set(
      10 + 2 * at,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${11 + 2 * at} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
    );
    objects.set(11 + 2 * at, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    const next = at + 1 < pages.length ? `/Next ${101 + at} 0 R` : "";
    objects.set(100 + at, `<< /Title (${heading}) /Parent 5 0 R /Dest [${10 + 2 * at} 0 R /XYZ 0 800 0] ${next} >>`);
  });
  let text = "%PDF-1.7\n";
  let table = "xref\n0 1\n0000000000 65535 f \n";
  for (const [id, object] of [...objects].sort(([a], [b]) => a - b)) {
    table += `${id} 1\n${String(text.length).padStart(10, "0")} 00000 n \n`;
    text += `${id} 0 obj\n${object}\nendobj\n`;
  }
  return Buffer.from(`${text}${table}trailer << /Size 200 /Root 1 0 R /Info 4 0 R >>\nstartxref\n${text.length}\n%%EOF\n`, "latin1");
}

const relationships = (...targets) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, kind, target]) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`).join("")}</Relationships>`;

/** Returns the declaration of the content types of a document's parts, by name. */
const contentTypes = (types) =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${Object.entries(
    types,
  )
    .map(([part, type]) => `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`)
    .join("")}</Types>`;

function docx(paragraphs) {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const style = (level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
  const paragraph = ([kind, text]) => `<w:p>${kind && `<w:pPr><w:pStyle w:val="${kind}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
  return zip({
    "[Content_Types].xml": contentTypes({
      "word/document.xml": "wordprocessingml.document.main",
      "word/styles.xml": "wordprocessingml.styles",
    }),
    "_rels/.rels": relationships(["r1", "officeDocument", "word/document.xml"]),
    "word/_rels/document.xml.rels": relationships(["r1", "styles", "styles.xml"]),
    "word/styles.xml": `<w:styles ${w}>${style(1)}${style(2)}</w:styles>`,
    "word/document.xml": `<w:document ${w}><w:body>${paragraphs.map(paragraph).join("")}</w:body></w:document>`,
  });
}

function xlsx(sheet, rows) {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const cell = (value, row, column) => {
    const place = `${"ABCDEFGH"[column]}${row + 1}`;
    return typeof value === "number" ? `<c r="${place}"><v>${value}</v></c>` : `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  return zip({
    "[Content_Types].xml": contentTypes({
      "xl/workbook.xml": "spreadsheetml.sheet.main",
      "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
    }),
    "_rels/.rels": relationships(["r1", "officeDocument", "xl/workbook.xml"]),
    "xl/_rels/workbook.xml.rels": relationships(["r1", "worksheet", "worksheets/sheet1.xml"]),
    "xl/workbook.xml": `<workbook ${main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="${sheet}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><sheetData>${rows.map((cells, row) => `<row r="${row + 1}">${cells.map((value, column) => cell(value, row, column)).join("")}</row>`).join("")}</sheetData></worksheet>`,
  });
}

function pptx(slides) {
  const names =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const shape = (kind, lines) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp>`;
  const types = Object.fromEntries(slides.map((_, at) => [`ppt/slides/slide${at + 1}.xml`, "presentationml.slide"]));
  const parts = {
    "[Content_Types].xml": contentTypes({ "ppt/presentation.xml": "presentationml.presentation.main", ...types }),
    "_rels/.rels": relationships(["r1", "officeDocument", "ppt/presentation.xml"]),
    "ppt/_rels/presentation.xml.rels": relationships(...slides.map((_, at) => [`s${at}`, "slide", `slides/slide${at + 1}.xml`])),
    "ppt/presentation.xml": `<p:presentation ${names}><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="s${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
  };
  slides.forEach(([title, lines], at) => {
    parts[`ppt/slides/slide${at + 1}.xml`] =
      `<p:sld ${names}><p:cSld><p:spTree>${shape("title", [title])}${shape("body", lines)}</p:spTree></p:cSld></p:sld>`;
  });
  return zip(parts);
}

/** Returns a zip archive of texts by name. */
function zip(parts) {
  const files = [];
  const directory = [];
  let place = 0;
  for (const [name, text] of Object.entries(parts)) {
    const [path, content] = [Buffer.from(name), Buffer.from(text)];
    const packed = zlib.deflateRawSync(content);
    // Version, flags, method, time, date, checksum, sizes, and the lengths of the name and of extra fields.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const entry = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, path, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(place, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, tail, path]));
    files.push(entry);
    place += entry.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(place, 12);
  return Buffer.concat([...files, list, Buffer.from("PK\u0005\u0006"), end]);
}

/** Computes a CRC-32, which Node before 22.2 does not have. */
function crc32(bytes) {
  if (zlib.crc32) {
    return zlib.crc32(bytes);
  }
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  return ~crc >>> 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  makeDocuments(process.argv[2]);
}
