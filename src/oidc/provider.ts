// Owns the one `new Provider`: routes, lifetimes, features, scopes and claims.
// Does not own claims, clients, keys, policy, pages, nor the places where the library is bent: each has its own file.

import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Settings } from '../config/settings.ts';
import { PROOF_ALGORITHMS } from '../shared/crypto/proof-algorithms.ts';
import type { Logger } from '../shared/log/log.ts';
import { SCOPES } from '../shared/scopes.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import type { Consents } from '../store/oidc/consents.ts';
import type { EndedSession } from '../store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '../store/oidc/oidc-records.ts';
import { adapterFactory } from './adapter.ts';
import { auditProvider, type ProviderAudit } from './audit.ts';
import { claimsByScope, claimsOf } from './claims.ts';
import { type ClientRegistry, CONSENT, SECOND_FACTOR } from './clients/client-registry.ts';
import { outgoingFetch } from './clients/outbound-fetch.ts';
import type { ClientThrottle } from './clients/secret-throttle.ts';
import { CLOCK_TOLERANCE } from './clock.ts';
import { logFaults } from './errors/error-log.ts';
import { explainAnswers } from './errors/explained-answers.ts';
import { type Explanation, explain } from './errors/explanations.ts';
import { answerOwnFaults } from './errors/server-errors.ts';
import { ACR_VALUES } from './interactions/authentication-context.ts';
import { ID_TOKEN_ALGORITHMS, type ProviderKeys } from './keys/service-keys.ts';
import { amendSigning } from './keys/signing.ts';
import { queueLogouts } from './logout/logout-token.ts';
import { amend } from './patches/amendments.ts';
import { rereadClientKeys } from './patches/client-jwks-cache.ts';
import { type CallbackForm, formPostPage } from './patches/form-post-page.ts';
import { leaveFormsUnread, takePostedRequests } from './patches/posted-requests.ts';
import { limitResponseModes } from './patches/response-modes.ts';
import { grantLoader, prompts, refuseLongAssertions, refuseOldProofs, requestRules } from './policy.ts';
import { INTERACTION_PATH, ROUTES } from './routes.ts';
import { requestedClaims } from './tokens/claims-parameter.ts';
import { refuseScopesOfPeople } from './tokens/client-credentials-scopes.ts';
import { createIntrospection } from './tokens/introspection.ts';
import { introspectionPolicy, mayRevoke } from './tokens/introspection-policy.ts';
import { rotateWithGrace } from './tokens/refresh-rotation.ts';
import { readAhead } from './tokens/token-prefetch.ts';
import { claimsLeft, withholdWithdrawn } from './tokens/withdrawn-scopes.ts';

const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** Pages that the provider itself must show; rendered elsewhere. Each returns a whole HTML document. */
export interface ProviderPages {
  error(ctx: KoaContextWithOIDC, fault: Explanation): string;
  /** `form` is the library's own form, id `op.logoutForm`. */
  logout(ctx: KoaContextWithOIDC, form: string): string;
  signedOut(ctx: KoaContextWithOIDC): string;
  /** Somebody asks for a sign-out who is not signed in. */
  notSignedIn(ctx: KoaContextWithOIDC): string;
  /** Carries an answer to the client's callback by itself. */
  formPost(ctx: KoaContextWithOIDC, form: CallbackForm): string;
}

export interface ProviderOptions extends ProviderAudit {
  settings: Settings;
  clients: ClientRegistry;
  keys: ProviderKeys;
  records: OidcRecords;
  accounts: Accounts;
  consents: Consents;
  secondFactors: Pick<SecondFactors, 'find'>;
  throttle: ClientThrottle;
  pages: ProviderPages;
  /** Takes the end of a session at a client, of which that client is told later. */
  loggedOut(ended: EndedSession): Promise<void>;
  log: Logger;
}

/** Builds the OpenID provider. Requests must reach it with the issuer's Host (`src/server/app.ts` sees to it). */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.settings.issuer, configuration(options));
  rereadClientKeys(provider);
  answerOwnFaults(provider);
  provider.use(formPostPage((ctx, form) => options.pages.formPost(ctx, form)));
  explainAnswers(provider);
  logFaults(provider, options.log);
  // Host and scheme are set from the issuer before a request gets here; this makes the library read the scheme.
  provider.proxy = true;
  if (options.settings.proxies > 0) provider.maxIpsCount = options.settings.proxies;
  const { pages } = options;
  auditProvider(provider, options);
  queueLogouts(provider, options.loggedOut);
  provider.use(leaveFormsUnread);
  provider.use(takePostedRequests((ctx, description) => pages.error(ctx, { error: 'invalid_request', description })));
  amend(provider, options.clients, options.throttle, options.addressOf, {
    notFound: (ctx) => pages.error(ctx, { error: 'not_found' }),
    notSignedIn: pages.notSignedIn,
  });
  withholdWithdrawn(provider, options.clients);
  limitResponseModes(provider, options.clients);
  amendSigning(provider, options.settings.keys);
  refuseScopesOfPeople(provider);
  rotateWithGrace(provider, options.records, options.settings.lifetimes.refreshTokenGrace);
  return provider;
}

