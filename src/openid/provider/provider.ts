// The OpenID provider: oidc-provider's configuration in its own words, its middleware, its events and its patches, in this order.

import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { CLOCK_TOLERANCE, checkClientAssertion } from '#openid/clients/client-assertion.ts';
import { acceptEmptySecrets, refuseManyFields } from '#openid/clients/client-forms.ts';
import { createClientKeySets, KEY_SET_READING } from '#openid/clients/client-key-sets.ts';
import {
  ASSERTION_AUDIENCE,
  AUTHENTICATION_CLAIMS,
  type ClientRegistry,
  CONSENT,
  PKCE,
  REFRESH_TOKENS,
  SECOND_FACTOR,
  WORKSPACE,
} from '#openid/clients/client-registry.ts';
import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import { isOriginOfClient } from '#openid/clients/cors-origins.ts';
import { isFapi2, PROFILE } from '#openid/clients/fapi2.ts';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { ID_TOKEN_ALGORITHMS, type ProviderKeys } from '#openid/keys/service-keys.ts';
import { queueLogoutTokens } from '#openid/logout/logout-token.ts';
import { signOutByHint } from '#openid/logout/sign-out-by-hint.ts';
import { signOutWithoutSession } from '#openid/logout/sign-out-without-session.ts';
import { interactionUrl, isForPrograms, ROUTES } from '#openid/routes.ts';
import { endedSessions } from '#openid/sessions/ended-session.ts';
import { sessionCookieOptions } from '#openid/sessions/session-cookie.ts';
import { sessionLimit } from '#openid/sessions/session-limit.ts';
import { ACR_VALUES } from '#openid/tokens/authentication-context.ts';
import { claimsConfiguration, type NamesInDirectory } from '#openid/tokens/claims.ts';
import { requestedClaims } from '#openid/tokens/claims-parameter.ts';
import { refuseUnfitProofs } from '#openid/tokens/dpop-proof.ts';
import { findAccount } from '#openid/tokens/find-account.ts';
import { createIntrospection } from '#openid/tokens/introspection.ts';
import { introspectionPolicy, mayRevoke, refusePublicClients } from '#openid/tokens/introspection-policy.ts';
import { timeToLive } from '#openid/tokens/lifetimes.ts';
import { rotationMiddleware } from '#openid/tokens/refresh-rotation.ts';
import { serviceAccountTokens } from '#openid/tokens/service-account-tokens.ts';
import { signInClaims } from '#openid/tokens/sign-in-of-token.ts';
import { prefetchTokens } from '#openid/tokens/token-prefetch.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/proof-algorithms.ts';
import type { Logger } from '#shared/log/log.ts';
import { SCOPES } from '#shared/scopes.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { Pictures } from '#store/accounts/pictures.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { EndedSession } from '#store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { COOKIES, cookieName } from '#web/http/cookie-names.ts';
import { SANDBOX_PATH } from '#web/site.ts';
import { auditProvider } from './audit.ts';
import { logErrors } from './errors/error-log.ts';
import { explainErrors } from './errors/error-responses.ts';
import { type Explanation, explain } from './errors/explanations.ts';
import { methodNotAllowed } from './errors/method-not-allowed.ts';
import { answerServerErrors } from './errors/server-errors.ts';
import { unknownAddress } from './errors/unknown-address.ts';
import { atPaths } from './middleware/at-paths.ts';
import { exactAddresses } from './middleware/exact-addresses.ts';
import { exposeHeaders } from './middleware/exposed-headers.ts';
import { applyPatches } from './patches/index.ts';
import { prompts } from './prompts/prompts.ts';
import { rememberedConsent } from './prompts/remembered-consent.ts';
import { pkceRequirement } from './requests/pkce.ts';
import { ignoreUserinfoForms, redirectPostedRequests } from './requests/posted-requests.ts';
import { checkRequestObject } from './requests/request-objects.ts';
import { requestParameters } from './requests/request-parameters.ts';
import { refuseLargeRequests } from './requests/request-size.ts';
import { responseModeCheck } from './requests/response-modes.ts';
import { answerWithFormPostPage, type CallbackForm, ERROR_PAGE } from './responses/form-post-page.ts';
import { adapterFactory } from './storage/adapter.ts';

