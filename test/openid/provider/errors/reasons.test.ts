// Specification 7: the explanation of each refusal, by its code and by what was sent.

import { describe, expect, it } from '@jest/globals';
import { explain, reasonOf } from '#openid/provider/errors/explanations.ts';
import { ISSUER, type Refused, refusedRequest } from '#support/openid/refused-request.ts';

const context = (asked?: Refused) => refusedRequest(asked) as never;
const difference = { parts: ['path'], registered: 1, unreadable: false };
const IN_PATH = 'differs from the registered one in its path: addresses are compared character by character';
const said = (error: string, error_description?: string, error_detail?: string) => ({
  error,
  ...(error_description && { error_description }),
  ...(error_detail && { error_detail }),
});

describe('the explanation of a refusal', () => {
  const sent = { redirect_uri: 'https://a.example/x' };
  const inPath = { parameter: 'redirect_uri', difference, description: `redirect_uri ${IN_PATH}` };
  const signing = { requireSignedRequestObject: true };
  const TO_SIGN = 'this client has to send its authorization requests as request objects that it signs (RFC 9101)';
  const UNKNOWN = 'no application with this client_id is registered at this service: compare it letter by letter';
  const LACKING =
    "this client may not ask for email profile: the operator of this service can add it to the client's scopes";
  const TYPE = 'unsupported response_type: send response_type=code, the only one here';
  const PUSH = 'the request_uri is unknown, expired or was used before: push the request again and open it at once';
  const MODE = 'requested response_mode: the request is x';

  it.each<[what: string, asked: Refused, refusal: { error: string }, explanation: object]>([
    ['a failure', {}, said('server_error', 'x'), {}],
    ['a callback', { client: {}, params: sent }, said('invalid_redirect_uri'), inPath],
    [
      'a callback of nobody',
      {},
      said('invalid_redirect_uri', 'redirect_uri is x'),
      {
        description: 'redirect_uri is x',
        parameter: 'redirect_uri',
      },
    ],
    [
      'a pushed callback',
      { client: {}, route: 'pushed_authorization_request', body: sent },
      said('invalid_request'),
      inPath,
    ],
    [
      'a request that is not signed',
      { client: signing, params: { redirect_uri: 'https://a.example/cb' } },
      said('invalid_request', 'x'),
      { parameter: 'request', description: TO_SIGN },
    ],
    [
      'a signed request',
      { client: signing, params: { request_uri: 'x' } },
      said('invalid_request', "'prompt' is wrong"),
      { description: "'prompt' is wrong", parameter: 'prompt' },
    ],
    ['a request without a reason', { client: {} }, said('invalid_request'), {}],
    [
      'an unknown client',
      {},
      said('invalid_client'),
      { parameter: 'client_id', unknownClient: true, description: UNKNOWN },
    ],
    ['an unknown client at another endpoint', { route: 'token' }, said('invalid_client'), {}],
    ['a client that is known', { client: {} }, said('invalid_client'), {}],
    [
      'scopes',
      { client: {}, params: { scope: 'openid email profile other' } },
      said('invalid_scope'),
      { parameter: 'scope', description: LACKING },
    ],
    [
      'scopes that it may ask for',
      { client: {}, params: { scope: 'openid' } },
      said('invalid_scope', 'x'),
      { description: 'x' },
    ],
    ...Object.entries({
      'invalid token provided': 'the access token is unknown, expired or revoked, or is none, such as an ID token',
      'invalid authorization header value format':
        'the header Authorization has to be Basic and the credentials of the client, or Bearer (DPoP) and the access token',
      'no access token provided': 'send the access token in the header Authorization: Bearer TOKEN',
      'unsupported grant_type requested':
        'grant_type has to be authorization_code, refresh_token or client_credentials',
    }).map(([sentence, description]): [string, Refused, { error: string }, object] => [
      sentence,
      {},
      said('x', sentence),
      { description },
    ]),
    ...[
      ['code_challenge_method', 'not supported value of code_challenge_method', 'has to be S256'],
      ['code_challenge_method', 'code_challenge_method must be provided', 'is missing: it has to be S256'],
      ['prompt', 'unsupported prompt value requested', 'has to be none, login, consent or select_account'],
      ['response_mode', 'unsupported response_mode requested', 'has to be one that discovery names'],
      ['max_age', 'invalid max_age parameter value', 'has to be a whole number of seconds'],
    ].map(([parameter = '', sentence, remedy]): [string, Refused, { error: string }, object] => [
      `${sentence}`,
      { client: {} },
      said('x', sentence),
      { parameter, description: `${parameter} ${remedy}` },
    ]),
    [
      'no client',
      { route: 'token' },
      said('invalid_request', 'no client authentication mechanism provided'),
      {
        parameter: 'client_id',
        description: 'send client_id, and its secret or client_assertion if it has one',
      },
    ],
    [
      'a refresh beyond its scopes',
      { client: { scope: 'openid email' }, params: { scope: 'openid email' } },
      said('invalid_scope', 'refresh token missing requested scope'),
      { parameter: 'scope', description: 'the refresh token lacks a scope: let the person sign in with it' },
    ],
    [
      'a request of another place',
      { client: {} },
      said('request_uri_not_supported'),
      {
        parameter: 'request_uri',
        description: 'request_uri has to be one that the endpoint of pushed requests gave, and is never pushed itself',
      },
    ],
    ...Object.entries({
      authorization_code: 'this client signs nobody in: it is registered without a callback',
      client_credentials:
        'this client gets no tokens for itself: the operator of this service can allow it (serviceAccount)',
      refresh_token:
        "this client gets no refresh tokens: the operator of this service can add offline_access to the client's scopes",
    }).map(([grant_type, description]): [string, Refused, { error: string }, object] => [
      `a client without ${grant_type}`,
      { client: {}, route: 'token', params: { grant_type } },
      said('unauthorized_client', 'x'),
      { parameter: 'grant_type', description },
    ]),
    ['a client without a right', { client: {} }, said('unauthorized_client', 'x'), { description: 'x' }],
    ['a response type', {}, said('unsupported_response_type'), { parameter: 'response_type', description: TYPE }],
    ['a pushed request', {}, said('invalid_request_uri'), { parameter: 'request_uri', description: PUSH }],
    ['another error', {}, said('login_required', MODE), { description: MODE, parameter: 'response_mode' }],
    [
      'no parameter',
      {},
      said('x', 'authorization request has expired'),
      { description: 'authorization request has expired' },
    ],
  ])('of %s', (_what, asked, refusal, explanation) => {
    expect(explain(context(asked), refusal as never)).toEqual({ error: refusal.error, ...explanation });
  });

  it.each([
    [
      'access token is not sender-constrained but proof of possession was provided',
      'the access token is bound to no key: send it as Bearer, without a DPoP proof',
    ],
    [
      'the access token is bound to no key',
      'the access token is bound to no key: this client has to use DPoP now, so get a new token with a proof',
    ],
    ['access token not found', 'the access token is unknown, expired or revoked, or is none, such as an ID token'],
  ])('of an access token: %s', (error_detail, description) => {
    const refusal = { error: 'invalid_token', error_description: 'invalid token provided', error_detail };
    expect(explain(context(), refusal)).toEqual({ error: 'invalid_token', description });
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
    ['request client_id must equal it', 'client_id is not that of the request that was pushed or signed'],
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
      error: 'invalid_request',
      parameter: 'post_logout_redirect_uri',
      difference,
      description: `post_logout_redirect_uri ${IN_PATH}`,
      signOut: { session: { action: `${ISSUER}/end_session_confirm`, xsrf: session.state?.secret } },
    });
    expect(session.state?.secret).toMatch(/^[0-9a-f]{48}$/);
    const fine = { ...asked, params: { post_logout_redirect_uri: 'https://a.example/bye' }, session: {} };
    expect(explain(context(fine), { error: 'invalid_request', error_description: 'x' })).toEqual({
      error: 'invalid_request',
      description: 'x',
      signOut: {},
    });
  });

  const CODE =
    'the code is mistyped, expired, used before, of another client or of a sign-in that has ended: exchange it once, as soon as it arrives';
  const VERIFIER =
    'send the code_verifier that belongs to the code_challenge of the authorization request, which has code_challenge_method=S256';
  const grant = (error_detail?: string) => said('invalid_grant', undefined, error_detail);
  const REFRESH =
    'the refresh token is mistyped, expired, revoked or of another client; a second use of one revokes all that came of it';
  const ANOTHER = 'redirect_uri is registered, but is not that of the authorization request';
  const UNPROVED = 'a DPoP proof is missing: this client, code or token is bound to a key';
  const OTHER_KEY = 'the key of the DPoP proof is not the one that the code or token is bound to';
  const BY_SECRET = 'this client authenticates with its secret (client_secret_basic or client_secret_post)';
  const BY_KEY = 'this client authenticates with private_key_jwt (client_assertion)';
  const secret = { client_secret: 'x' };
  const signs = { clientAuthMethod: 'private_key_jwt' };
  const callback = (redirect_uri: string) => ({ client: {}, params: { code: 'x', redirect_uri } });

  it.each<[what: string, asked: Refused, refusal: object, reason: string | undefined]>([
    ['a code', { params: { code: 'x' } }, grant(), CODE],
    ['a refresh token', { params: {} }, grant('x'), REFRESH],
    ['a verifier', { params: { code: 'x' } }, grant('code_verifier is x'), VERIFIER],
    ['another callback', callback('https://a.example/cb'), grant('redirect_uri mismatch'), ANOTHER],
    ['a wrong callback', callback('https://a.example/x'), grant('redirect_uri mismatch'), `redirect_uri ${IN_PATH}`],
    ['a missing proof', {}, grant('failed jkt verification'), UNPROVED],
    ['another key', { headers: { DPoP: 'x' } }, said('invalid_token', undefined, 'DPoP proof key'), OTHER_KEY],
    ['a bad proof', {}, said('invalid_dpop_proof', 'why', 'DPoP proof'), 'why'],
    ...Object.entries({
      'DPoP proof htm mismatch': 'the htm of the DPoP proof has to be the method of the request',
      'DPoP proof htu mismatch':
        'the htu of the DPoP proof has to be the address of this endpoint, as discovery has it',
      'invalid DPoP key binding':
        'the DPoP proof needs typ dpop+jwt, the public key as jwk, and a signature by that key',
    }).map(([sentence, reason]): [string, Refused, object, string] => [
      sentence,
      {},
      said('invalid_dpop_proof', sentence),
      reason,
    ]),
    [
      'a page with a secret',
      { client: { clientAuthMethod: 'none' }, params: secret },
      said('invalid_client'),
      'this client has no secret: send client_id alone',
    ],
    ['a server without one', { client: {} }, said('invalid_client'), BY_SECRET],
    [
      'a server with a header',
      { client: {}, headers: { authorization: 'Basic x' } },
      said('invalid_client'),
      undefined,
    ],
    ['a key without assertion', { client: signs, params: secret }, said('invalid_client'), BY_KEY],
    ...Object.entries({
      'alg x': 'the client_assertion is signed by an algorithm that is not taken here: discovery names those that are',
      'must be used once': 'this client_assertion was used before: sign one for each request',
      'the client_assertion is old': 'the client_assertion is old',
      'iss (x) is wrong': 'iss (x) is wrong',
      'of the key alg': undefined,
      'aud must be x': expect.stringContaining(`has to be the issuer, ${ISSUER},`) as never,
    }).map(([error_detail, reason]): [string, Refused, object, string | undefined] => [
      `an assertion: ${error_detail}`,
      { client: signs, params: { client_assertion: 'x' } },
      said('invalid_client', undefined, error_detail),
      reason,
    ]),
    ['an unknown client', { route: 'token' }, said('invalid_client', 'why'), 'why'],
  ])('for a client: %s', (_what, asked, refusal, reason) => {
    expect(reasonOf(context(asked), refusal as never)).toEqual(reason);
  });
});
