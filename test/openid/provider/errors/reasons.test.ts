// Specification 7: the explanation of each refusal, by its code and by what was sent.

import { describe, expect, it } from '@jest/globals';
import { explain, reasonOf } from '#openid/provider/errors/explanations.ts';

const ISSUER = 'https://c.example';

/** The context of a request; `client` and `params` stand for all that matters. */
function context({ client, params = {}, headers = {}, ...oidc }: Asked = {}) {
  const registered = client && {
    ...{ clientId: 'app', clientAuthMethod: 'client_secret_basic', redirectUris: ['https://a.example/cb'] },
    ...{ postLogoutRedirectUris: ['https://a.example/bye'], scope: 'openid', applicationType: 'web' },
    redirectUriAllowed: (address: string) => address === 'https://a.example/cb',
    postLogoutRedirectUriAllowed: (address: string) => address === 'https://a.example/bye',
    ...client,
  };
  return {
    get: (name: string) => headers[name] ?? '',
    query: {},
    oidc: {
      route: 'authorization',
      client: registered,
      params,
      issuer: ISSUER,
      urlFor: (name: string) => `${ISSUER}/${name}`,
      ...oidc,
    },
  } as never;
}
interface Asked {
  client?: object;
  params?: Record<string, unknown>;
  headers?: Record<string, string>;
  [member: string]: unknown;
}
const difference = { parts: ['path'], registered: 1, unreadable: false };
const IN_PATH = 'differs from the registered one in its path: addresses are compared character by character';

