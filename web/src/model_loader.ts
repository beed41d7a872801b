/**
 * Loads and runs the model. Most pages never do so, so this is a separate file. It imports nothing, because bundlers copy it
 * unchanged.
 */
export { HttpModel } from "./sources/model_download.js";
export { QuestionEncoder } from "./engine/question_encoder.js";
export { Reranker } from "./engine/reranker.js";
export { newInstance } from "../wasm/embed/nearfind_embed.js";
