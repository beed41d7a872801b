/**
 * Decides which hosts and origins may call the server. Other sites' pages in a reader's browser can reach the server too, even if
 * it runs on the reader's machine. Names are therefore compared whole, as the platform's URLs write them.
 */

/** Names that a machine uses for itself. */
const OWN = ["localhost", "127.0.0.1", "[::1]"];

export class Callers {
  readonly #hosts: string[] | undefined;
  readonly #origins: string[];
  readonly #isOpen: boolean;

  /** `hosts` are names with or without a port; if missing, all hosts are allowed. `*` among `origins` allows every page. */
  constructor(hosts: readonly string[] | undefined, origins: readonly string[]) {
    this.#hosts = hosts?.map((name) => {
      const url = parsed(`http://${name}/`);
      if (!url || ![url.host, url.hostname].includes(name.toLowerCase().replace(/:80$/, ""))) {
        throw new TypeError(`${JSON.stringify(name)} is not a host: use one such as docs.example.org`);
      }
      return name.toLowerCase();
    });
    this.#isOpen = origins.includes("*");
    this.#origins = origins
      .filter((origin) => origin !== "*")
      .map((text) => {
        const origin = originOf(text);
        if (!origin) {
          throw new TypeError(`${JSON.stringify(text)} is not an origin: use an origin such as https://docs.example.org, without a path`);
        }
        return origin;
      });
  }

  /** Returns the reason for refusing a request; `undefined` if the request is allowed. */
  refusal(request: Request): string | undefined {
    const { host, hostname } = new URL(request.url);
    if (this.#hosts && !this.#hosts.some((name) => name === host || name === hostname)) {
      return "this host is not allowed: name it in `hosts`";
    }
    const origin = request.headers.get("Origin");
    // Programs send no origin.
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

/** Returns `text` as an origin, if it contains nothing else. */
function originOf(text: string): string | undefined {
  const origin = parsed(text)?.origin;
  return origin !== undefined && origin !== "null" && origin === text.toLowerCase() ? origin : undefined;
}

/** Node 20 does not have `URL.parse`. */
function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
