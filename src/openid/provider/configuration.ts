// oidc-provider's configuration, with the library's names for its options. The head of `tokens/token-endpoint.ts` describes the token
// endpoint. An authorization request passes the following steps. Files and functions of the library, in its `lib/`, are in brackets.
// 1. `middleware.ts` runs our own middleware, which redirects a posted request to a GET (`requests/posted-forms.ts`) and refuses a
//    request that is too long (`requests/request-limits.ts`).
// 2. [actions/authorization/index.js] finds the client, reads pushed and signed requests (`requests/request-objects.ts`) and checks each
//    parameter. [checkExtraParams] calls our own checks (`requests/request-parameters.ts`).
// 3. [actions/authorization/session.js: loadAccount, loadGrant] finds the account (`tokens/find-account.ts`) and the grant of earlier
//    consents (`prompts/remembered-consent.ts`).
// 4. [actions/authorization/interactions.js] decides whether the person has to do something (`prompts/prompts.ts`). If not, step 7
//    follows.
// 5. The request is stored (`storage/interaction-storage.ts`, around `storage/adapter.ts`), and the browser is sent to
//    `sign-in/router.ts`. `sign-in/steps.ts` shows the page that is due. In the folders there, `login/login.ts` answers the form of the
//    password, which `login/authenticate.ts` checks; `passkey/passkey.ts` checks a passkey and `second-factor/second-factor.ts` a second
//    factor. `finish-login.ts` completes the sign-in. Later prompts are the place of work (`workspace/workspace.ts`) and the consent
//    (`consent/consent.ts`). `interactions.ts` stores the result of each prompt and sends the browser to `/authorize/{uid}`.
// 6. [actions/authorization/resume.js] continues the request at `/authorize/{uid}`, but only in the browser to which it is bound
//    (`storage/browser-binding.ts`). The library stores the sign-in in the session, and repeats steps 3 and 4.
// 7. [actions/authorization/respond.js] makes the code and redirects. The adapter that stores the code comes from `storage/adapter.ts`,
//    and `tokens/token-endpoint.ts` wraps it. `authorization-response.ts` makes the responses that are no redirect.
// 8. [shared/session.js] stores the session (`sessions/session-storage.ts`). If the account then has too many sessions,
//    `sessions/end-session.ts` ends the oldest of them.

import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { CLOCK_TOLERANCE, checkClientAssertion } from '#openid/clients/client-assertion.ts';
import { createClientKeySets } from '#openid/clients/client-key-sets.ts';
import { OWN_METADATA, PKCE } from '#openid/clients/client-registry.ts';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { queueLogoutTokens } from '#openid/logout/backchannel-logout.ts';
import { signOutByHint } from '#openid/logout/sign-out-without-question.ts';
import { interactionUrl, isForPrograms, ROUTES } from '#openid/routes.ts';
import { cookieSettings, sessionCookieOptions } from '#openid/sessions/session-cookie.ts';
import { ACR_VALUES } from '#openid/tokens/authentication-context.ts';
import { claimsConfiguration } from '#openid/tokens/claims.ts';
import { requestedClaims } from '#openid/tokens/claims-parameter.ts';
import { introspectionPolicy, mayRevoke } from '#openid/tokens/introspection-policy.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { SCOPES } from '#shared/scopes.ts';
import { ERROR_PAGE } from './authorization-response.ts';
import { ALGORITHMS, CONFIDENTIAL_METHODS, discoveryMetadata } from './discovery.ts';
import { explain } from './errors/explanations.ts';
import { prompts } from './prompts/prompts.ts';
import { rememberedConsent } from './prompts/remembered-consent.ts';
import type { ProviderOptions } from './provider-options.ts';
import { checkRequestObject } from './requests/request-objects.ts';
import { refuseWithdrawn, requestParameters } from './requests/request-parameters.ts';
import { adapterFactory } from './storage/adapter.ts';

