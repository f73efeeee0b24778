// Answers a request if its session was ended while the request ran, and discards what the request had stored for that session.

import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { SessionPayload } from './save-session.ts';

/** The requests that get no session cookie in their response, each with the reason. */
const outcomes = new WeakMap<KoaContextWithOIDC, 'ended' | 'not sent'>();

/** Checks whether the session was ended while this request ran. */
export function hasEnded(ctx: KoaContextWithOIDC): boolean {
  return outcomes.get(ctx) === 'ended';
}

/**
 * Keeps the session cookie out of the response to this request. Call it if the session is not stored, or if it has a new id, which the
 * response to another request sends.
 */
export function sendNoSessionCookie(ctx: KoaContextWithOIDC): void {
  outcomes.set(ctx, 'not sent');
}

/**
 * Discards what a request has stored for its session. Call it if the session could not be saved because it has ended. `before` is the
 * session as the request read it, and `after` is the state that the request would have saved. If the request cannot begin again with a
 * sign-in, throws `login_required`, which is sent to the client.
 */
export async function sessionEnded(
  ctx: KoaContextWithOIDC,
  { before, after }: { before: SessionPayload; after: SessionPayload },
): Promise<void> {
  const { oidc } = ctx;
  outcomes.set(ctx, 'ended');
  // The library does not save a session with the flag `destroyed`.
  (oidc.session as unknown as { destroyed: boolean }).destroyed = true;
  const clientId = oidc.client?.clientId ?? '';
  const grantId = after.authorizations?.[clientId]?.grantId;
  if (grantId !== undefined && grantId !== before.authorizations?.[clientId]?.grantId) {
    await oidc.provider.Grant.adapter.destroy(grantId);
  }
  await oidc.entities.AuthorizationCode?.destroy();
  if (!isAuthorization(ctx)) return;
  // A pushed request cannot begin again, because its `request_uri` was used up when the code was made.
  const pushed = oidc.entities.PushedAuthorizationRequest ?? interactionOf(ctx)?.parJti;
  if (oidc.prompts.has('none') || pushed) throw new errors.LoginRequired('the session has ended meanwhile');
}

/**
 * Makes the middleware that removes the session cookie from responses that must not send it. If the session has ended, the browser of an
 * interactive request is also redirected, so that the request begins again with a sign-in.
 */
export function endedSessions(provider: Provider) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const outcome = outcomes.get(ctx);
    if (outcome === undefined) return;
    const name = provider.cookieName('session');
    const cookies = ctx.res.getHeader('set-cookie');
    const others = [cookies ?? []].flat().filter((line) => !new RegExp(`^${name}(\\.sig)?=`).test(String(line)));
    if (others.length > 0) ctx.res.setHeader('set-cookie', others as string[]);
    else ctx.res.removeHeader('set-cookie');
    if (outcome !== 'ended' || !isAuthorization(ctx)) return;
    const { AuthorizationCode: code } = ctx.oidc.entities;
    const interaction = interactionOf(ctx);
    const goesOn = code ?? (interaction && !interaction.result);
    if (!goesOn || ctx.oidc.prompts.has('none') || interaction?.parJti) return;
    // Replaces the library's response by a redirect.
    ctx.body = '';
    ctx.status = 303;
    ctx.redirect(`${ctx.oidc.urlFor('authorization')}?${new URLSearchParams(parametersOf(ctx))}`);
  };
}

function isAuthorization({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.route === 'authorization' || oidc.route === 'resume';
}

function interactionOf({ oidc }: KoaContextWithOIDC): { parJti?: string; result?: object } | undefined {
  return oidc.entities.Interaction as { parJti?: string; result?: object } | undefined;
}

function parametersOf({ oidc }: KoaContextWithOIDC): Record<string, string> {
  const given = Object.entries(oidc.params ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
