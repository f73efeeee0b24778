// SEC-57: what a client made for another server is worth nothing here, however the request names that server: in its target, in
// Host, or in what a proxy would send.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { assertion, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { obtainCode, redeem } from '#support/openid/relying-party.ts';
import { sendRaw } from '#support/raw-request.ts';
import { CALLBACK, type RunningService, startService, testClients } from '#support/service.ts';

const EVIL = 'http://evil.example';

describe.each([0, 1])('SEC-57 behind %d proxies', (proxies) => {
  const key = newClientKey();
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    const clients = (await testClients()).map(
      (client): ClientSettings =>
        client.id === 'trusted' ? { ...client, secretHashes: [], jwks: { keys: [key.jwk] } } : client,
    );
    service = await startService({ clients, adjust: (settings) => ({ ...settings, proxies }) });
    const dpop = proof(key, { method: 'POST', url: `${service.issuer}/oauth/token` });
    token = (
      (await (await redeem(service, await obtainCode(service), {}, { dpop })).json()) as { access_token: string }
    ).access_token;
  });
  afterAll(() => service.stop());

  /** Each way to name the other server, and whether it is refused before anything is read. */
  const ways = (path: string): { target: string; headers: string[]; misdirected: boolean }[] => {
    const { host } = new URL(service.issuer);
    const forged = (...headers: string[]) => ({ target: path, headers: [`Host: ${host}`, ...headers] });
    return [
      { ...forged(), misdirected: false },
      { target: service.issuer + path, headers: ['Host: evil.example'], misdirected: false },
      { target: EVIL + path, headers: [`Host: ${host}`], misdirected: true },
      { target: EVIL + path, headers: [`Host: ${host}`, `X-Forwarded-Host: ${host}`], misdirected: true },
      { target: path, headers: ['Host: evil.example'], misdirected: true },
      { ...forged('X-Forwarded-Host: evil.example'), misdirected: proxies > 0 },
      { ...forged(`X-Forwarded-Host: ${host}`, 'X-Forwarded-Host: evil.example'), misdirected: proxies > 0 },
      { ...forged(`X-Forwarded-Host: evil.example, ${host}`, 'X-Forwarded-Proto: https'), misdirected: false },
      { ...forged('Forwarded: host=evil.example', 'X-Forwarded-Prefix: //evil.example'), misdirected: false },
      { ...forged('X-Original-URL: http://evil.example/', 'X-Rewrite-URL: http://evil.example/'), misdirected: false },
    ];
  };

  it('a client assertion is good for this server alone', async () => {
    const push = (target: string, headers: readonly string[], audience: string) => {
      const request = { redirect_uri: CALLBACK, response_type: 'code', scope: 'openid', state: 's'.repeat(30) };
      const body = new URLSearchParams({ ...request, ...assertion(key, 'trusted', audience) }).toString();
      const type = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}`;
      const head = `POST ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n${type}\r\nConnection: close\r\n\r\n`;
      return sendRaw(service.issuer, head + body);
    };
    for (const { target, headers, misdirected } of ways('/oauth/par')) {
      const what = `${target} ${headers}`;
      expect([what, (await push(target, headers, service.issuer)).status]).toEqual([what, misdirected ? 421 : 201]);
      for (const audience of [EVIL, `${EVIL}/oauth/par`, `${EVIL}/oauth/token`]) {
        const { status } = await push(target, headers, audience);
        expect([what, audience, status]).toEqual([what, audience, misdirected ? 421 : 401]);
      }
    }
  });

  it.each(['/userinfo', '/directory/v2/Practitioner'])(
    'a DPoP proof is good for this server alone at %s',
    async (path) => {
      const ask = (target: string, headers: readonly string[], url: string) => {
        const lines = [...headers, `Authorization: DPoP ${token}`, `DPoP: ${proof(key, { url, token })}`];
        return sendRaw(service.issuer, `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
      };
      for (const { target, headers, misdirected } of ways(path)) {
        const what = `${target} ${headers}`;
        const good = await ask(target, headers, service.issuer + path);
        expect([what, good.status]).toEqual([what, misdirected ? 421 : 200]);
        const foreign = await ask(target, headers, EVIL + path);
        expect([what, foreign.status]).toEqual([what, misdirected ? 421 : 401]);
      }
    },
  );

  it('discovery names this server alone', async () => {
    for (const { target, headers, misdirected } of ways('/.well-known/openid-configuration')) {
      const what = `${target} ${headers}`;
      const { status, body } = await sendRaw(
        service.issuer,
        `GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`,
      );
      expect([what, status]).toEqual([what, misdirected ? 421 : 200]);
      if (status === 200) expect([what, body.includes('evil')]).toEqual([what, false]);
    }
  });
});