function configuration(options: ProviderOptions): Configuration {
  const { settings, clients, keys, consents, pages, log } = options;
  const { records, accounts } = readAhead(options.records, options.accounts);
  const { lifetimes } = settings;
  const secure = settings.issuer.startsWith('https:');
  const base = new URL(settings.issuer).pathname.replace(/\/$/, '');
  const introspect = createIntrospection(records, clients);
  const wantedClaims = requestedClaims(settings.namespace);
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const;
  return {
    adapter: adapterFactory(records, clients, lifetimes),
    jwks: { keys: keys.signing },
    routes: ROUTES,
    responseTypes: ['code'],
    scopes: [...SCOPES],
    // Asked for by name only; the library knows its siblings acr and auth_time by itself.
    claims: { ...claimsByScope(settings.namespace), amr: null },
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...CONFIDENTIAL_METHODS, 'none'],
    acrValues: ACR_VALUES,
    enabledJWA: {
      idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
      // No HMAC: secrets are kept as hashes.
      clientAuthSigningAlgValues: [...PROOF_ALGORITHMS],
      dPoPSigningAlgValues: [...PROOF_ALGORITHMS],
    },
    assertJwtClientAuthClaimsAndHeader: refuseLongAssertions,
    extraClientMetadata: { properties: [CONSENT, SECOND_FACTOR] },
    extraParams: requestRules(log),
    rotateRefreshToken: () => true,
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    clockTolerance: CLOCK_TOLERANCE,
    cookies: {
      keys: keys.cookies,
      names: { session: 'hygie_session', interaction: 'hygie_interaction', resume: 'hygie_resume' },
      long: cookie,
      short: cookie,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true, requireNonce: refuseOldProofs },
      pushedAuthorizationRequests: { enabled: true, allowUnregisteredRedirectUris: false },
      resourceIndicators: { enabled: false },
      claimsParameter: { enabled: true, assertClaimsParameter: wantedClaims.limit },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      introspection: { enabled: true, allowedPolicy: introspectionPolicy(introspect, clients) },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => page(ctx, pages.logout(ctx, form)),
        postLogoutSuccessSource: (ctx) => page(ctx, pages.signedOut(ctx)),
      },
    },
    findAccount: async (ctx, id) => {
      const account = await accounts.find(id);
      if (account?.status !== 'active') return undefined;
      const { clientId = '', clientName = '' } = ctx.oidc.client ?? {};
      const registered = clients.find(clientId)?.scopes ?? [];
      const claims = () => claimsLeft(claimsOf(account, clientName, settings), registered, wantedClaims.scopeOf);
      return { accountId: account.id, claims: async () => ({ sub: account.id, ...claims() }) };
    },
    interactions: {
      policy: prompts(settings, options.secondFactors),
      url: (_ctx, { uid }) => `${base}${INTERACTION_PATH}/${uid}`,
    },
    loadExistingGrant: grantLoader(consents, wantedClaims, lifetimes.grant),
    renderError: (ctx, out) => page(ctx, pages.error(ctx, explain(ctx, out))),
    discovery: {
      // RFC 8414 section 2: without these, a client has to assume that a secret in the header is the only way.
      introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
      introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_METHODS, 'none'],
      revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      prompt_values_supported: ['none', 'login', 'consent'],
      request_parameter_supported: false,
      ui_locales_supported: ['fr', 'en'],
    },
    clientBasedCORS: (_ctx, origin, client) => allowedOrigin(origin, client.redirectUris ?? []),
    fetch: outgoingFetch(settings),
    ttl: {
      AuthorizationCode: lifetimes.authorizationCode,
      AccessToken: lifetimes.accessToken,
      ClientCredentials: lifetimes.accessToken,
      IdToken: lifetimes.idToken,
      Interaction: lifetimes.interaction,
      // Consent is remembered apart (`consents.ts`): a grant need not outlive what was given by it.
      Grant: (_ctx, grant) =>
        grant.getOIDCScope().split(' ').includes('offline_access')
          ? lifetimes.grant
          : lifetimes.session + lifetimes.accessToken,
      RefreshToken: (_ctx, token) => refreshTokenLifetime(token.iiat, lifetimes),
      Session: (_ctx, session) => sessionLifetime(session.loginTs, lifetimes),
    },
  };
}

function page(ctx: KoaContextWithOIDC, html: string): void {
  ctx.type = 'html';
  ctx.body = html;
}

/** Idle limit, but never beyond the absolute one (SEC-33). Seconds, at least one. */
export function sessionLifetime(signedInAt: number | undefined, limits: Settings['lifetimes']): number {
  if (signedInAt === undefined) return limits.sessionIdle;
  const left = signedInAt + limits.session - Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(limits.sessionIdle, left));
}

/** Idle limit, counted from now, but never beyond the absolute one, counted from the first of the family. Seconds. */
export function refreshTokenLifetime(firstIssuedAt: number | undefined, limits: Settings['lifetimes']): number {
  const now = Math.floor(Date.now() / 1000);
  const left = (firstIssuedAt ?? now) + limits.refreshToken - now;
  return Math.max(1, Math.min(limits.refreshTokenIdle, left));
}

// Only the pages of the client's own callbacks may call with the browser's fetch (SEC-45).
function allowedOrigin(origin: string, callbacks: readonly string[]): boolean {
  return callbacks.some((callback) => URL.parse(callback)?.origin === origin && origin !== 'null');
}
