// A Cloudflare Worker that holds the key of a language model for the pages of a docs site. The panel in a page sends questions to
// the worker, and the worker sends them to the model: `<nearfind-ask endpoint="https://ask.example.org/">`. README.md explains
// how to publish it.

/** The maximum size of a question. Longer ones are refused before they are read to their end. */
const MAX_BYTES = 128 * 1024;
const MAX_MESSAGES = 20;
const MAX_TOKENS = 800;
/** A reader who asks more questions than this within `WINDOW` seconds must wait. */
const QUESTIONS_PER_MINUTE = 10;
const WINDOW = 60;
/** The maximum number of addresses to remember, because an isolate has only 128 MB of memory. */
const MAX_ADDRESSES = 10_000;

const APIS = {
  chat: {
    url: "https://api.openai.com/v1/chat/completions",
    roles: ["system", "user", "assistant"],
    headers: (key) => ({ Authorization: `Bearer ${key}` }),
  },
  anthropic: {
    url: "https://api.anthropic.com/v1/messages",
    roles: ["user", "assistant"],
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
};

/** The reason that a page gets instead of an answer. */
class Refusal extends Error {
  constructor(status, message, headers = {}) {
    super(message);
    Object.assign(this, { status, headers });
  }
}

export default {
  async fetch(request, env) {
    const origin = request.headers.get("Origin");
    const isAllowed = origin !== null && originsOf(env).includes(origin);
    // Errors have these headers too, because without them a page cannot distinguish a 429 from a broken network.
    const headers = {
      Vary: "Origin",
      ...(isAllowed && { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "Retry-After" }),
    };
    try {
      const response = await respond(request, env, isAllowed);
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    } catch (error) {
      const isExpected = error instanceof Refusal;
      if (!isExpected) console.error(error);
      const refusal = isExpected ? error : new Refusal(500, "The worker failed. Look into its log.");
      const body = { error: { message: refusal.message } };
      return Response.json(body, { status: refusal.status, headers: { "Cache-Control": "no-store", ...headers, ...refusal.headers } });
    }
  },
};

async function respond(request, env, isAllowed) {
  if (request.method !== "POST" && request.method !== "OPTIONS") {
    throw new Refusal(405, "Send your question as a POST request.", { Allow: "POST, OPTIONS" });
  }
  if (!isAllowed) {
    throw new Refusal(403, "Pages of this origin may not ask here. Add the origin to ORIGINS, in the settings of the worker.");
  }
  if (request.method === "OPTIONS") {
    const allow = { "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Content-Type" };
    return new Response(null, { status: 204, headers: { ...allow, "Access-Control-Max-Age": "86400" } });
  }
  const api = APIS[env.API || "chat"];
  if (!api || !env.API_KEY || !env.MODEL) {
    throw new Refusal(500, 'The worker is not set up. Give it API_KEY and MODEL, and leave API at "chat" or "anthropic".');
  }
  const question = questionOf(await textOf(request), api);
  // Count the question only after the checks, so that refused requests do not count.
  await limit(request, env);
  return answer(question, api, env, request.signal);
}

function originsOf(env) {
  const origins = (env.ORIGINS ?? "").split(/[\s,]+/).filter(Boolean);
  // Browsers send an origin in lower case and without a slash, but people copy it from the address bar.
  return origins.map((origin) => origin.toLowerCase().replace(/\/$/, ""));
}

/** Reads the body, and counts its bytes, because a stream has no Content-Length. */
async function textOf(request) {
  const chunks = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
    length += part.value.byteLength;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new Refusal(413, "The question is too long. Send at most 128 KB.");
    }
    chunks.push(part.value);
  }
  return new Blob(chunks).text();
}

/**
 * Returns the part of a question that the model gets. Tools, another model or a request for a hundred answers are
 * dropped.
 */
function questionOf(text, { roles }) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "The request is not JSON. Send an object with `messages`.");
  }
  const messages = body?.messages;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES) {
    throw new Refusal(400, `Send a list of 1 to ${MAX_MESSAGES} \`messages\`.`);
  }
  if (!messages.every((message) => roles.includes(message?.role) && typeof message.content === "string")) {
    throw new Refusal(400, `Give each message a text as \`content\`, and one of these as \`role\`: ${roles.join(", ")}.`);
  }
  const kept = { messages: messages.map(({ role, content }) => ({ role, content })) };
  // In chat completions, the instructions are an ordinary message.
  if (roles.includes("system") || body.system === undefined) {
    return kept;
  }
  if (typeof body.system !== "string") {
    throw new Refusal(400, "Send `system` as a text.");
  }
  return { system: body.system, ...kept };
}

