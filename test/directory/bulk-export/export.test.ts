// Bulk: the whole directory as NDJSON by FHIR Bulk Data Access (kick-off, status, manifest, files), resumable,
// each file for who may read its type.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { ask, type Exported, linesOf, type Manifest, manifestOf } from '#support/directory/exporting.ts';
import { startRenewedDirectory } from '#support/directory/renewing.ts';
import { openedForAll } from '#support/opened.ts';

describe('bulk export', () => {
  const LOADED = '2026-11-20T08:00:00.250Z';
  const ALL = edition();
  const idsOfType = (type: string) => ALL.filter((one) => one.type === type).map(({ id }) => id);

  let base: string;
  let snapshot: string;
  const renewed = openedForAll(() => startRenewedDirectory({ exports: { resources: 50 } }));
  beforeAll(async () => {
    base = renewed.directory.address;
    snapshot = await renewed.publish(ALL, LOADED);
  });

  const issueOf = async (answer: Response) => {
    const outcome = (await answer.json()) as { resourceType: string; issue: { code: string; diagnostics: string }[] };
    expect(outcome.resourceType).toBe('OperationOutcome');
    return outcome.issue[0];
  };

  describe('export: kick-off and status', () => {
    it('the asynchronous pattern: 202 with Content-Location, a status that is complete, DELETE at the end', async () => {
      const asynchronous = { headers: { accept: 'application/fhir+json', prefer: 'respond-async' } };
      const kickOff = await ask(`${base}/$export?_type=Practitioner`, asynchronous);
      expect([kickOff.status, await kickOff.text()]).toEqual([202, '']);
      const status = kickOff.headers.get('content-location') ?? '';
      expect(status).toBe(`${base}/$export/${snapshot}?_type=Practitioner`);
      const complete = await ask(status, { headers: { accept: 'application/json' } });
      expect([complete.status, complete.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(((await complete.json()) as Manifest).output[0]?.type).toBe('Practitioner');
      expect((await ask(status, { method: 'DELETE' })).status).toBe(202);
    });

    it('without Prefer the manifest is the answer: what it says of the edition, the request and the files', async () => {
      const { output, ...manifest } = await manifestOf(`${base}/$export`);
      expect(manifest).toEqual({
        transactionTime: LOADED,
        request: `${base}/$export`,
        requiresAccessToken: true,
        error: [],
        extension: { next: `${base}/$export?_since=${encodeURIComponent(LOADED)}` },
      });
      expect(new Set(output.map(({ type }) => type))).toEqual(new Set(RESOURCE_TYPES));
      for (const type of RESOURCE_TYPES) {
        const files = output.filter((file) => file.type === type);
        expect(files.length).toBe(Math.ceil(idsOfType(type).length / 50));
        expect(files.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(idsOfType(type).length);
        const resources: Exported[] = [];
        for (const { url } of files) resources.push(...(await linesOf(url)));
        expect(resources.map(({ id }) => id).toSorted()).toEqual(idsOfType(type).toSorted());
      }
    });

    it('a line is the resource as a read gives it', async () => {
      const [file] = (await manifestOf(`${base}/Organization/$export`)).output;
      for (const resource of await linesOf(file?.url ?? '')) {
        const read = await ask(`${base}/Organization/${resource.id}`);
        expect(await read.json()).toEqual(resource);
      }
    });

    it.each([['percent-encoded $', '%24export?_type=Organization', ['Organization']]])(
      'types by %s',
      async (_by, path, types) => {
        const { output } = await manifestOf(`${base}/${path}`);
        expect([...new Set(output.map(({ type }) => type))]).toEqual(types);
      },
    );

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
      const refused = await ask(`${base}/$export`, { token: 'practitioners' });
      expect(refused.status).toBe(403);
      expect((await issueOf(refused))?.diagnostics).toMatch(/lacks the scope ORGANIZATION_READ.* name with _type/);
      const { output } = await manifestOf(`${base}/$export?_type=Practitioner`, { token: 'practitioners' });
      expect(new Set(output.map(({ type }) => type))).toEqual(new Set(['Practitioner']));
      expect(await linesOf(output[0]?.url ?? '', { token: 'practitioners' })).toHaveLength(50);
      expect((await ask(output[0]?.url ?? '', { token: 'organizations' })).status).toBe(403);
      const roles = await ask(`${base}/PractitionerRole/$export`, { token: 'practitioners' });
      expect(roles.status).toBe(403);
    });
  });

  describe('export: files', () => {
    const fileOf = async (type: string) => (await manifestOf(`${base}/$export?_type=${type}`)).output[0]?.url ?? '';
    const plain = { 'accept-encoding': 'identity' };

    it('a download goes on at any byte where it ended (RFC 9110 section 14)', async () => {
      for (const type of RESOURCE_TYPES) {
        const url = await fileOf(type);
        const answer = await ask(url, { headers: plain });
        const whole = Buffer.from(await answer.arrayBuffer());
        const etag = answer.headers.get('etag') ?? '';
        for (const from of [0, 1, 500, Math.floor(whole.length / 2), whole.length - 1]) {
          const rest = await ask(url, { headers: { range: `bytes=${from}-`, 'if-range': etag } });
          expect([rest.status, rest.headers.get('content-range')]).toEqual([
            206,
            `bytes ${from}-${whole.length - 1}/${whole.length}`,
          ]);
          expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(from))).toBe(true);
        }
        const middle = await ask(url, { headers: { range: 'bytes=10-19' } });
        expect(Buffer.from(await middle.arrayBuffer()).equals(whole.subarray(10, 20))).toBe(true);
        const beyond = await ask(url, { headers: { range: `bytes=${whole.length}-` } });
        expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
        const changed = await ask(url, { headers: { ...plain, range: 'bytes=10-', 'if-range': '"other"' } });
        expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, whole.length]);
      }
    });
  });
});
