// fhir-stu3, SMART: .well-known/smart-configuration, the extension of the CapabilityStatement and OpenID's discovery, each
// complete, and true to what the sign-in service says of itself.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'fhir-kit-client';
import { type RunningService, startService } from '#support/service.ts';

let service: RunningService;
let base: string;
let openid: Record<string, unknown>;
beforeAll(async () => {
  service = await startService();
  base = service.settings.directory.url;
  openid = await json(`${service.issuer}/.well-known/openid-configuration`);
});
afterAll(() => service.stop());

async function json(address: string): Promise<Record<string, unknown>> {
  return (await (await fetch(address)).json()) as Record<string, unknown>;
}

const WAYS = ['.well-known/smart-configuration', 'metadata', '.well-known/openid-configuration'];

describe('fhir-stu3 SMART', () => {
  it('smart-configuration is application/json, open to every origin, and has what SMART requires', async () => {
    const answer = await fetch(`${base}/.well-known/smart-configuration`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({
      issuer: service.issuer,
      authorization_endpoint: `${service.issuer}/authorize`,
      token_endpoint: `${service.issuer}/oauth/token`,
      introspection_endpoint: `${service.issuer}/oauth/introspect`,
      revocation_endpoint: `${service.issuer}/oauth/revoke`,
      scopes_supported: expect.arrayContaining(['fhirUser', 'PRACTITIONER_READ', 'ORGANIZATION_READ']),
      code_challenge_methods_supported: ['S256'],
      capabilities: ['client-public', 'client-confidential-symmetric', 'sso-openid-connect'],
    });
  });

  it('RFC 9111: smart-configuration may be kept for minutes, and If-None-Match is 304', async () => {
    const address = `${base}/.well-known/smart-configuration`;
    const answer = await fetch(address);
    await answer.text();
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    const again = await fetch(address, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('smart-configuration says nothing that the discovery document of the issuer does not say', async () => {
    const { capabilities, ...smart } = await json(`${base}/.well-known/smart-configuration`);
    expect(capabilities).toBeDefined();
    expect(Object.keys(smart).length).toBe(11);
    for (const [name, said] of Object.entries(smart)) {
      const theirs = openid[name];
      expect([name, theirs]).toEqual([name, Array.isArray(said) ? expect.arrayContaining(said) : said]);
    }
  });

  it("openid-configuration below the directory leads to the issuer's own", async () => {
    const answer = await fetch(`${base}/.well-known/openid-configuration`);
    expect(answer.url).toBe(`${service.issuer}/.well-known/openid-configuration`);
    expect(await answer.json()).toEqual(openid);
  });

  it('the oauth-uris extension has the same addresses', async () => {
    const statement = (await json(`${base}/metadata`)) as unknown as {
      rest: { security: { extension: { extension: { url: string; valueUri: string }[] }[] } }[];
    };
    const uris = statement.rest[0]?.security.extension[0]?.extension ?? [];
    expect(Object.fromEntries(uris.map(({ url, valueUri }) => [url, valueUri]))).toEqual({
      authorize: openid['authorization_endpoint'],
      token: openid['token_endpoint'],
      introspect: openid['introspection_endpoint'],
      revoke: openid['revocation_endpoint'],
    });
  });

  it.each(WAYS)('fhir-kit-client: smartAuthMetadata() where only %s answers', async (way) => {
    const client = new Client({ baseUrl: base });
    const get = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const asked = input instanceof Request ? input.url : String(input);
      const one = WAYS.find((other) => asked.endsWith(other) && asked.startsWith(base));
      return one === way || one === undefined ? get(input, init) : new Response('', { status: 404 });
    };
    try {
      const { authorizeUrl, tokenUrl } = await client.smartAuthMetadata();
      expect(String(authorizeUrl)).toBe(`${service.issuer}/authorize`);
      expect(String(tokenUrl)).toBe(`${service.issuer}/oauth/token`);
    } finally {
      globalThis.fetch = get;
    }
  });
});
