// Stores interactions before a sign-in in a sealed cookie of the browser. They become rows after a right password or passkey (SEC-58). From
// then on, the database makes sure that each is used only once.

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

/**
 * The current request to a sign-in page. It is kept here, because the library's own context covers only requests to the library's
 * endpoints.
 */
const atPages = new AsyncLocalStorage<Exchange>();

/** Runs an operation of the sign-in pages, which may read and write the interaction in the cookie of the request. */
export function withCookiesOf<Result>(req: IncomingMessage, res: ServerResponse, operation: () => Result): Result {
  return atPages.run({ req, res }, operation);
}

/** The request to a sign-in page that is being answered, with its response. */
export function pageExchange(): Exchange | undefined {
  return atPages.getStore();
}

/** The opened interaction of a request's cookie. It is looked up several times, but decrypted once. */
const opened = new WeakMap<IncomingMessage, { id: string; text: string }>();

/**
 * Wraps the adapter of interactions. `rows` creates rows. `adapter` changes them, and never stores a deleted one again (`adapter.ts`). The
 * first of `keys` seals; all of them open.
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
    // Without a result, the sign-in pages need the cookie. With a refusal, the library needs it when the request resumes.
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
      // An interaction that became a row stays a row, even if the browser still sends a cookie.
      const stored = await adapter.find(id);
      const current = exchange();
      if (stored || !current) return stored;
      const known = opened.get(current.req);
      const text = known?.id === id ? known.text : cookie.read(current.req, contextOf(id));
      const payload = text === undefined ? undefined : (JSON.parse(text) as AdapterPayload);
      // A cookie must never sign anybody in, even if an attacker has the keys. So it is accepted only if it holds a request and nothing
      // else.
      if (text === undefined || !payload || !isOfNobody(payload)) return undefined;
      opened.set(current.req, { id, text });
      return payload;
    },
    upsert: async (id, payload, expiresIn) => {
      const current = exchange();
      const fromCookie = current !== undefined && opened.get(current.req)?.id === id;
      if (fromCookie) cookie.clear(current.req, current.res, interactionUrl(issuer, id));
      // A new interaction of nobody comes from the library itself (`Provider.ctx`) and is sealed. An interaction of a signed-in person
      // becomes a row at once (`adapter.ts`). A row stays a row.
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

/** Checks that the interaction signs nobody in: it holds a client's request, and perhaps its refusal. */
function isOfNobody({ session, result, lastSubmission, grantId, deviceCode }: AdapterPayload): boolean {
  if ([session, lastSubmission, grantId, deviceCode].some((part) => part !== undefined)) return false;
  return Object.keys(result ?? {}).every((key) => key === 'error' || key === 'error_description');
}

function contextOf(uid: string): string {
  return `interaction ${uid}`;
}
