// A token that somebody else ends while requests with it arrive: who asks after that commit is refused (decision 21).

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SEARCH, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';

const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 8);
/**
 * Asks with a token from a thread of its own, ends it with a connection of its own while the answers are under way, and asks on at once.
 * Posts the statuses of the requests that began before the commit, and of those that began after it.
 */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const ends = new (require('better-sqlite3'))(workerData).prepare("delete from oidc_records where model = 'AccessToken'");
  parentPort.on('message', async ({ url, token }) => {
    const before = new Set();
    const after = new Set();
    let ended = 0;
    const ask = async () => {
      for (let late = 0; late < 4; late += ended) {
        const since = ended ? after : before;
        const answer = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
        await answer.arrayBuffer();
        since.add(answer.status);
        if (answer.status === 200) seen();
      }
    };
    let seen;
    const known = new Promise((resolve) => { seen = resolve; });
    const asking = Array.from({ length: 3 }, ask);
    await known;
    ended = ends.run().changes;
    await Promise.all([...asking, ask(), ask()]);
    parentPort.postMessage({ ended, before: before.has(200), after: [...after] });
  });`;

describe('a token that is ended with another connection', () => {
  withService();

  let other: Worker;
  beforeAll(() => {
    const { database } = service.settings;
    other = new Worker(THREAD, { eval: true, workerData: database.engine === 'sqlite' ? database.file : '' });
  });
  afterAll(() => other.terminate());

  it.each(['/userinfo', SEARCH])('SEC-20 opens nothing to a request that begins afterwards: %s', async (path) => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens } = await signIn(service);
      other.postMessage({ url: service.issuer + path, token: tokens.access_token });
      found.push((await once(other, 'message'))[0]);
    }
    expect(found).toEqual(found.map(() => ({ ended: 1, before: true, after: [401] })));
  });
});
