// The limits of service.yaml and clients.yaml at work in the whole service, with real tokens of two clients.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, manifestOf } from '#support/directory/exporting.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

const SLOW = { perSecond: 1, burst: 4 };

let service: RunningService;
let server: string;
let trusted: string;
beforeAll(async () => {
  service = await startService({
    adjust: (settings) => ({ ...settings, directory: { ...settings.directory, rate: SLOW } }),
    clients: (await testClients()).map((one) =>
      one.id === 'trusted' ? { ...one, rate: { perSecond: 0, burst: 1 } } : one,
    ),
  });
  server = (await signIn(service)).tokens.access_token;
  trusted = (await signIn(service, { clientId: 'trusted' })).tokens.access_token;
});
afterAll(() => service.stop());

const statuses = async (token: string, count: number) => {
  const all = [];
  for (let number = 0; number < count; number++)
    all.push((await ask(`${service.settings.directory.url}/Practitioner?name=ma&_count=1`, { token })).status);
  return all;
};

describe('limits of the service', () => {
  it('directory.rate: 429 for the client that exceeds it; a client with a rate of its own is not concerned', async () => {
    expect(await statuses(server, 10)).toContain(429);
    expect(new Set(await statuses(trusted, 20))).toEqual(new Set([200]));
  });

  it('an edit of clients.yaml counts at the next request', async () => {
    service.replaceClients((await testClients()).map((one) => ({ ...one, rate: { perSecond: 1000, burst: 1000 } })));
    await statuses(server, 1);
    expect(new Set(await statuses(server, 8))).toEqual(new Set([200]));
  });

  it('tokens that do not hold: 401, then 429 with Retry-After, while those that held before go on', async () => {
    const guesses = [];
    for (let number = 0; number < 260; number += 20)
      guesses.push(
        ...(await Promise.all(Array.from({ length: 20 }, (_, n) => statuses(`guess-${number + n}`, 1)))).flat(),
      );
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
    expect(await statuses(server, 1)).toEqual([200]);
  });

  it('the demonstration directory is exported with one address, by a signed-in person', async () => {
    const { output } = await manifestOf(`${service.settings.directory.url}/$export`, { token: trusted });
    expect(output.map(({ type }) => type)).toEqual(['Practitioner', 'Organization', 'PractitionerRole']);
    const [file] = output;
    const text = await (await ask(file?.url ?? '', { token: trusted })).text();
    expect(text.split('\n')).toHaveLength((file?.count ?? 0) + 1);
  });
});
