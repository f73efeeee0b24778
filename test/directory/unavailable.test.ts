// "Nothing holds up a sign-in": what a client hears when its search cannot be answered now, and what becomes of a search
// whose client has left (FHIR STU3 http 2.20.0.5: OperationOutcome; RFC 9110 section 15.6.4: 503 with Retry-After).

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SearchOptions, Unavailable } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { ask } from '#support/directory/exporting.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { until } from '#support/until.ts';

let directory: RunningDirectory;
let search: (options?: SearchOptions) => Promise<never>;
beforeAll(async () => {
  const snapshot = scanSnapshot('busy', edition());
  directory = await startDirectory({ ...snapshot, search: (_query, options) => search(options) });
});
afterAll(() => directory.stop());

describe('a search that cannot be answered now', () => {
  it('is 503 with Retry-After and an OperationOutcome, and fills no log', async () => {
    search = () => Promise.reject(new Unavailable('Too many searches are waiting.', 2));
    const answer = await ask(`${directory.address}/Practitioner?name=du`, { token: 'both' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ code: 'transient', diagnostics: 'Too many searches are waiting. Try again in 2 s.' }],
    });
    expect(directory.logged).toEqual([]);
  });

  it('is known to be abandoned once its client has left', async () => {
    let options: SearchOptions | undefined;
    search = (given) => {
      options = given;
      return new Promise<never>(() => {});
    };
    const headers = { authorization: 'Bearer both' };
    const call = request(`${directory.address}/Practitioner?name=du`, { headers }).on('error', () => {});
    call.end();
    await until(() => options !== undefined, 'the search has begun');
    expect(options?.abandoned?.()).toBe(false);
    call.destroy();
    await until(() => options?.abandoned?.() === true, 'the search is abandoned');
  });
});