describe('the explanation of a refusal', () => {
  it.each<[what: string, asked: Asked, refusal: object, explanation: object]>([
    ['a failure', {}, { error: 'server_error', error_description: 'x' }, { error: 'server_error' }],
    [
      'a callback',
      { client: {}, params: { redirect_uri: 'https://a.example/x' } },
      { error: 'invalid_redirect_uri' },
      { error: 'invalid_redirect_uri', parameter: 'redirect_uri', difference, description: `redirect_uri ${IN_PATH}` },
    ],
    [
      'a callback of nobody',
      {},
      { error: 'invalid_redirect_uri', error_description: 'redirect_uri is x' },
      { error: 'invalid_redirect_uri', description: 'redirect_uri is x', parameter: 'redirect_uri' },
    ],
    [
      'a pushed callback',
      { client: {}, route: 'pushed_authorization_request', params: {}, body: { redirect_uri: 'https://a.example/x' } },
      { error: 'invalid_request' },
      { error: 'invalid_request', parameter: 'redirect_uri', difference, description: `redirect_uri ${IN_PATH}` },
    ],
    [
      'a request that is not signed',
      { client: { requireSignedRequestObject: true }, params: { redirect_uri: 'https://a.example/cb' } },
      { error: 'invalid_request', error_description: 'x' },
      {
        error: 'invalid_request',
        parameter: 'request',
        description: 'this client has to send its authorization requests as request objects that it signs (RFC 9101)',
      },
    ],
    [
      'a signed request',
      { client: { requireSignedRequestObject: true }, params: { request_uri: 'x' } },
      { error: 'invalid_request', error_description: "'prompt' is wrong" },
      { error: 'invalid_request', description: "'prompt' is wrong", parameter: 'prompt' },
    ],
    ['a request without a reason', { client: {} }, { error: 'invalid_request' }, { error: 'invalid_request' }],
    [
      'an unknown client',
      {},
      { error: 'invalid_client' },
      {
        error: 'invalid_client',
        parameter: 'client_id',
        unknownClient: true,
        description: 'no application with this client_id is registered at this service: compare it letter by letter',
      },
    ],
    [
      'an unknown client at another endpoint',
      { route: 'token' },
      { error: 'invalid_client' },
      { error: 'invalid_client' },
    ],
    ['a client that is known', { client: {} }, { error: 'invalid_client' }, { error: 'invalid_client' }],
    [
      'scopes',
      { client: {}, params: { scope: 'openid email profile other' } },
      { error: 'invalid_scope' },
      {
        error: 'invalid_scope',
        parameter: 'scope',
        description:
          "this client may not ask for email profile: the operator of this service can add it to the client's scopes",
      },
    ],
    [
      'scopes that it may ask for',
      { client: {}, params: { scope: 'openid' } },
      { error: 'invalid_scope', error_description: 'x' },
      { error: 'invalid_scope', description: 'x' },
    ],
    [
      'a response type',
      {},
      { error: 'unsupported_response_type' },
      {
        error: 'unsupported_response_type',
        parameter: 'response_type',
        description: 'unsupported response_type: send response_type=code, the only one here',
      },
    ],
    [
      'a pushed request',
      {},
      { error: 'invalid_request_uri' },
      {
        error: 'invalid_request_uri',
        parameter: 'request_uri',
        description:
          'the request_uri is unknown, expired or was used before: push the request again and open it at once',
      },
    ],
    [
      'another error',
      {},
      { error: 'login_required', error_description: 'requested response_mode: the request is x' },
      { error: 'login_required', description: 'requested response_mode: the request is x', parameter: 'response_mode' },
    ],
    [
      'no parameter',
      {},
      { error: 'x', error_description: 'authorization request has expired' },
      { error: 'x', description: 'authorization request has expired' },
    ],
  ])('of %s', (_what, asked, refusal, explanation) => {
    expect(explain(context(asked), refusal as never)).toEqual(explanation);
  });

  it.each([
    ['the alg x', 'the request object has to be signed, by an algorithm that discovery names'],
    ['could not parse it', 'request has to be one signed JWT'],
    ['could not validate it', 'the signature of the request object is of no key that is registered for this client'],
    ['the audience x', `aud of the request object has to be, or to hold, the issuer ${ISSUER}`],
    ['the issuer x', 'iss of the request object has to be the client_id'],
    ['it expired', 'the request object is expired'],
    ['not active yet', 'the request object is of a time to come: set the clock of the client'],
    ['issued in the future', 'the request object is of a time to come: set the clock of the client'],
    ['invalid exp value', 'a time or name in the request object has another type than RFC 7519 gives it'],
    ['something else', 'something else'],
  ])('of a request object: %s', (said, description) => {
    const expected = { error: 'invalid_request_object', parameter: 'request', description };
    expect(explain(context(), { error: 'invalid_request_object', error_description: said })).toEqual(expected);
    if (said !== description)
      expect(
        explain(context(), { error: 'invalid_request_object', error_description: 'x', error_detail: said }),
      ).toEqual(expected);
  });

  it('of a sign-out names the session that is open, with a token for its end', () => {
    const session = { accountId: 'person', state: undefined as { secret: string } | undefined };
    const asked = { client: {}, route: 'end_session', params: { post_logout_redirect_uri: 'https://a.example/x' } };
    const explained = explain(context({ ...asked, session }), { error: 'invalid_request' } as never);
    expect(explained).toEqual({
      ...{ error: 'invalid_request', parameter: 'post_logout_redirect_uri', difference },
      description: `post_logout_redirect_uri ${IN_PATH}`,
      signOut: { session: { action: `${ISSUER}/end_session_confirm`, xsrf: session.state?.secret } },
    });
    expect(session.state?.secret).toMatch(/^[0-9a-f]{48}$/);
    const fine = { ...asked, params: { post_logout_redirect_uri: 'https://a.example/bye' }, session: {} };
    expect(explain(context(fine), { error: 'invalid_request', error_description: 'x' })).toEqual({
      ...{ error: 'invalid_request', description: 'x', signOut: {} },
    });
  });

  const CODE =
    'the code is mistyped, expired, used before, of another client or of a sign-in that has ended: exchange it once, as soon as it arrives';
  const VERIFIER =
    'send the code_verifier that belongs to the code_challenge of the authorization request, which has code_challenge_method=S256';
  it.each<[what: string, asked: Asked, refusal: object, reason: string | undefined]>([
    ['a code', { params: { code: 'x' } }, { error: 'invalid_grant' }, CODE],
    [
      'a refresh token',
      { params: {} },
      { error: 'invalid_grant', error_detail: 'x' },
      'the refresh token is mistyped, expired, revoked or of another client; a second use of one revokes all that came of it',
    ],
    ['a verifier', { params: { code: 'x' } }, { error: 'invalid_grant', error_detail: 'code_verifier is x' }, VERIFIER],
    [
      'another callback',
      { client: {}, params: { code: 'x', redirect_uri: 'https://a.example/cb' } },
      { error: 'invalid_grant', error_detail: 'redirect_uri mismatch' },
      'redirect_uri is registered, but is not that of the authorization request',
    ],
    [
      'a wrong callback',
      { client: {}, params: { code: 'x', redirect_uri: 'https://a.example/x' } },
      { error: 'invalid_grant', error_detail: 'redirect_uri mismatch' },
      `redirect_uri ${IN_PATH}`,
    ],
    [
      'a missing proof',
      {},
      { error: 'invalid_grant', error_detail: 'failed jkt verification' },
      'a DPoP proof is missing: this client, code or token is bound to a key',
    ],
    [
      'another key',
      { headers: { DPoP: 'x' } },
      { error: 'invalid_token', error_detail: 'DPoP proof key' },
      'the key of the DPoP proof is not the one that the code or token is bound to',
    ],
    ['a bad proof', {}, { error: 'invalid_dpop_proof', error_description: 'why', error_detail: 'DPoP proof' }, 'why'],
    [
      'a page with a secret',
      { client: { clientAuthMethod: 'none' }, params: { client_secret: 'x' } },
      { error: 'invalid_client' },
      'this client has no secret: send client_id alone',
    ],
    [
      'a server without one',
      { client: {} },
      { error: 'invalid_client' },
      'this client authenticates with its secret (client_secret_basic or client_secret_post)',
    ],
    [
      'a server with a header',
      { client: {}, headers: { authorization: 'Basic x' } },
      { error: 'invalid_client' },
      undefined,
    ],
    [
      'a key without assertion',
      { client: { clientAuthMethod: 'private_key_jwt' }, params: { client_secret: 'x' } },
      { error: 'invalid_client' },
      'this client authenticates with private_key_jwt (client_assertion)',
    ],
    ...(
      [
        [
          'alg x',
          'the client_assertion is signed by an algorithm that is not taken here: discovery names those that are',
        ],
        ['must be used once', 'this client_assertion was used before: sign one for each request'],
        ['the client_assertion is old', 'the client_assertion is old'],
        ['iss (x) is wrong', 'iss (x) is wrong'],
        ['of the key alg', undefined],
      ] as const
    ).map(([error_detail, reason]): [string, Asked, object, string | undefined] => [
      `an assertion: ${error_detail}`,
      { client: { clientAuthMethod: 'private_key_jwt' }, params: { client_assertion: 'x' } },
      { error: 'invalid_client', error_detail },
      reason,
    ]),
    [
      'an audience',
      { client: { clientAuthMethod: 'private_key_jwt' }, params: { client_assertion: 'x' } },
      { error: 'invalid_client', error_detail: 'aud must be x' },
      expect.stringContaining(`has to be the issuer, ${ISSUER},`) as never,
    ],
    ['an unknown client', { route: 'token' }, { error: 'invalid_client', error_description: 'why' }, 'why'],
  ])('for a client: %s', (_what, asked, refusal, reason) => {
    expect(reasonOf(context(asked), refusal as never)).toEqual(reason);
  });
});
