// The modules of the certification plans that read the discovery document, one test each, named after the module.
// The service has an https issuer here and stands behind a proxy, because the plans demand https of every endpoint.

import { createPublicKey } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Claims, startCertified } from '#support/certification/suite.ts';
import { openedForAll } from '#support/opened.ts';

describe('certification: discovery', () => {
  const HOST = 'certification.example';
  const ISSUER = `https://${HOST}`;

  let status: number;
  let type: string | undefined;
  let server: Claims;
  const service = openedForAll(() =>
    startCertified({ adjust: (settings) => ({ ...settings, issuer: ISSUER, proxies: 1 }) }),
  );
  beforeAll(async () => {
    const answer = await get('/.well-known/openid-configuration');
    ({ status, type } = answer);
    server = answer.body as Claims;
  });

  /** Asks as a proxy that ends TLS does. */
  function get(path: string): Promise<{ status: number; type: string | undefined; body: unknown }> {
    const headers = { 'x-forwarded-host': HOST, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const { port } = service.settings.listen;
    return new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, headers }, (response) => {
        const type = response.headers['content-type'];
        json(response).then((body) => resolve({ status: response.statusCode ?? 0, type, body }), reject);
      });
      call.on('error', reject).end();
    });
  }

  /**
   * What the suite's schema of server metadata (RFC 8414, OpenID Connect Discovery and others) says of each name that the
   * service uses; a name that is in no schema is worth a warning.
   */
  const METADATA = {
    address:
      'issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri end_session_endpoint introspection_endpoint ' +
      'revocation_endpoint pushed_authorization_request_endpoint',
    flag:
      'claims_parameter_supported request_parameter_supported request_uri_parameter_supported backchannel_logout_supported ' +
      'backchannel_logout_session_supported authorization_response_iss_parameter_supported',
    list:
      'acr_values_supported claim_types_supported claims_supported code_challenge_methods_supported grant_types_supported ' +
      'authorization_signing_alg_values_supported introspection_signing_alg_values_supported ' +
      'request_object_signing_alg_values_supported ' +
      'dpop_signing_alg_values_supported id_token_signing_alg_values_supported prompt_values_supported ' +
      'introspection_endpoint_auth_methods_supported introspection_endpoint_auth_signing_alg_values_supported ' +
      'revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported ' +
      'token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported response_modes_supported ' +
      'response_types_supported scopes_supported subject_types_supported ui_locales_supported',
  };

  const isText = (value: unknown) => typeof value === 'string' && value !== '';

  /** Whether the value is of the kind that the schema wants; undefined for a name that the schema does not have. */
  function fits(name: string, value: unknown): boolean | undefined {
    const kind = Object.entries(METADATA).find(([, names]) => names.split(' ').includes(name))?.[0];
    if (kind === 'address') return isText(value) && URL.canParse(String(value));
    if (kind === 'flag') return typeof value === 'boolean';
    return kind === undefined ? undefined : Array.isArray(value) && value.length > 0 && value.every(isText);
  }

  function everyEndpointIsHttps(): void {
    const addresses = Object.entries(server).filter(([name]) => /(_endpoint|_uri|_iframe)$/.test(name));
    expect(addresses.length).toBeGreaterThan(5);
    for (const [name, address] of addresses)
      expect([name, String(address)]).toEqual([name, expect.stringMatching(/^https:/)]);
  }

  function endSessionEndpoint(): void {
    expect(server['end_session_endpoint']).toBe(`${ISSUER}/logout`);
  }

  /** What a public key of each kind consists of. */
  const NUMBERS: Record<string, string[]> = { RSA: ['e', 'n'], EC: ['x', 'y'], OKP: ['x'] };

  describe('oidcc-config-certification-test-plan', () => {
    it('oidcc-discovery-endpoint-verification', async () => {
      expect(status).toBe(200);
      expect(type).toMatch(/^application\/json/);
      expect(server['issuer']).toBe(ISSUER);
      for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
        expect(String(server[name])).toMatch(/^https:\/\/[^#]+$/);
      }
      everyEndpointIsHttps();
      expect(server['response_types_supported']).toContain('code');
      expect(server['subject_types_supported']).toContain('public');
      expect(server['id_token_signing_alg_values_supported']).toContain('RS256');
      expect(server['grant_types_supported']).toContain('authorization_code');
      expect(server['scopes_supported']).toContain('openid');
      for (const scope of server['scopes_supported'] as string[]) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(server['claims_supported']).toEqual(expect.arrayContaining(['sub', 'email', 'name']));
      expect(server['code_challenge_methods_supported']).toContain('S256');
      for (const [name, value] of Object.entries(server)) expect([name, fits(name, value)]).toEqual([name, true]);
      // RFC 8414 section 2, and nothing that only looks like an issuer.
      const { protocol, username, password, search, hash } = new URL(String(server['issuer']));
      expect([protocol, username, password, search, hash]).toEqual(['https:', '', '', '', '']);
      // Tags of known languages, written as BCP 47 does.
      const locales = server['ui_locales_supported'] as string[];
      expect(Intl.getCanonicalLocales(locales)).toEqual(locales);
      const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
      expect(locales.filter((locale) => languages.of(locale) === undefined)).toEqual([]);
    });

    it('oidcc-discovery-endpoint-verification: the JWKS behind it', async () => {
      const answer = await get(new URL(String(server['jwks_uri'])).pathname);
      expect(answer.status).toBe(200);
      const { keys } = answer.body as { keys: Record<string, string>[] };
      expect(keys.filter(({ kty, use }) => kty === 'RSA' && use === 'sig').length).toBeGreaterThan(0);
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
      for (const key of keys) {
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) expect(key[secret]).toBeUndefined();
        const { kty = '', kid, alg, crv } = key;
        expect(kid).toEqual(expect.stringMatching(/\S/));
        // The suite knows these kinds, curves and algorithms, and needs the whole key.
        expect([kty, alg, crv].join(' ').trim()).toMatch(/^(RSA RS256|EC ES256 P-256|OKP EdDSA Ed25519)$/);
        for (const name of NUMBERS[kty] ?? [])
          expect([name, key[name]]).toEqual([name, expect.stringMatching(/^[\w-]+$/)]);
        expect(createPublicKey({ key: key as never, format: 'jwk' }).type).toBe('public');
      }
    });
  });

  describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-rp-initiated-logout-discovery-endpoint-verification', () => {
      everyEndpointIsHttps();
      endSessionEndpoint();
    });
  });

  describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-backchannel-logout-discovery-endpoint-verification', () => {
      everyEndpointIsHttps();
      endSessionEndpoint();
      expect(server['backchannel_logout_supported']).toBe(true);
      expect(server['backchannel_logout_session_supported']).toBe(true);
    });
  });
});
