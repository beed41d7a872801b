/** What runs models in any form, for the few pages whose model is not a quantized one. */
export { newInstance } from "../wasm/embed-onnx/nearfind_embed-onnx.js";
