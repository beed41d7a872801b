import { defineDocs } from "fumadocs-mdx/config";

export const docs = defineDocs({ dir: "docs" });
