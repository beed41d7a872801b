/** Runs models of any kind, for the few pages whose model is not quantized. */
export { newInstance } from "../wasm/embed-onnx/nearfind_embed-onnx.js";
