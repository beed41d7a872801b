/**
 * Which hosts and origins may ask. A page of another site in a reader's browser can reach this server too, even one on the reader's
 * machine, so names are compared whole, as the platform's URLs write them.
 */

/** Names by which a machine calls itself. */
const OWN = ["localhost", "127.0.0.1", "[::1]"];

export class Callers {
  readonly #hosts: string[] | undefined;
  readonly #origins: string[];
  readonly #isOpen: boolean;

  /** `hosts` are names with or without a port; all are allowed if they are missing. `*` among `origins` allows every page. */
  constructor(hosts: readonly string[] | undefined, origins: readonly string[]) {
    this.#hosts = hosts?.map((name) => {
      const url = parsed(`http://${name}/`);
      if (!url || ![url.host, url.hostname].includes(name.toLowerCase().replace(/:80$/, ""))) {
        throw new TypeError(`${JSON.stringify(name)} is not a host: write it as in docs.example.org`);
      }
      return name.toLowerCase();
    });
    this.#isOpen = origins.includes("*");
    this.#origins = origins
      .filter((origin) => origin !== "*")
      .map((text) => {
        const origin = originOf(text);
        if (!origin) {
          throw new TypeError(`${JSON.stringify(text)} is not an origin: write it as in https://docs.example.org, without a path`);
        }
        return origin;
      });
  }

  /** Returns why a request is refused, if it is. */
  refusal(request: Request): string | undefined {
    const { host, hostname } = new URL(request.url);
    if (this.#hosts && !this.#hosts.some((name) => name === host || name === hostname)) {
      return "this host is not allowed: name it in `hosts`";
    }
    const origin = request.headers.get("Origin");
    // Programs send none.
    if (origin !== null && !this.#allows(origin)) {
      return "this origin is not allowed: name it in `origins`";
    }
    return undefined;
  }

  #allows(text: string): boolean {
    const origin = originOf(text);
    if (this.#isOpen || !origin) {
      return this.#isOpen;
    }
    const { protocol, hostname } = new URL(origin);
    return (protocol === "http:" && OWN.includes(hostname)) || this.#origins.includes(origin);
  }
}

/** Returns `text` as an origin, if it is only that. */
function originOf(text: string): string | undefined {
  const origin = parsed(text)?.origin;
  return origin !== undefined && origin !== "null" && origin === text.toLowerCase() ? origin : undefined;
}

/** Node 20 does not have `URL.parse`. */
function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
