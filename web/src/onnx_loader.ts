/** Runs models of any kind, for the few pages with a model that is not quantized. */
export { newInstance } from "../wasm/embed-onnx/nearfind_embed-onnx.js";
