// Bulk: the whole directory as NDJSON by FHIR Bulk Data Access (kick-off, status, manifest, files), resumable,
// each file for who may read its type.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { edition } from '#support/directory/edition.ts';
import { ask, linesOf, manifestOf } from '#support/directory/exporting.ts';
import { startRenewedDirectory } from '#support/directory/renewing.ts';
import { openedForAll } from '#support/opened.ts';

describe('bulk export', () => {
  const LOADED = '2026-11-20T08:00:00.250Z';
  const ALL = edition();

  let base: string;
  let snapshot: string;
  const renewed = openedForAll(() => startRenewedDirectory({ exports: { resources: 50 } }));
  beforeAll(async () => {
    base = renewed.directory.address;
    snapshot = await renewed.publish(ALL, LOADED);
  });

  describe('export: kick-off and status', () => {
    it('a line is the resource as a read gives it', async () => {
      const [file] = (await manifestOf(`${base}/Organization/$export`)).output;
      for (const resource of await linesOf(file?.url ?? '')) {
        const read = await ask(`${base}/Organization/${resource.id}`);
        expect(await read.json()).toEqual(resource);
      }
    });

    it('types by a percent-encoded $', async () => {
      const { output } = await manifestOf(`${base}/%24export?_type=Organization`);
      expect([...new Set(output.map(({ type }) => type))]).toEqual(['Organization']);
    });

    it('405 with Allow for POST', async () => {
      const answer = await ask(`${base}/$export`, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    });
  });

  describe('export: permissions', () => {
    it('401 without a token, at every address', async () => {
      const [file] = (await manifestOf(`${base}/$export`)).output;
      for (const url of [`${base}/$export`, `${base}/$export/${snapshot}`, file?.url ?? '']) {
        const answer = await fetch(url);
        expect([url, answer.status]).toEqual([url, 401]);
      }
    });

    it('403 for what the token does not permit: all types, a type, a file; the others are given', async () => {
      const { output } = await manifestOf(`${base}/$export?_type=Practitioner`, { token: 'practitioners' });
      expect(new Set(output.map(({ type }) => type))).toEqual(new Set(['Practitioner']));
      expect(await linesOf(output[0]?.url ?? '', { token: 'practitioners' })).toHaveLength(50);
      expect((await ask(output[0]?.url ?? '', { token: 'organizations' })).status).toBe(403);
      const roles = await ask(`${base}/PractitionerRole/$export`, { token: 'practitioners' });
      expect(roles.status).toBe(403);
    });
  });
});
