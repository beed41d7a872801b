import adapter from "@sveltejs/adapter-static";

export default {
  kit: {
    adapter: adapter(),
    // Below which path the site is published.
    paths: { base: (process.env.BASE ?? "/").replace(/\/$/, "") },
    // These documents have links that are meant for readers of a repository.
    prerender: { crawl: false },
  },
};
