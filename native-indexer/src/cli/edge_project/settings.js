/** See `HandlerOptions` of `nearfind/edge` for all settings. */
export const settings = {
  /** The address of the folder that contains nearfind.json. */
  bundle: "BUNDLE",
  /** Other sites whose pages may call the server. The site of the index always may. */
  origins: [],
};
