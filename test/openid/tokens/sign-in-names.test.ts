// SEC-41, OpenID Connect Core 5.5.1.1: the names of a sign-in, and those that a request insists on.

import { describe, expect, it } from '@jest/globals';
import { AUTHENTICATION_CLAIMS } from '#openid/clients/client-registry.ts';
import {
  addAuthenticationClaims,
  authenticationContext,
  PASSWORD_ACR,
  refuseUnreachable,
  SECOND_FACTOR_ACR,
} from '#openid/tokens/authentication-context.ts';

describe('SEC-41 the name of a sign-in', () => {
  it('is that of a password or of two factors, with its methods', () => {
    expect(
      [['password'], ['otp'], ['password', 'otp'], ['passkey'], ['passkey', 'otp'], []].map((methods) =>
        authenticationContext(methods as never),
      ),
    ).toEqual([
      { acr: PASSWORD_ACR, amr: ['pwd'] },
      { acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'mfa'] },
      { acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'mfa'] },
      { acr: SECOND_FACTOR_ACR, amr: ['pop', 'user', 'mfa'] },
      { acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'pop', 'user', 'mfa'] },
      { acr: PASSWORD_ACR, amr: [] },
    ]);
    expect([PASSWORD_ACR, SECOND_FACTOR_ACR]).toEqual([
      'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      'https://refeds.org/profile/mfa',
    ]);
  });

  it.each<[what: unknown, refusal: object | undefined]>([
    [undefined, undefined],
    [null, undefined],
    ['x', undefined],
    [{ value: 'x' }, undefined],
    [{ essential: true }, undefined],
    [{ essential: true, value: null }, undefined],
    [{ essential: true, value: PASSWORD_ACR }, undefined],
    [{ essential: true, values: ['x', SECOND_FACTOR_ACR] }, undefined],
    [{ essential: true, values: null }, undefined],
    [
      { essential: true, values: 'x' },
      { error: 'invalid_request', error_description: 'claims.id_token.acr.values should be an array' },
    ],
    ...[{ value: 'x' }, { values: [] }, { value: PASSWORD_ACR, values: [SECOND_FACTOR_ACR] }].map(
      (wanted): [unknown, object] => [
        { essential: true, ...wanted },
        {
          error: 'unmet_authentication_requirements',
          error_description: `none of the essential acr values can be reached: this service supports ${PASSWORD_ACR} ${SECOND_FACTOR_ACR}`,
        },
      ],
    ),
  ])('an acr of %j can be reached or not', (acr, refusal) => {
    if (refusal === undefined) return refuseUnreachable(acr);
    expect(() => refuseUnreachable(acr)).toThrow(expect.objectContaining(refusal));
  });

  it('is told to a client that always has it, beside what its request asks for', () => {
    const asked = (claims: string | undefined, metadata: unknown = true) => {
      const params = { ...(claims !== undefined && { claims }) };
      addAuthenticationClaims({ oidc: { client: { [AUTHENTICATION_CLAIMS]: metadata }, params } } as never);
      return params.claims === undefined ? undefined : JSON.parse(params.claims);
    };
    const all = { acr: null, amr: null, auth_time: null };
    expect([
      asked(undefined),
      asked('{"userinfo":{"name":null},"id_token":{"acr":{"essential":true},"email":null}}'),
      asked(undefined, false),
    ]).toEqual([
      { id_token: all },
      { userinfo: { name: null }, id_token: { ...all, acr: { essential: true }, email: null } },
      undefined,
    ]);
  });
});
