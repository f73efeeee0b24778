// The files of `deploy/` for reverse proxies, as they are shipped, in front of the real service: TLS ends at the proxy, the issuer has a
// path, and everything is driven over HTTP/2 from outside. A proxy that this machine does not have is skipped by name:
//   apt-get install nginx caddy apache2 haproxy

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { REQUEST_BYTES } from '#openid/provider/requests/request-limits.ts';
import { HOST, makeCertificate, PROXIES, type RunningProxy, startProxy } from '#support/deploy/proxies.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';
import { CLIENT, type OverHttp2, overHttp2 } from './over-http2.ts';

const ORIGIN = `https://${HOST}`;
const ISSUER = `${ORIGIN}/connect`;

const unlike = (characters: number) => randomBytes(characters).toString('base64url').slice(0, characters);
/** Kept while a person signs in; random, so that nothing can be shortened. */
const LONG = {
  claims: JSON.stringify({ userinfo: { [unlike(3900)]: null } }),
  login_hint: unlike(500),
  acr_values: unlike(500),
  state: unlike(2000),
};

const folder = newFolder();
// Apache and nginx read as other accounts.
chmodSync(folder, 0o755);
const certified = makeCertificate(folder);
const present = PROXIES.filter(({ installed }) => installed && certified);

let service: RunningService;
beforeAll(async () => {
  if (present.length === 0) return;
  service = await startService({
    adjust: (settings) => ({
      ...settings,
      issuer: ISSUER,
      proxies: 1,
      directory: { ...settings.directory, url: `${ISSUER}/directory/v2` },
    }),
  });
});
afterAll(async () => {
  await service?.stop();
});

interface Plain {
  status: number;
  location: string;
  body: Buffer;
}

/** A request in HTTP/1.1 without TLS, redirects not followed. */
function plain(port: number, path: string, headers: Record<string, string>): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      buffer(answer).then((body) => resolve({ status, location: headers.location ?? '', body }), reject);
    });
    call.once('error', reject).end();
  });
}

