// Owns that refusals carry their explanation wherever they go: in JSON, in the challenge of a 401, at the client's callback,
// in the form that is posted there. Does not own what is said (`explanations.ts`) nor pages.

import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { FORBIDDEN_GRANT, type RefusalFault, reasonOf } from './explanations.ts';
import { WITHOUT_PROOF } from './messages.ts';

type Next = () => Promise<void>;

const JSON_ANSWERS = [
  'grant.error',
  'pushed_authorization_request.error',
  'introspection.error',
  'revocation.error',
  'userinfo.error',
  'end_session.error',
] as const;

/** Bends the answers of a provider that has answered nothing yet; before
 * any other `use` and listener, so that nobody alters them later and all know what was said. */
export function explainAnswers(provider: Provider): void {
  const faults = new WeakMap<object, RefusalFault>();
  const listen = (event: string) =>
    provider.on(event as 'grant.error', (ctx, error) => {
      const fault = error as errors.OIDCProviderError & RefusalFault;
      nameKeySetFault(fault);
      // RFC 6749 section 5.2; the library has the code of a malformed request.
      if (fault.error_description === FORBIDDEN_GRANT) fault.error = 'unauthorized_client';
      // RFC 9449 section 7.1, as the directory answers; the library has the same.
      if (fault.error_description === WITHOUT_PROOF) {
        fault.error = 'invalid_dpop_proof';
        ctx.status = 401;
      }
      faults.set(ctx, fault);
    });
  for (const event of [...JSON_ANSWERS, 'authorization.error']) listen(event);

  provider.use(async (ctx: KoaContextWithOIDC, next: Next) => {
    await next();
    const fault = faults.get(ctx);
    if (!fault) return;
    const reason = (await withoutPerson(provider, ctx, fault)) ?? reasonOf(ctx, fault);
    if (reason !== undefined) put(ctx, fault, readable(reason));
  });
}

// RFC 6749 section 5.2: what may stand in an error_description.
function readable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, ' ');
}

function put(ctx: KoaContextWithOIDC, { error, error_description: before }: RefusalFault, reason: string): void {
  const { body } = ctx;
  if (typeof body === 'object' && body !== null && 'error' in body) {
    Object.assign(body, { error, error_description: reason });
    const challenges = [ctx.response.get('www-authenticate') as string | string[]].flat().filter(Boolean);
    const explained = challenges.map((text) =>
      text.replace(/\berror="[^"]*"/, `error="${error}"`).replace(`="${before}"`, () => `="${reason}"`),
    );
    if (challenges.length > 0) ctx.set('www-authenticate', explained);
  } else if (ctx.status === 303) {
    ctx.set('location', atCallback(ctx.response.get('location'), error, reason));
  } else if (typeof body === 'string') {
    ctx.body = inForm(body, error, reason);
  }
}

/** The address with the reason in place of the library's, in the query or behind the `#`, wherever the error stands. */
function atCallback(location: string, error: string, reason: string): string {
  const url = URL.parse(location);
  if (!url) return location;
  if (url.searchParams.get('error') === error) {
    url.searchParams.set('error_description', reason);
    return url.href;
  }
  const fragment = new URLSearchParams(url.hash.slice(1));
  if (fragment.get('error') !== error) return location;
  fragment.set('error_description', reason);
  url.hash = fragment.toString();
  return url.href;
}

/** In the page that posts the answer to the callback, as the library writes it. */
function inForm(page: string, error: string, reason: string): string {
  const value = reason.replace(/[&<>']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const field = `<input type="hidden" name="error_description" value="${value}"/>`;
  const own = /<input type="hidden" name="error_description" value="[^"]*"\/>/;
  // A function, because a text to put in has signs of its own.
  if (own.test(page)) return page.replace(own, () => field);
  const code = `<input type="hidden" name="error" value="${error}"/>`;
  return page.replace(code, () => `${code}\n${field}`);
}

const WITHOUT_PERSON = "the access token is a client's own: userinfo needs the token of a signed-in person";

// The library looks for tokens of people alone. Only where it found none: who has such a token is its client.
async function withoutPerson(provider: Provider, ctx: KoaContextWithOIDC, fault: RefusalFault) {
  if (ctx.oidc?.route !== 'userinfo' || fault.error_detail !== 'access token not found') return undefined;
  const token = /^(?:Bearer|DPoP) (\S+)$/i.exec(ctx.get('authorization'))?.[1];
  const found = token === undefined ? undefined : await provider.ClientCredentials.find(token);
  return found && WITHOUT_PERSON;
}

const MOST_CAUSES = 6;

// The audit trail keeps the detail, for which the library takes the code of the fault before (SEC-48): the operator gets what
// went wrong on the way to the client's keys, name, network or TLS. The client is told none of it.
function nameKeySetFault(fault: RefusalFault): void {
  const { cause } = fault as { cause?: { error?: string; error_description?: string; cause?: unknown } };
  if (cause?.error !== 'invalid_client_metadata') return;
  const said = [cause.error_description ?? cause.error];
  let next = cause.cause as { message?: string; code?: string; cause?: unknown } | undefined;
  while (next && said.length < MOST_CAUSES) {
    said.push(next.message || next.code || '');
    next = next.cause as typeof next;
  }
  fault.error_detail = said.filter(Boolean).join(': ');
}
