// Plays a language model over HTTP, with the protocols of common APIs and the answers that a test requires.
import { createServer } from "node:http";

/**
 * Returns the lines of a chat-completions stream, with one event for each piece. `end` is the reason why it ended, or
 * `null` if it just stops.
 */
export function chat(pieces, end = "stop") {
  const events = pieces.map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] }));
  return [...events, ...(end ? [{ choices: [{ delta: {}, finish_reason: end }] }] : [])].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
}

/** Returns the events of a stream of Anthropic's Messages API. */
export function anthropic(pieces, end = "end_turn") {
  const event = (type, more) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  return [
    event("message_start", { message: { role: "assistant", content: [] } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...pieces.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("message_delta", { delta: { stop_reason: end } }),
    event("message_stop", {}),
  ];
}

/**
 * Starts an endpoint. `next(script)` sets the answer to the next question: `script(response, body)` answers it, or
 * `script` is `{ status, headers, type, body }` with a text or pieces. `asked` has the bodies of all questions, and
 * `origins` their origins.
 */
export async function startModel() {
  const scripts = [];
  const asked = [];
  const server = createServer(async (request, response) => {
    const headers = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Headers": "content-type",
      "Access-Control-Expose-Headers": "retry-after",
    };
    if (request.method === "OPTIONS") {
      return response.writeHead(204, headers).end();
    }
    let text = "";
    for await (const chunk of request) text += chunk;
    asked.push({ ...JSON.parse(text), headers: request.headers });
    const script = scripts.shift() ?? { status: 500 };
    if (typeof script === "function") {
      response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
      return script(response, asked.at(-1));
    }
    const { status = 200, type = "text/event-stream", body = "", headers: more = {} } = script;
    response.writeHead(status, { ...headers, "Content-Type": type, ...more }).end([body].flat().join(""));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/answer`,
    asked,
    next: (...more) => scripts.push(...more),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