for (const proxy of PROXIES) {
  (present.includes(proxy) ? describe : describe.skip)(`deploy/: ${proxy.name}, HTTP/2, issuer with a path`, () => {
    let running: RunningProxy;
    let client: OverHttp2;
    beforeAll(async () => {
      running = await startProxy(proxy, folder, [service.settings.listen.port]);
      client = await overHttp2(running.https, readFileSync(join(folder, 'fullchain.pem')), HOST);
    });
    afterAll(async () => {
      client?.close();
      await running?.stop();
    });

    const discover = () =>
      oidc.discovery(new URL(ISSUER), 'server', { client_secret: SECRET }, oidc.ClientSecretPost(SECRET), {
        [oidc.customFetch]: (url, { method, body, headers }) => client.fetch(url, { method, body, headers }),
      });
    const person = () => {
      let longestHead = 0;
      const visitor = createPerson(ORIGIN, async (url, init) => {
        const answer = await client.fetch(url, init);
        const head = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
        longestHead = Math.max(longestHead, head.length);
        return answer;
      });
      // The request has exactly as many bytes as the service accepts.
      const padded = (url: string | URL) => `${url}&filler=`.padEnd(`${ISSUER}/authorize?`.length + REQUEST_BYTES, 'x');
      const signIn: typeof visitor.signIn = (url, credentials) => visitor.signIn(padded(url), credentials);
      return { ...visitor, signIn, longestHead: () => longestHead };
    };

    it('a person signs in by a request of 8 KiB with as much in cookies: pages, token, userinfo, introspection', async () => {
      const configuration = await discover();
      const visitor = person();
      visitor.cookies.set('of-another-application /', unlike(7500));
      const { tokens } = await signIn(service, { person: visitor, configuration, parameters: LONG });
      const sub = tokens.claims()?.sub ?? '';
      expect(await oidc.fetchUserInfo(configuration, tokens.access_token, sub)).toMatchObject({ sub });
      expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({ active: true });
      // More than the 4 or 8 kB that proxies take for the head of an answer unless they are told otherwise.
      expect(visitor.longestHead()).toBeGreaterThan(8192);
    });

    it('SEC-39, SEC-42 the address that connects is the one in the log, and forged headers change nothing', async () => {
      const forged = {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        'x-request-id': 'forged-by-a-client',
      };
      const headers = { ...forged, forwarded: 'for=203.0.113.9;host=evil.example' };
      const metadata = await client.fetch(`${ISSUER}/.well-known/openid-configuration`, { headers });
      expect(await metadata.json()).toMatchObject({ issuer: ISSUER, token_endpoint: `${ISSUER}/oauth/token` });
      const body = new URLSearchParams({ token: 'x', client_id: 'server', client_secret: proxy.name });
      const refused = await client.fetch(`${ISSUER}/oauth/introspect`, { method: 'POST', headers, body });
      const id = refused.headers.get('x-request-id') ?? '';
      expect([refused.status, id]).toEqual([401, expect.stringMatching(/^(?!forged)./)]);
      const lines = service
        .logged()
        .split('\n')
        .filter((line) => line.includes(id) && line.includes('"address"'));
      expect(lines.map((line) => (JSON.parse(line) as { address: string }).address)).toEqual([CLIENT]);
      const foreign = await client.fetch(ISSUER, { headers: { ':authority': 'evil.example' } }).catch(() => undefined);
      if (foreign) expect(foreign.status).toBeGreaterThanOrEqual(400);
    });

    it('FHIR answers come as the service sent them: gzip, ETag, bulk exports byte for byte, %2F and %7C in addresses', async () => {
      const { tokens } = await signIn(service, { person: person(), configuration: await discover() });
      const authorization = `Bearer ${tokens.access_token}`;
      const odd = `${ISSUER}/directory/v2/Practitioner?identifier=urn%3Aoid%3A1.2%7C%2F8`;
      const none = await client.fetch(odd, { headers: { authorization } });
      expect(await none.json()).toMatchObject({ total: 0, link: [{ url: expect.stringContaining('%7C%2F8') }] });
      const absent = await client.fetch(`${ISSUER}/directory/v2/Practitioner/a%2Fb`, { headers: { authorization } });
      expect([absent.status, await absent.json()]).toEqual([
        404,
        expect.objectContaining({ resourceType: 'OperationOutcome' }),
      ]);
      const headers = { authorization, 'accept-encoding': 'gzip' };
      const found = await client.fetch(`${ISSUER}/directory/v2/Practitioner?_count=20`, { headers });
      expect([found.status, found.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      const bundle = JSON.parse(gunzipSync(Buffer.from(await found.arrayBuffer())).toString());
      expect(bundle.entry).toHaveLength(20);

      const manifest = await client.fetch(`${ISSUER}/directory/v2/$export`, { headers: { authorization } });
      const { output } = (await manifest.json()) as { output: { url: string }[] };
      for (const { url } of output) {
        const file = Buffer.from(await (await client.fetch(url, { headers: { authorization } })).arrayBuffer());
        const { pathname, search: query } = new URL(url);
        const direct = await plain(service.settings.listen.port, pathname + query, { authorization, host: HOST });
        expect([file.length > 100_000, file.equals(direct.body)]).toEqual([true, true]);
      }
    });

    it('SEC-17 the log of requests has no query and no token of a mailed link', async () => {
      for (const path of ['/directory/v2/Practitioner?name=of-a-query', '/account-link/invitation/of-a-link'])
        await client.fetch(`${ISSUER}${path}`);
      await plain(running.http, '/connect/account-link/invitation/of-a-link?name=of-a-query', { host: HOST });
      await client.fetch(`${ISSUER}/health/live`);
      const logged = () => running.requests()?.includes('"GET /connect/health/live HTTP/2.0"') !== false;
      await until(logged, 'the line of a request');
      expect(running.requests() ?? running.log()).not.toMatch(/of-a-(query|link)/);
    });

    it('http leads to https, by a code that keeps the method', async () => {
      const { status, location } = await plain(running.http, '/connect/account?a=b', { host: HOST });
      expect([status, location]).toEqual([308, `${ORIGIN}/connect/account?a=b`]);
    });
  });
}

const haproxy = present.find(({ name }) => name === 'HAProxy');

(haproxy ? it : it.skip)(
  'deploy/haproxy.cfg: where no instance is ready, the answer is 503 with Retry-After, as that of an instance',
  async () => {
    if (!haproxy) return;
    const own = newFolder();
    makeCertificate(own);
    const running = await startProxy(haproxy, own, [await freePort(), await freePort()]);
    const client = await overHttp2(running.https, readFileSync(join(own, 'fullchain.pem')), HOST);
    const answer = await client.fetch(`${ISSUER}/userinfo`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    // People read it, in the two languages of the pages.
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toMatch(/^Le service .*Réessayez.*\nThe service .*Try again.*\n$/);
    // curl tells a stream that was cancelled from one that was answered.
    const curl = ['-s', '-k', '--http2', '-o', '/dev/null', '-w', '%{http_code}', '-d', 'token=x'];
    const to = [
      '--resolve',
      `${HOST}:${running.https}:127.0.0.1`,
      `https://${HOST}:${running.https}/connect/oauth/introspect`,
    ];
    for (let round = 0; round < 40; round += 1) {
      expect(spawnSync('curl', [...curl, ...to], { encoding: 'utf8' }).stdout).toBe('503');
    }
    client.close();
    await running.stop();
  },
);
