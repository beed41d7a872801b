/** See `HandlerOptions` of `nearfind/edge` for all settings. */
export const settings = {
  /** The address of the folder with nearfind.json. */
  bundle: "BUNDLE",
  /** Other sites whose pages may ask. The site of the bundle may. */
  origins: [],
};
