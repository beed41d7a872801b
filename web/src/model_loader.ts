/**
 * Loads and runs the model. It is a separate file because most pages never load the model. The built file has no imports, because
 * bundlers copy it unchanged.
 */
export { HttpModel } from "./sources/model_download.js";
export { QuestionEncoder } from "./engine/question_encoder.js";
export { Reranker } from "./engine/reranker.js";
export { newInstance } from "../wasm/embed/nearfind_embed.js";
