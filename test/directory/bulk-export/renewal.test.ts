// Renewal over HTTP, while the directory runs: who left is 410 and who came back is newer, and a walk through the pages
// that began before a switch ends as it began.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { idsOf, linksOf } from '#support/directory/reading.ts';
import { startRenewedDirectory } from '#support/directory/renewing.ts';
import { openedForEach } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

describe('an export while the directory is renewed', () => {
  const DAYS = ['2026-11-19T08:00:00.000Z', '2026-11-20T08:00:00.000Z', '2026-11-21T08:00:00.500Z'] as const;
  /** Of the crowd so many that they fill five pages: each switch and each border of a page is in reach. */
  const CROWD = 45;
  const ALL = edition().filter(({ id }) => Number(/^crowd-(\d+)/.exec(id)?.[1] ?? 0) < CROWD);

  const renewed = openedForEach(startRenewedDirectory);

  const ask = (method: 'get' | 'head', path: string) =>
    request(renewed.directory.address)[method](path).set('Authorization', 'Bearer both');
  const get = (path: string) => ask('get', path);
  const follow = (url: string) => get(url.slice(renewed.directory.base.length));
  const without = (...ids: string[]) => ALL.filter(({ id }) => !ids.includes(id));

  describe('Renewal: who is no longer in the directory', () => {
    it.each([
      ['Practitioner', 'prat-1'],
      ['Organization', 'org-4'],
    ])('%s/%s is 410 by GET, HEAD and vread, and an id never known is 404', async (type, id) => {
      await renewed.publish(ALL, DAYS[0]);
      expect((await get(`/${type}/${id}`)).status).toBe(200);
      await renewed.publish(without(id), DAYS[1]);
      for (const path of [`/${type}/${id}`, `/${type}/${id}/_history/1`]) {
        const answer = await get(path);
        expect([path, answer.status]).toEqual([path, 410]);
        expect(answer.headers['content-type']).toBe('application/fhir+json; charset=utf-8');
        expect(answer.headers).not.toHaveProperty('etag');
        expect(answer.body).toEqual({
          resourceType: 'OperationOutcome',
          issue: [{ severity: 'error', code: 'not-found', diagnostics: expect.stringContaining(`${type}/${id} left`) }],
        });
        expect(answer.body.issue[0].diagnostics).toMatch(/edition of 2026-11-20T08:00:00.000Z: search/);
        const head = await ask('head', path);
        expect([head.status, head.text ?? '']).toEqual([410, '']);
      }
      // Conditions do not matter: there is no version left that a client may hold.
      expect((await get(`/${type}/${id}`).set('If-None-Match', 'W/"1"')).status).toBe(410);
      for (const never of ['never-1', 'crowd-999', `${id}x`]) {
        expect((await get(`/${type}/${never}`)).status).toBe(404);
        expect((await ask('head', `/${type}/${never}`)).status).toBe(404);
      }
      const search = await get(`/${type}?_id=${id}`);
      expect([search.status, search.body.total]).toEqual([200, 0]);
    });

    it('stays 410 over further editions, and comes back under a higher version', async () => {
      await renewed.publish(ALL, DAYS[0]);
      await renewed.publish(without('prat-1'), DAYS[1]);
      await renewed.publish(without('prat-1', 'prat-2'), '2026-11-20T20:00:00.000Z');
      const still = await get('/Practitioner/prat-1');
      expect(still.status).toBe(410);
      expect(still.body.issue[0].diagnostics).toContain(DAYS[1]);
      await renewed.publish(ALL, DAYS[2]);
      const back = await get('/Practitioner/prat-1');
      expect(back.status).toBe(200);
      expect(back.body.meta).toEqual({ versionId: '2', lastUpdated: DAYS[2] });
      expect(back.headers).toMatchObject({
        etag: 'W/"2"',
        'last-modified': 'Sat, 21 Nov 2026 08:00:00 GMT',
        'content-location': `${renewed.directory.base}/Practitioner/prat-1/_history/2`,
      });
      expect((await get('/Practitioner/prat-1').set('If-None-Match', 'W/"1"')).status).toBe(200);
      expect((await get('/Practitioner/prat-1').set('If-None-Match', 'W/"2"')).status).toBe(304);
      expect((await get('/Practitioner/prat-1/_history/2')).status).toBe(200);
      expect((await get('/Practitioner/prat-1/_history/1')).status).toBe(404);
      const unchanged = await get('/Practitioner/prat-3');
      expect(unchanged.body.meta).toEqual({ versionId: '1', lastUpdated: DAYS[0] });
    });
  });

  const NAME = 'name=zim&_count=10';

  /** Somebody called Zimmer like the crowd, in alphabetical order right before the one with this given name and id. */
  function newcomer(id: string, given: string): IndexedResource {
    const model = ALL.find((one) => one.id === 'crowd-0') as IndexedResource;
    return {
      ...model,
      id,
      sortKey: `zimmer ${given}`,
      resource: { ...model.resource, id },
      index: { ...model.index, name: [`ZIMMER ${given}`] },
    };
  }

  describe('Renewal: pages of a walk that began before the switch', () => {
    it('go on in their edition, though people left and came at the very borders of pages', async () => {
      await renewed.publish(ALL, DAYS[0]);
      const whole = idsOf((await get(`/Practitioner?name=zim&_count=200`)).body);
      expect(whole).toHaveLength(CROWD);
      const given = (id: string) => (Number(id.slice('crowd-'.length)) % 2 === 0 ? 'paul' : 'paula');
      // Before, at and behind the borders of the pages 2, 3 and 4: some leave, others come between.
      const borders = [19, 20, 29, 30, 31, 39].map((at) => whole[at] as string);
      const newcomers = borders.map((id) => newcomer(`${id.slice(0, -1)}.new-${id}`, given(id)));
      const next = [...without(...borders), ...newcomers, newcomer('first', 'aaa'), newcomer('last', 'zzz')];

      let page = (await get(`/Practitioner?${NAME}`)).body;
      const found = [...idsOf(page)];
      for (const round of rounds()) {
        const { next: link } = linksOf(page);
        if (link === undefined) break;
        const number = round + 1;
        if (number === 3) await renewed.publish(next, DAYS[1]);
        if (number === 5) await renewed.publish(without('crowd-1'), DAYS[2]);
        const answer = await follow(link);
        expect([number, answer.status, answer.body.total]).toEqual([number, 200, CROWD]);
        page = answer.body;
        found.push(...idsOf(page));
      }
      expect(found).toEqual(whole);
      const first = await follow(linksOf(page)['first'] as string);
      expect(idsOf(first.body)).toEqual(whole.slice(0, 10));
      // A search that begins now is of the newest edition.
      expect((await get(`/Practitioner?${NAME}`)).body.total).toBe(CROWD - 1);
    });

    it('are of the edition between, for a walk that began there', async () => {
      await renewed.publish(ALL, DAYS[0]);
      await renewed.publish(without('crowd-1', 'crowd-2'), DAYS[1]);
      const one = (await get(`/Practitioner?${NAME}`)).body;
      await renewed.publish(ALL, DAYS[2]);
      const two = await follow(linksOf(one)['next'] as string);
      expect(two.body.total).toBe(CROWD - 2);
      expect(idsOf(two.body)).not.toContain(idsOf(one).at(-1));
    });

    it('are 410 too when the file of their edition cannot be opened any more', async () => {
      const old = await renewed.publish(ALL, DAYS[0]);
      const begun = (await get(`/Practitioner?${NAME}`)).body;
      await renewed.publish(without('crowd-1'), DAYS[1]);
      await renewed.publish(without('crowd-2'), DAYS[2]);
      await renewed.refresh();
      renewed.lose(old);
      const answer = await follow(linksOf(begun)['next'] as string);
      expect([answer.status, answer.body.issue[0].location]).toEqual([410, ['http._page']]);
      expect(renewed.errors()).toHaveLength(1);
    });
  });

  describe('Renewal: a damaged snapshot that is not the current one', () => {
    it('is found by a check, while the current one answers', async () => {
      const old = await renewed.publish(ALL, DAYS[0]);
      await renewed.publish(without('crowd-1'), DAYS[1]);
      const begun = (await get(`/Practitioner?${NAME}`)).body;
      renewed.damage(old);
      expect((await renewed.verify(old)).findings).not.toEqual([]);
      const pages = [begun, (await follow(linksOf(begun)['next'] as string)).body];
      expect(new Set(pages.flatMap((page) => idsOf(page))).size).toBe(20);
      expect((await get('/Practitioner/prat-1')).status).toBe(200);
      expect(renewed.directory.logged).toEqual([]);
    });
  });
});
