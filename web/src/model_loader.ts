/**
 * What runs and brings the model. Most pages never load one, so this is a file of its own; and one that imports nothing, as
 * bundlers copy it as it is.
 */
export { HttpModel } from "./sources/model_download.js";
export { QuestionEncoder } from "./engine/question_encoder.js";
export { Reranker } from "./engine/reranker.js";
export { newInstance } from "../wasm/embed/nearfind_embed.js";
