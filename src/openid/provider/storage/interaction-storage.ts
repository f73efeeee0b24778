// Stores interactions. Before a sign-in, an interaction is kept in a sealed cookie of the browser, and express-session keeps the progress
// from step to step (`sign-in/finish-login.ts`). When the sign-in is complete, after the second factor if there is one, the interaction
// becomes a row (SEC-58). An interaction that begins in the session of an account, such as the consent after a sign-in, is a row from the
// beginning (`isOfNobody`). The database makes sure that a row is used only once. Once the row has the result of a sign-in, a cookie binds
// it to its browser (`browser-binding.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { interactionUrl, ROUTES } from '#openid/routes.ts';
import { basePath } from '#shared/base-path.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { COOKIES, sealedCookie, TooLargeForCookies } from '#web/http/cookies.ts';

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/**
 * The current request to a sign-in page. It is kept here, because the library's own context covers only requests to the library's
 * endpoints.
 */
const atPages = new AsyncLocalStorage<Exchange>();

/**
 * Runs an operation of a sign-in page. During the operation, an interaction can be read from the cookie that the browser sent with `req`,
 * and written into a cookie of `res`.
 */
export function withCookiesOf<Result>(req: IncomingMessage, res: ServerResponse, operation: () => Result): Result {
  return atPages.run({ req, res }, operation);
}

/** Returns the current request to a sign-in page; undefined outside `withCookiesOf`. */
export function pageExchange(): Exchange | undefined {
  return atPages.getStore();
}

/**
 * The interactions that were read from cookies, by request. A request looks up its interaction several times, but the cookie is decrypted
 * only once.
 */
const opened = new WeakMap<IncomingMessage, { id: string; text: string }>();

/**
 * Wraps the adapter of interactions, so that an interaction without a signed-in account stays in a sealed cookie until it signs somebody
 * in. Then `rows` stores it as a new row. `adapter` stores all other rows, and never stores a deleted row again (`neverRecreated`). New
 * cookies are sealed with the first of `keys`, and each of `keys` can open cookies.
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
    // Browsers send the cookie only to its path. While the interaction has no result, the sign-in pages need the cookie. Once its result is
    // a refusal, the library needs the cookie at the address where it resumes the request.
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
      // An interaction that has become a row is read from the row, even if the browser still sends the cookie.
      const stored = await adapter.find(id);
      const current = exchange();
      if (stored || !current) return stored;
      const known = opened.get(current.req);
      const text = known?.id === id ? known.text : cookie.read(current.req, contextOf(id));
      const payload = text === undefined ? undefined : (JSON.parse(text) as AdapterPayload);
      // A cookie must never sign anybody in, even if an attacker has the keys. So an interaction from a cookie is accepted only if it signs
      // nobody in.
      if (text === undefined || !payload || !isOfNobody(payload)) return undefined;
      opened.set(current.req, { id, text });
      return payload;
    },
    upsert: async (id, payload, expiresIn) => {
      const current = exchange();
      const fromCookie = current !== undefined && opened.get(current.req)?.id === id;
      if (fromCookie) cookie.clear(current.req, current.res, interactionUrl(issuer, id));
      // An interaction that signs nobody in is stored in a cookie if it comes from a cookie, or if the library itself has just made it
      // (`Provider.ctx` is set). An interaction that signs somebody in becomes a row at once (`adapter.ts`). A row never becomes a cookie
      // again.
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

/** Checks that the interaction signs nobody in: apart from a client's request, it may contain only a refusal. */
function isOfNobody({ session, result, lastSubmission, grantId, deviceCode }: AdapterPayload): boolean {
  if ([session, lastSubmission, grantId, deviceCode].some((part) => part !== undefined)) return false;
  return Object.keys(result ?? {}).every((key) => key === 'error' || key === 'error_description');
}

function contextOf(uid: string): string {
  return `interaction ${uid}`;
}

/**
 * Wraps the adapter of interactions, so that a deleted interaction is never stored again (SEC-55). The library deletes an interaction when
 * its request resumes. So each interaction is resumed only once, even by simultaneous requests. A late request of a sign-in page cannot
 * store the deleted interaction again, so the sign-in in it cannot be used a second time. A call that changes or deletes a deleted
 * interaction throws `SessionNotFound`, as the library's look-up does.
 */
export function neverRecreated(adapter: Adapter, records: Pick<OidcRecords, 'destroy' | 'update'>): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      // The interaction is new if the library makes it during a request to one of its own endpoints. In such a request, `entities` already
      // contains an existing interaction, but not yet a new one.
      const isNew = ctx && (ctx.oidc.entities.Interaction as { uid?: string } | undefined)?.uid !== id;
      if (isNew) return adapter.upsert(id, payload, expiresIn);
      if (await records.update('Interaction', id, payload as OidcPayload, expiresIn)) return;
      throw new errors.SessionNotFound('interaction session not found');
    },
    // When a request resumes, the library calls `destroy` before it signs anybody in or makes a code. So of several simultaneous requests,
    // only one gets that far.
    destroy: async (id) => {
      if (!(await records.destroy('Interaction', id)))
        throw new errors.SessionNotFound('interaction session not found');
    },
  };
}