/** Pages of the provider, rendered elsewhere. Each returns a whole HTML document. */
interface ProviderPages {
  error(ctx: KoaContextWithOIDC, explanation: Explanation): string;
  /** `form` is the library's own form, id `op.logoutForm`. */
  logout(ctx: KoaContextWithOIDC, form: string): string;
  signedOut(ctx: KoaContextWithOIDC): string;
  /** For a sign-out of somebody who is not signed in. */
  notSignedIn(ctx: KoaContextWithOIDC): string;
  /** Posts an authorization response to the client's callback by itself. */
  formPost(ctx: KoaContextWithOIDC, form: CallbackForm): string;
}

interface ProviderOptions {
  audit: AuditTrail;
  /** Whether everybody signs in with an account: no visitor ends the sessions of others. */
  isShared(accountId: string): boolean;
  settings: Settings;
  clients: ClientRegistry;
  keys: ProviderKeys;
  records: OidcRecords;
  accounts: Accounts;
  pictures: Pick<Pictures, 'pathOf'>;
  namesInDirectory: NamesInDirectory;
  /** Id of the edition of the directory that is served. */
  edition(): string | undefined;
  consents: Consents;
  secondFactors: Pick<SecondFactors, 'kinds'>;
  checkSecret: CheckSecret;
  pages: ProviderPages;
  /** Takes the end of a session at a client, which is notified later. */
  loggedOut(ended: EndedSession): Promise<void>;
  log: Logger;
}

/**
 * The OpenID provider. Requests must reach it with the issuer's Host (`src/server/app.ts` sees to it). Throws when the installed
 * oidc-provider is not the version that the patches were written for.
 */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.settings.issuer, configuration(options));
  // Host and scheme are set from the issuer before a request gets here; this makes the library read the scheme.
  provider.proxy = true;
  if (options.settings.proxies > 0) provider.maxIpsCount = options.settings.proxies;
  addMiddleware(provider, options);
  applyPatches(provider, options.checkSecret);
  return provider;
}

/** Documented: middleware around the library's answers, and events. What comes first sees an answer last. */
function addMiddleware(provider: Provider, options: ProviderOptions): void {
  const { pages, clients, settings } = options;
  answerServerErrors(provider);
  answerWithFormPostPage(provider, pages.formPost);
  explainErrors(provider);
  logErrors(provider, options.log);
  auditProvider(provider, options.audit);
  const at = (paths: readonly string[], middleware: Parameters<typeof atPaths>[1]) =>
    provider.use(atPaths(paths, middleware));
  // A browser's session comes with these two only.
  const visited = [ROUTES.authorization, ROUTES.end_session];
  const refusal = (ctx: KoaContextWithOIDC, description: string) =>
    pages.error(ctx, { error: 'invalid_request', description });
  at([ROUTES.token, ROUTES.userinfo, ROUTES.revocation, ROUTES.pushed_authorization_request], exposeHeaders);
  at([ROUTES.userinfo], ignoreUserinfoForms);
  at(visited, redirectPostedRequests(refusal));
  at(visited, refuseLargeRequests(pages.error, options.log));
  at([...AUTHENTICATED, ROUTES.userinfo, ROUTES.end_session], refuseManyFields);
  at(AUTHENTICATED, acceptEmptySecrets(clients));
  at([ROUTES.introspection], refusePublicClients(provider));
  at([ROUTES.token], rotationMiddleware(options.records));
  at(visited, endedSessions(provider));
  at([ROUTES.authorization], sessionLimit(options.records, settings.limits.sessionsPerAccount, options));
  at([ROUTES.end_session], signOutWithoutSession(pages.notSignedIn));
  provider.use(unknownAddress((ctx) => pages.error(ctx, { error: 'not_found' })));
  provider.use(methodNotAllowed);
  provider.use(exactAddresses);
}