/**
 * The questions of each address in the current window. Each isolate has its own map, so this limits the cost less
 * strictly than LIMITER.
 */
const asked = new Map();

async function limit(request, env) {
  const key = networkOf(request.headers.get("CF-Connecting-IP") ?? "unknown");
  let wait = 0;
  if (env.LIMITER) {
    const { success } = await env.LIMITER.limit({ key });
    wait = success ? 0 : WINDOW;
  } else {
    wait = secondsToWait(key, numberOf(env.QUESTIONS_PER_MINUTE, QUESTIONS_PER_MINUTE));
  }
  if (wait > 0) {
    throw new Refusal(429, `You have asked many questions. Ask again in ${wait} seconds.`, { "Retry-After": String(wait) });
  }
}

/**
 * Returns the network of an address. A home has 2^64 addresses of IPv6 and could use a new one for each question, but
 * the first half of the address stays the same.
 */
function networkOf(address) {
  if (!address.includes(":")) {
    return address;
  }
  const [start, end] = address.split("::").map((side) => side.split(":").filter(Boolean));
  const zeros = end ? Array(Math.max(0, 8 - start.length - end.length)).fill("0") : [];
  return [...start, ...zeros, ...(end ?? [])].slice(0, 4).join(":");
}

function secondsToWait(key, most) {
  const now = Date.now();
  let mine = asked.get(key);
  if (!mine || mine.until <= now) {
    // Delete first, so that the map stays in the order of time and its first address is the oldest.
    asked.delete(key);
    mine = { count: 0, until: now + WINDOW * 1000 };
    asked.set(key, mine);
    if (asked.size > MAX_ADDRESSES) asked.delete(asked.keys().next().value);
  }
  mine.count += 1;
  return mine.count > most ? Math.ceil((mine.until - now) / 1000) : 0;
}

async function answer(question, api, env, signal) {
  const url = env.API_URL || api.url;
  // OpenAI's newer models reject the name that other APIs use.
  const maxTokens = url.startsWith(new URL(APIS.chat.url).origin) ? "max_completion_tokens" : "max_tokens";
  const body = { model: env.MODEL, ...question, [maxTokens]: numberOf(env.MAX_TOKENS, MAX_TOKENS), stream: true };
  let response;
  try {
    const headers = { "Content-Type": "application/json", ...api.headers(env.API_KEY.trim()) };
    // A redirect could send the key elsewhere. The signal ends the answer, and its cost, when the reader leaves.
    response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), redirect: "manual", signal });
  } catch {
    throw new Refusal(502, "The language model cannot be reached. Try again later, or check API_URL in the settings of the worker.");
  }
  if (!response.ok) {
    // The API's error message stays in the worker, because it may contain your account or a part of your key.
    await response.body?.cancel();
    console.error(`The API answered with status ${response.status}.`);
    if (response.status === 429) {
      const wait = String(secondsOf(response.headers.get("Retry-After")));
      throw new Refusal(429, `The language model has too many questions. Ask again in ${wait} seconds.`, { "Retry-After": wait });
    }
    throw new Refusal(502, "The language model gave no answer. Try again later, or look for the status in the log of the worker.");
  }
  const headers = { "Content-Type": response.headers.get("Content-Type") ?? "text/event-stream", "Cache-Control": "no-store" };
  return new Response(response.body, { status: 200, headers });
}

/** Returns the seconds of a Retry-After header, which is a number or a date. A number is easier to read for a page. */
function secondsOf(retryAfter) {
  const seconds = Number(retryAfter ?? Number.NaN);
  const wait = Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.now()) / 1000 : seconds;
  return Number.isNaN(wait) ? WINDOW : Math.max(1, Math.ceil(wait));
}

function numberOf(setting, standard) {
  const number = Number.parseInt(setting, 10);
  return Number.isNaN(number) ? standard : number;
}
