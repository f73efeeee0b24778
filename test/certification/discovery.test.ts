// The modules of the certification plans that read the discovery document, one test each, named after the module.
// The service has an https issuer here and stands behind a proxy, because the plans demand https of every endpoint.

import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '../service.ts';
import { type Claims, startCertified } from './suite.ts';

const HOST = 'certification.example';
const ISSUER = `https://${HOST}`;

let service: RunningService;
let status: number;
let type: string | undefined;
let server: Claims;
beforeAll(async () => {
  service = await startCertified({ adjust: (settings) => ({ ...settings, issuer: ISSUER, proxies: 1 }) });
  const answer = await get('/.well-known/openid-configuration');
  ({ status, type } = answer);
  server = answer.body as Claims;
});
afterAll(() => service.stop());

/** As the proxy that ends TLS passes it on. */
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

function everyEndpointIsHttps(): void {
  const addresses = Object.entries(server).filter(([name]) => /(_endpoint|_uri|_iframe)$/.test(name));
  expect(addresses.length).toBeGreaterThan(5);
  for (const [name, address] of addresses)
    expect([name, String(address)]).toEqual([name, expect.stringMatching(/^https:/)]);
}

function endSessionEndpoint(): void {
  expect(server['end_session_endpoint']).toBe(`${ISSUER}/logout`);
}

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
    expect(server['claims_parameter_supported']).toEqual(expect.any(Boolean));
    for (const [name, value] of Object.entries(server)) {
      if (!/_supported$/.test(name) || typeof value === 'boolean') continue;
      expect([name, Array.isArray(value)]).toEqual([name, true]);
    }
  });

  it('oidcc-discovery-endpoint-verification: the JWKS behind it', async () => {
    const answer = await get(new URL(String(server['jwks_uri'])).pathname);
    expect(answer.status).toBe(200);
    const { keys } = answer.body as { keys: Record<string, string>[] };
    expect(keys.filter(({ kty, use }) => kty === 'RSA' && use === 'sig').length).toBeGreaterThan(0);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key[secret]).toBeUndefined();
      expect([key['kty'], key['kid']]).toEqual([expect.stringMatching(/^(RSA|EC|OKP)$/), expect.any(String)]);
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
