import { error } from "@sveltejs/kit";
import { Marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";

const DOCS = import.meta.glob("/src/docs/*.md", { query: "?raw", import: "default", eager: true });
const HOME = "README";
const markdown = new Marked(gfmHeadingId());

export const entries = () => Object.keys(DOCS).map((path) => ({ page: path.slice("/src/docs/".length, -".md".length) }));

export const load = ({ params }) => {
  const text = DOCS[`/src/docs/${params.page || HOME}.md`];
  if (text === undefined) {
    error(404);
  }
  return { title: /^# (.*)/.exec(text)[1], html: markdown.parse(text) };
};