export function configuration(options: ProviderOptions, tokens: TokenEndpoint): Configuration {
  const { settings, clients, keys, consents, pages } = options;
  const { records, accounts } = tokens.prefetched;
  const { lifetimes, namespace } = settings;
  const cookie = sessionCookieOptions(settings.issuer);
  const claimsRequests = requestedClaims(namespace);
  const findGrant = rememberedConsent({ consents, records, requested: claimsRequests, maxAge: lifetimes.grant });
  const keySets = createClientKeySets(outgoingFetch(settings));
  // Refuses a request without code_challenge if the client has to use PKCE (RFC 7636, SEC-07, SEC-65). The library does not call this
  // function for a request with a code_challenge. For such a request, the library itself accepts only S256 and checks the verifier.
  const requiresPkce = (_ctx: KoaContextWithOIDC, client: Client) => {
    const required = settings.pkce === 'required' || client.clientAuthMethod === 'none' || client[PKCE] === 'required';
    if (required) throw new errors.InvalidRequest(CHALLENGE_MISSING);
    return false;
  };
  return {
    adapter: adapterFactory({
      records,
      clients,
      keySets,
      tokens,
      accessToken: lifetimes.accessToken,
      issuer: settings.issuer,
      cookieKeys: keys.cookies,
    }),
    jwks: { keys: keys.signing },
    routes: ROUTES,
    responseTypes: ['code'],
    scopes: [...SCOPES],
    claims: claimsConfiguration(namespace),
    // With `false`, the claims of the requested scopes are in ID tokens too, and not only in the userinfo response.
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...CONFIDENTIAL_METHODS, 'none'],
    acrValues: ACR_VALUES,
    enabledJWA: ALGORITHMS,
    assertJwtClientAuthClaimsAndHeader: checkClientAssertion,
    extraClientMetadata: { properties: OWN_METADATA },
    extraParams: requestParameters(options),
    findAccount: tokens.findAccount,
    extraTokenClaims: tokens.extraTokenClaims,
    rotateRefreshToken: tokens.rotateRefreshToken,
    ttl: tokens.ttl,
    pkce: { required: requiresPkce },
    clockTolerance: CLOCK_TOLERANCE,
    cookies: { ...cookieSettings(settings.issuer), keys: keys.cookies },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true, requireNonce: tokens.requireNonce },
      pushedAuthorizationRequests: { enabled: true, allowUnregisteredRedirectUris: false },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: checkRequestObject },
      jwtResponseModes: { enabled: true },
      resourceIndicators: { enabled: false },
      claimsParameter: { enabled: true, assertClaimsParameter: claimsRequests.limit },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      introspection: { enabled: true, allowedPolicy: introspectionPolicy(records, clients, accounts) },
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
    interactions: {
      policy: prompts(settings, options),
      url: (_ctx, { uid }) => interactionUrl(settings.issuer, uid),
    },
    loadExistingGrant: (ctx) => {
      refuseWithdrawn(ctx);
      return findGrant(ctx);
    },
    renderError: (ctx, out) => {
      if (isForPrograms(ctx.path)) {
        ctx.body = out;
        return;
      }
      ctx.state[ERROR_PAGE] = true;
      sendPage(ctx, pages.error(ctx, explain(ctx, out)));
    },
    discovery: discoveryMetadata(settings),
    clientBasedCORS: isOriginOfClient,
    fetch: queueLogoutTokens(keySets.fetch, options.loggedOut),
  };
}

const CHALLENGE_MISSING = 'code_challenge is missing: this client has to use PKCE, with code_challenge_method=S256';

function sendPage(ctx: KoaContextWithOIDC, html: string): void {
  ctx.type = 'html';
  ctx.body = html;
}

/**
 * The library's option `clientBasedCORS`. Pages at the origins of the client's callbacks may call the token and userinfo endpoints
 * (SEC-45).
 */
function isOriginOfClient(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  const callbacks = client.redirectUris ?? [];
  return callbacks.some((callback) => URL.parse(callback)?.origin === origin && origin !== 'null');
}
