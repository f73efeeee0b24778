// One request of a client, sent once and never repeated; what came instead of the answer that was asked for is a `Seen`.

/** Milliseconds: longer than the service lets anything wait. */
const PATIENCE = 75_000;

/** What a client saw in place of its answer: `503`, `500 without Retry-After`, `ECONNREFUSED`. */
export class Seen extends Error {
  /** The request may have been done or not: there was no answer. */
  readonly unknown: boolean;

  constructor(what: string, unknown = false) {
    super(what);
    this.unknown = unknown;
  }
}

export type Ask = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Rejects with `Seen` on every status of 500 and more, and when there is no answer. Redirects are not followed. */
export const ask: Ask = async (url, init = {}) => {
  const path = new URL(url).pathname;
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
    // The whole body, or the answer does not count.
    response = new Response(await response.arrayBuffer().then((body) => (body.byteLength > 0 ? body : null)), response);
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    throw new Seen(name === 'TimeoutError' ? `no answer to ${path}` : (cause?.code ?? cause?.message ?? message), true);
  }
  if (response.status < 500) return response;
  if (response.status === 503 && response.headers.has('retry-after')) throw new Seen('503');
  throw new Seen(`${response.status} at ${path}${response.status === 503 ? ' without Retry-After' : ''}`);
};

/** Rejects with `Seen` unless it is that. */
export async function expectStatus(response: Response, status: number, what: string): Promise<Response> {
  if (response.status === status) return response;
  throw new Seen(`${response.status} for ${what}: ${(await response.text()).replaceAll(/\s+/g, ' ').slice(0, 160)}`);
}