function configuration(options: ProviderOptions): Configuration {
  const { settings, clients, keys, consents, pages } = options;
  const { records, accounts } = prefetchTokens(options.records, options.accounts);
  const { lifetimes, namespace } = settings;
  const cookie = sessionCookieOptions(settings.issuer);
  const { secure } = cookie;
  const claimsRequests = requestedClaims(namespace);
  const introspect = createIntrospection(records, clients);
  const checkOwnToken = serviceAccountTokens(clients, settings.limits.serviceAccountTokens);
  const keySets = createClientKeySets(outgoingFetch(settings));
  return {
    adapter: adapterFactory({
      records,
      clients,
      keySets,
      lifetimes,
      issuer: settings.issuer,
      cookieKeys: keys.cookies,
    }),
    jwks: { keys: keys.signing },
    routes: ROUTES,
    responseTypes: ['code'],
    scopes: [...SCOPES],
    claims: claimsConfiguration(namespace),
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...CONFIDENTIAL_METHODS, 'none'],
    acrValues: ACR_VALUES,
    enabledJWA: {
      idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
      // No HMAC: secrets are kept as hashes.
      clientAuthSigningAlgValues: [...PROOF_ALGORITHMS],
      dPoPSigningAlgValues: [...PROOF_ALGORITHMS],
      requestObjectSigningAlgValues: [...PROOF_ALGORITHMS],
      authorizationSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
      introspectionSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
    },
    assertJwtClientAuthClaimsAndHeader: checkClientAssertion,
    extraClientMetadata: {
      properties: [
        ...[ASSERTION_AUDIENCE, AUTHENTICATION_CLAIMS, CONSENT, PKCE, PROFILE],
        ...[REFRESH_TOKENS, SECOND_FACTOR, WORKSPACE, KEY_SET_READING],
      ],
    },
    extraParams: { ...requestParameters(options), response_mode: responseModeCheck(clients) },
    extraTokenClaims: async (ctx, token) => {
      await checkOwnToken(ctx, token);
      return signInClaims(ctx, token);
    },
    // FAPI 2.0 Security Profile section 5.3.2.1: theirs are bound to a key, and a lost answer must not lose them.
    rotateRefreshToken: ({ oidc }) => !isFapi2(oidc.client),
    pkce: { required: pkceRequirement(settings) },
    clockTolerance: CLOCK_TOLERANCE,
    cookies: {
      keys: keys.cookies,
      names: {
        session: cookieName(COOKIES.session, { secure, path: '/' }),
        // The library sends these two to one interaction each.
        interaction: cookieName(COOKIES.interaction, { secure, path: interactionUrl(settings.issuer, '') }),
        resume: cookieName(COOKIES.resume, { secure, path: ROUTES.authorization }),
      },
      long: cookie,
      short: cookie,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true, requireNonce: refuseUnfitProofs },
      pushedAuthorizationRequests: { enabled: true, allowUnregisteredRedirectUris: false },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: checkRequestObject },
      jwtResponseModes: { enabled: true },
      resourceIndicators: { enabled: false },
      claimsParameter: { enabled: true, assertClaimsParameter: claimsRequests.limit },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      introspection: { enabled: true, allowedPolicy: introspectionPolicy(introspect, clients, accounts) },
      jwtIntrospection: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => {
          if (!(await signOutByHint(ctx, records, cookie))) sendPage(ctx, pages.logout(ctx, form));
        },
        postLogoutSuccessSource: (ctx) => sendPage(ctx, pages.signedOut(ctx)),
      },
    },
    findAccount: findAccount({
      accounts,
      clients,
      pictures: options.pictures,
      settings,
      claimsRequests,
      namesInDirectory: options.namesInDirectory,
      edition: options.edition,
    }),
    interactions: {
      policy: prompts(settings, options),
      url: (_ctx, { uid }) => interactionUrl(settings.issuer, uid),
    },
    loadExistingGrant: rememberedConsent({ consents, records, requested: claimsRequests, maxAge: lifetimes.grant }),
    renderError: (ctx, out) => {
      if (isForPrograms(ctx.path)) {
        ctx.body = out;
        return;
      }
      ctx.state[ERROR_PAGE] = true;
      sendPage(ctx, pages.error(ctx, explain(ctx, out)));
    },
    discovery: {
      // RFC 8414 section 2: without these, a client has to assume that a secret in the header is the only method.
      introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
      introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL_METHODS, 'none'],
      revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: ['fr', 'en'],
      // RFC 8414 section 2.
      ...(settings.sandbox && { service_documentation: settings.issuer + SANDBOX_PATH }),
    },
    clientBasedCORS: isOriginOfClient,
    fetch: queueLogoutTokens(keySets.fetch, options.loggedOut),
    ttl: timeToLive(lifetimes),
  };
}

/** Where clients authenticate. */
const AUTHENTICATED = [ROUTES.token, ROUTES.revocation, ROUTES.introspection, ROUTES.pushed_authorization_request];

const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

function sendPage(ctx: KoaContextWithOIDC, html: string): void {
  ctx.type = 'html';
  ctx.body = html;
}
