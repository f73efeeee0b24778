// Owns the places where oidc-provider is bent to this service, each with its reason; a test stands for each of them.
// Does not own its configuration (`provider.ts`).

import type { IncomingMessage } from 'node:http';
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { digest } from '../../shared/crypto/digest.ts';
import { TooManyHashes, verifyClientSecret } from '../../shared/crypto/secret-hash.ts';
import { epochSeconds } from '../../store/database/connection.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { ClientThrottle } from '../clients/secret-throttle.ts';
import { refusePublicClients } from '../tokens/introspection-policy.ts';
import { takeEmptySecrets } from './empty-client-secret.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';

type Page = (ctx: KoaContextWithOIDC) => string;

/** Applies all amendments to a provider that has answered nothing yet. The pages: no such address, nobody to sign out. */
export function amend(
  provider: Provider,
  clients: ClientRegistry,
  throttle: ClientThrottle,
  addressOf: (req: IncomingMessage) => string,
  { notFound, notSignedIn }: { notFound: Page; notSignedIn: Page },
): void {
  completeIdToken(provider);
  compareHashedSecrets(provider, clients, throttle, addressOf);
  takeProofsOnce(provider);
  takeEmptySecrets(provider, clients);
  refusePublicClients(provider);
  provider.use(leaveAtOnceWithoutSession(notSignedIn));
  provider.use(pageForUnknownAddress(notFound));
  provider.use(refuseOtherMethods);
}

// Specification section 2.2 lists `at_hash`; the library leaves it out here. For opaque tokens the id is the value.
function completeIdToken(provider: Provider): void {
  const prototype = provider.IdToken.prototype as unknown as {
    issue(options: { use: string }): Promise<string>;
    set(claim: string, value: unknown): void;
    ctx?: KoaContextWithOIDC;
  };
  const issue = prototype.issue;
  prototype.issue = async function (options) {
    const oidc = this.ctx?.oidc;
    const token = oidc?.entities.AccessToken?.jti;
    if (options.use === 'idtoken' && token) this.set('at_hash', token);
    // OpenID Connect Core section 12.2: it should have no nonce, which belongs to the answer of one authorization request.
    if (oidc?.entities.RotatedRefreshToken) this.set('nonce', undefined);
    return issue.call(this, options);
  };
}

// Secrets are kept as hashes (SEC-16); the library would compare plain text. Guessing is throttled (SEC-15).
function compareHashedSecrets(
  provider: Provider,
  clients: ClientRegistry,
  throttle: ClientThrottle,
  addressOf: (req: IncomingMessage) => string,
): void {
  const prototype = provider.Client.prototype as unknown as {
    clientId: string;
    compareClientSecret(secret: string): Promise<boolean>;
  };
  prototype.compareClientSecret = async function (secret) {
    const address = Provider.ctx ? addressOf(Provider.ctx.req) : '';
    const wait = await throttle.wait(this.clientId, address);
    if (wait > 0) throw later(429, 'too many wrong secrets from this address: try again later', wait);
    try {
      const right = await verifyClientSecret(secret, clients.find(this.clientId)?.secretHashes ?? []);
      if (!right) await throttle.failed(this.clientId, address);
      return right;
    } catch (error) {
      throw error instanceof TooManyHashes ? later(503, 'too many secrets to check: try again', 1) : error;
    }
  };
}

// RFC 6749 has no word for it at the token endpoint; the one of section 4.1.2.1 says what to do.
function later(statusCode: number, description: string, seconds: number): Error {
  Provider.ctx?.set('retry-after', String(seconds));
  return Object.assign(new errors.TemporarilyUnavailable(description), { statusCode });
}

// The library looks and then writes; here the write decides, so that of two at once only one is the first. It answers with
// the fault of the place where the proof or assertion was presented.
function takeProofsOnce(provider: Provider): void {
  const model = provider.ReplayDetection as unknown as {
    unique(issuer: string, jti: string, until: number): Promise<boolean>;
    instantiate(payload: object): { save(seconds: number): Promise<unknown> };
  };
  model.unique = async function (iss, jti, until) {
    try {
      await this.instantiate({ jti: digest(`${iss}${jti}`), iss }).save(until - epochSeconds());
      return true;
    } catch (error) {
      if (error instanceof errors.InvalidRequest) return false;
      throw error;
    }
  };
}

// Without a session there is nothing to confirm: the library would send a page whose script posts itself.
function leaveAtOnceWithoutSession(notSignedIn: Page) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'end_session' || ctx.status !== 200 || oidc.session?.accountId) return;
    const state = oidc.session?.['state'] as { postLogoutRedirectUri?: string; state?: string } | undefined;
    if (state?.postLogoutRedirectUri === undefined) {
      ctx.type = 'html';
      ctx.body = notSignedIn(ctx);
      return;
    }
    const destination = new URL(state.postLogoutRedirectUri);
    if (state.state) destination.searchParams.set('state', state.state);
    ctx.status = 303;
    ctx.redirect(destination.href);
  };
}

function pageForUnknownAddress(notFound: Page) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (ctx.status !== 404 || ctx.body || ctx.accepts('json', 'html') !== 'html') return;
    ctx.type = 'html';
    ctx.body = notFound(ctx);
    ctx.status = 404;
  };
}
