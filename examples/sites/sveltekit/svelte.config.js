import adapter from "@sveltejs/adapter-static";

export default {
  kit: {
    adapter: adapter(),
    // The path under which the site is published.
    paths: { base: (process.env.BASE ?? "/").replace(/\/$/, "") },
    // These documents have links for readers of the repository.
    prerender: { crawl: false },
  },
};
