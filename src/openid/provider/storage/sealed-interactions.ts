// Stores interactions before a sign-in in the browser, in a sealed cookie. They become rows once a password was right (SEC-58). From then
// on, the database makes sure that each is used only once.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { interactionUrl, ROUTES } from '#openid/routes.ts';
import { basePath } from '#shared/base-path.ts';
import { COOKIES } from '#web/http/cookies.ts';
import { sealedCookie, TooLargeForCookies } from '#web/http/sealed-cookie.ts';

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** The requests to the sign-in pages. The library's own context covers its endpoints alone. */
const atPages = new AsyncLocalStorage<Exchange>();

/** Runs an operation of the sign-in pages, which may read and write the interaction of the request's cookie. */
export function withCookiesOf<Result>(req: IncomingMessage, res: ServerResponse, operation: () => Result): Result {
  return atPages.run({ req, res }, operation);
}

/** The request to a sign-in page that is being answered. */
export function pageExchange(): Exchange | undefined {
  return atPages.getStore();
}

/** The interaction in a request's cookie. It is looked up several times, but opened once. */
const opened = new WeakMap<IncomingMessage, { id: string; text: string }>();

/**
 * Wraps the adapter of interactions, which changes rows but never recreates deleted ones (`adapter.ts`); `rows` creates them.
 * The first of `keys` seals, all can open.
 */
export function sealedInteractions(
  adapter: Adapter,
  rows: Pick<Adapter, 'upsert'>,
  issuer: string,
  keys: readonly string[],
): Adapter {
  const cookie = sealedCookie(COOKIES.request, keys, issuer.startsWith('https:'));
  const exchange = (): Exchange | undefined => Provider.ctx ?? pageExchange();
  const resumePath = (id: string) => `${basePath(issuer)}${ROUTES.authorization}/${id}`;
  const write = ({ res }: Exchange, id: string, payload: AdapterPayload, seconds: number) => {
    // The pages ask a question. A refusal belongs to the address at which the request resumes.
    const path = payload['result'] === undefined ? interactionUrl(issuer, id) : resumePath(id);
    try {
      cookie.write(res, JSON.stringify(payload), { context: contextOf(id), path, seconds });
    } catch (error) {
      if (!(error instanceof TooLargeForCookies)) throw error;
      throw new errors.InvalidRequest('the request is too large: shorten state, claims or id_token_hint');
    }
  };
  return {
    ...adapter,
    find: async (id) => {
      // An interaction that became a row stays a row, even if a cookie is sent as well.
      const stored = await adapter.find(id);
      const current = exchange();
      if (stored || !current) return stored;
      const known = opened.get(current.req);
      const text = known?.id === id ? known.text : cookie.read(current.req, contextOf(id));
      const payload = text === undefined ? undefined : (JSON.parse(text) as AdapterPayload);
      // A cookie signs nobody in, even if somebody else had the keys: it is read only as long as it holds no more than a request.
      if (text === undefined || !payload || !isOfNobody(payload)) return undefined;
      opened.set(current.req, { id, text });
      return payload;
    },
    upsert: async (id, payload, expiresIn) => {
      const current = exchange();
      const fromCookie = current !== undefined && opened.get(current.req)?.id === id;
      if (fromCookie) cookie.clear(current.req, current.res, interactionUrl(issuer, id));
      // The library makes interactions in its own context. It changes a row only to add a result.
      const isSealed = isOfNobody(payload) && (fromCookie || Provider.ctx !== undefined);
      if (current && isSealed) write(current, id, payload, expiresIn ?? 0);
      else await (fromCookie ? rows : adapter).upsert(id, payload, expiresIn);
    },
    destroy: async (id) => {
      const current = exchange();
      if (current && opened.get(current.req)?.id === id) cookie.clear(current.req, current.res, resumePath(id));
      else await adapter.destroy(id);
    },
  };
}

/** Checks that the interaction signs nobody in: it holds only a client's request, and perhaps its refusal. */
function isOfNobody({ session, result, lastSubmission, grantId, deviceCode }: AdapterPayload): boolean {
  if ([session, lastSubmission, grantId, deviceCode].some((part) => part !== undefined)) return false;
  return Object.keys(result ?? {}).every((key) => key === 'error' || key === 'error_description');
}

function contextOf(uid: string): string {
  return `interaction ${uid}`;
}
