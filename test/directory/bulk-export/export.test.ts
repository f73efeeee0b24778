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

    it.each([
      ['Practitioner', 'Practitioner/$export', ['Practitioner']],
      ['a list', '$export?_type=Organization,Practitioner', ['Practitioner', 'Organization']],
      [
        'a repeated parameter',
        '$export?_type=Organization&_type=PractitionerRole',
        ['Organization', 'PractitionerRole'],
      ],
      ['percent-encoded $', '%24export?_type=Organization', ['Organization']],
    ])('types by %s', async (_by, path, types) => {
      const { output } = await manifestOf(`${base}/${path}`);
      expect([...new Set(output.map(({ type }) => type))]).toEqual(types);
    });

    it.each(['application/fhir+ndjson', 'application%2Ffhir%2Bndjson', 'application/ndjson', 'ndjson'])(
      '_outputFormat=%s',
      async (format) => {
        expect((await ask(`${base}/$export?_type=Organization&_outputFormat=${format}`)).status).toBe(200);
      },
    );

    it.each([
      ['_outputFormat=application/fhir+parquet', 'not-supported', /^_outputFormat is application\/fhir\+ndjson/],
      [
        '_typeFilter=Practitioner%3Factive%3Dtrue',
        'not-supported',
        /^_typeFilter is not supported in an export: search/,
      ],
      ['_elements=id', 'not-supported', /^_elements is not supported/],
      ['constructor=1', 'not-supported', /^constructor is not supported in an export: known are _type/],
      ['name=mart', 'not-supported', /^name is not supported in an export: known are _type, _since and _outputFormat/],
      [
        '_type=Patient',
        'not-supported',
        /^_type is one or more of Practitioner,Organization,PractitionerRole, not Patient/,
      ],
      ['_type=', 'value', /^_type has no value/],
      ['_since=yesterday', 'value', /^_since is an instant/],
      ['_since=2026-11-20&_since=2026-11-20', 'value', /^_since stands more than once/],
    ])('400 for %s', async (query, code, text) => {
      const answer = await ask(`${base}/$export?${query}`);
      expect(answer.status).toBe(400);
      expect(await issueOf(answer)).toMatchObject({ code, diagnostics: expect.stringMatching(text) });
    });

    it('the CapabilityStatement names the operation', async () => {
      const statement = (await (await fetch(`${base}/metadata`)).json()) as { rest: { operation: object[] }[] };
      expect(statement.rest[0]?.operation).toEqual([
        { name: 'export', definition: { reference: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' } },
      ]);
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

    it('compressed when asked for, with a validator of its own; the same bytes otherwise', async () => {
      const url = await fileOf('Practitioner');
      const whole = await ask(url, { headers: plain });
      const packed = await ask(url, { headers: { 'accept-encoding': 'gzip' } });
      expect([whole.headers.get('content-encoding'), whole.headers.get('accept-ranges')]).toEqual([null, 'bytes']);
      expect([packed.headers.get('content-encoding'), packed.headers.get('accept-ranges')]).toEqual(['gzip', null]);
      expect(packed.headers.get('vary')).toContain('Accept-Encoding');
      expect(packed.headers.get('etag')).not.toBe(whole.headers.get('etag'));
      expect(await packed.text()).toBe(await whole.text());
      const refused = await ask(url, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(refused.headers.get('content-encoding')).toBeNull();
      await refused.text();
    });

    it('304 for a file that the client holds; HEAD has the headers alone', async () => {
      const url = await fileOf('Organization');
      const head = await ask(url, { method: 'HEAD', headers: plain });
      const etag = head.headers.get('etag') ?? '';
      expect([head.status, etag.startsWith('"'), await head.text()]).toEqual([200, true, '']);
      expect((await ask(url, { headers: { ...plain, 'if-none-match': etag } })).status).toBe(304);
      expect((await ask(url, { headers: { ...plain, 'if-none-match': '"other"' } })).status).toBe(200);
    });

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

    it('a page of another origin may download and resume (CORS)', async () => {
      const url = await fileOf('Organization');
      const asked = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
      expect(asked.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['Authorization', 'Range', 'If-Range']),
      );
      const rest = await ask(url, { headers: { range: 'bytes=10-19' } });
      expect(rest.headers.get('access-control-expose-headers')?.split(', ')).toContain('Content-Range');
      expect(await rest.text()).toHaveLength(10);
    });

    it('400 for a file with parameters: without them, what changed would be the whole file', async () => {
      const answer = await ask(`${await fileOf('Practitioner')}?_since=${LOADED}`);
      expect(answer.status).toBe(400);
      expect((await issueOf(answer))?.diagnostics).toMatch(/takes no parameters: take addresses from the manifest/);
    });

    it('404 for a file that no manifest names, and for one beyond the edition', async () => {
      for (const name of ['x.ndjson', 'Practitioner-0000000-0000000.ndjson', 'Organization-0000000-9999999.ndjson'])
        expect([name, (await ask(`${base}/$export/${snapshot}/${name}`)).status]).toEqual([name, 404]);
      for (const name of [
        'Practitioner-deleted.ndjson',
        'Practitioner-deleted-20261399T050000001Z.ndjson',
        'Practitioner-changed-20261120T250000001Z-0000000-0000050.ndjson',
        'Practitioner-changed-0000000-0000050.ndjson',
      ])
        expect([name, (await ask(`${base}/$export/${snapshot}/${name}`)).status]).toEqual([name, 404]);
    });
  });
});
