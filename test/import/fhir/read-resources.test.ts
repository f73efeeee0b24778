// Directory import: FHIR STU3 Bundles and NDJSON as sources: recognised by content, in any packing and beside registers;
// validated; each type and id once.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { recognise } from '#import/registers/recognise.ts';
import { zip } from '#support/import/archive.ts';
import { ALL, bundle, clinic, exact, group, jeanne, load, ndjson, role } from '#support/import/fhir-resources.ts';
import { activity, finessEstablishment, finessFile, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('resources of files', () => {
  const bench = openedForEach(openBench);

  describe('import: recognised by content', () => {
    it.each([
      ['ndjson', ndjson(...ALL)],
      ['ndjson', `\n{"broken\n${ndjson(role)}`],
      ['ndjson', `\ufeff${ndjson(jeanne)}`],
      [
        'ndjson',
        JSON.stringify({ ...jeanne, resourceType: undefined })
          .replace('{', '{"resourceType":"Practitioner",')
          .padEnd(9),
      ],
      ['bundle', bundle(ALL)],
      ['bundle', JSON.stringify(JSON.parse(bundle(ALL)), null, 2)],
      ['bundle', `{"entry":[{"resource":${'[1,'.repeat(2)}`],
      ['bundle', '{"resourceType":"Bundle"}'],
      ['finess-json', '{"schemaVersion":"v1.0.0","generatedAt":"2026-11-20T02:00:00Z","gcc":[{"gccId":'],
    ])('%s: %s', (form, text) => {
      expect(recognise('a.dat', Buffer.from(text))?.form).toBe(form);
    });

    it.each([
      '{}',
      '{"a":1}',
      '{"resourceType":"Location","id":"a"}\n',
      JSON.stringify(jeanne, null, 2),
      '{"schemaVersion":"v1","pmej":[{"numFiness":"690000021","activitesAutorisees":[]}]}',
      '[{"resourceType":"Practitioner"}]',
    ])('nothing: %s', (text) => {
      expect(recognise('a.json', Buffer.from(text))).toBeUndefined();
    });

    it('leaves other JSON of a folder alone, the FINESS flow of activities included', async () => {
      const folder = join(bench.folder, 'in');
      mkdirSync(folder);
      writeFileSync(join(folder, 'finess-activites-journalier-20261120.json'), '{"pmej":[{"activitesAutorisees":[]}]}');
      writeFileSync(join(folder, 'x.json'), '{"a":1}');
      writeFileSync(join(folder, 'all'), ndjson(...ALL));
      const report = await bench.run([folder]);
      expect(report.outcome).toBe('imported');
      expect(report.warnings).toEqual([expect.objectContaining({ kind: 'not-a-register', count: 2 })]);
    });
  });

  describe('import: an edition of FHIR resources alone', () => {
    it.each([
      ['NDJSON', Buffer.from(ndjson(...ALL))],
      ['a Bundle', Buffer.from(bundle(ALL))],
      ['gzip', gzipSync(ndjson(...ALL))],
      ['zip', zip('x', Buffer.from(bundle(ALL)))],
    ])('%s', async (_name, content) => {
      const report = await bench.run([bench.file('source', content)]);
      expect(report).toMatchObject({
        outcome: 'imported',
        lines: 4,
        resources: { Practitioner: 1, Organization: 2, PractitionerRole: 1 },
        warnings: [],
      });
      const { meta: _meta, text: _text, ...kept } = jeanne;
      expect(await bench.read('Practitioner', 'jeanne')).toEqual(kept);
      const stored = await (await bench.snapshot()).read('Practitioner', 'jeanne');
      expect(JSON.parse(stored?.json ?? '').meta).toEqual({ versionId: '1', lastUpdated: expect.any(String) });
      expect(await exact(bench, 'Practitioner', 'identifier', 'https://ids.example|J-1')).toEqual(['jeanne']);
      expect(await exact(bench, 'Organization', 'part-of', 'Organization/group')).toEqual(['clinic']);
      expect(await exact(bench, 'PractitionerRole', 'practitioner', 'Practitioner/jeanne')).toEqual(['role']);
      // Nothing is claimed of those that do not say it.
      expect(await exact(bench, 'Organization', 'active', 'true')).toEqual([]);
    });

    it('resources without name or identifier, and many with the same, pass the canaries', async () => {
      const people = Array.from({ length: 30 }, (_, index) => ({
        resourceType: 'Practitioner',
        id: `p${index}`,
        ...(index % 3 > 0 && { name: [{ family: '-' }] }),
        ...(index % 2 > 0 && { identifier: [{ value: 'SAME' }] }),
      }));
      const report = await bench.run([bench.file('x', ndjson(...people))]);
      expect(report.outcome).toBe('imported');
      expect(await exact(bench, 'Practitioner', 'identifier', 'SAME')).toHaveLength(9);
    });

    it('one form can follow upon the other; fewer of a type are seen by the guard of registers', async () => {
      await bench.run([bench.file('x', ndjson(...ALL))]);
      const again = await bench.run([bench.file('y', bundle(ALL))]);
      expect(again).toMatchObject({ outcome: 'imported', changes: { Practitioner: { unchanged: 1, changed: 0 } } });
      const fewer = await bench.run([bench.file('z', ndjson(jeanne, clinic, group))]);
      expect(fewer.outcome).toBe('refused');
      expect(fewer.guards).toContainEqual(
        expect.objectContaining({
          name: 'registers',
          passed: false,
          figures: expect.stringContaining('"PractitionerRole": 1'),
        }),
      );
    });

    it('the same files again are the same edition', async () => {
      const path = bench.file('x', bundle(ALL));
      await bench.run([path]);
      expect((await bench.run([path])).outcome).toBe('unchanged');
    });
  });

  describe('import: Bundles of every type', () => {
    it('reads what a server gives: search results with outcomes, absolute references of its own, further pages', async () => {
      const base = 'https://other.example/fhir';
      const entry = [
        { fullUrl: `${base}/Practitioner/jeanne`, resource: jeanne, search: { mode: 'match' } },
        {
          fullUrl: `${base}/PractitionerRole/role`,
          resource: { ...role, practitioner: { reference: `${base}/Practitioner/jeanne` } },
          search: { mode: 'include' },
        },
        { resource: { resourceType: 'OperationOutcome', issue: [] }, search: { mode: 'outcome' } },
      ];
      const text = JSON.stringify({
        resourceType: 'Bundle',
        type: 'searchset',
        total: 7,
        link: [{ relation: 'next', url: `${base}?page=2` }],
        entry,
      });
      const report = await bench.run([bench.file('x', text)]);
      expect(report).toMatchObject({ outcome: 'imported', lines: 2, linesLeftOut: { count: 0 } });
      expect(report.warnings).toEqual([expect.objectContaining({ kind: 'further-pages', count: 1 })]);
      expect(await bench.read('PractitionerRole', 'role')).toMatchObject({
        practitioner: { reference: 'Practitioner/jeanne' },
      });
    });

    it('a batch: what it puts is taken, what it deletes is not', async () => {
      const entry = [
        { resource: clinic, request: { method: 'PUT', url: 'Organization/clinic' } },
        { resource: group, request: { method: 'PUT', url: 'Organization/group' } },
        { request: { method: 'DELETE', url: 'Organization/gone' } },
        { fullUrl: 'urn:uuid:1' },
      ];
      const report = await load(
        bench,
        bench.file('x', JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry })),
      );
      expect(report.resources.Organization).toBe(2);
      expect(report.linesLeftOut.examples.map(({ line, reason }) => [line, reason])).toEqual([
        [3, 'the entry asks for a deletion, which an edition cannot hold'],
        [4, 'entry without resource'],
      ]);
    });

    it.each([
      ['a history', bundle(ALL, { type: 'history' }), /is a Bundle of type history/],
      ['a truncated Bundle', bundle(ALL).slice(0, -40), /behind entry 3: it ends before it is closed: it is truncated/],
      ['truncated NDJSON', ndjson(...ALL).slice(0, -40), /line 4: the file ends in the middle: it is truncated/],
      [
        'another resource with entries',
        `{"entry":[{"a":"${'x'.repeat(1 << 21)}"}],"resourceType":"List"}`,
        /is not a FHIR Bundle/,
      ],
      ['two files in one', bundle(ALL) + bundle(ALL), /behind entry 4: it is not valid JSON/],
    ])('refuses %s, and leaves the directory as it is', async (_name, text, message) => {
      await bench.run([bench.file('good', ndjson(...ALL))]);
      await expect(bench.run([bench.file('x.json', text)])).rejects.toThrow(message);
      expect(await bench.read('Practitioner', 'jeanne')).toBeDefined();
    });

    it('an empty Bundle is an empty source, and refused as one', async () => {
      const report = await bench.run([bench.file('x.json', '{"resourceType":"Bundle","type":"searchset","total":0}')]);
      expect(report.outcome).toBe('refused');
    });
  });

  describe('import: each type and id once', () => {
    const kinds = (report: { warnings: { kind: string; count: number }[] }) =>
      Object.fromEntries(report.warnings.map(({ kind, count }) => [kind, count]));

    it('the same resource twice is kept once; the order of names and the meta do not matter', async () => {
      const turned = Object.fromEntries(Object.entries(jeanne).reverse());
      const report = await bench.run([
        bench.file('a', ndjson(...ALL)),
        bench.file('b', bundle([{ ...turned, meta: { versionId: '3' } }, group, role])),
      ]);
      expect(kinds(report)).toEqual({ 'repeated-resource': 3 });
      expect(report.resources).toEqual({ Practitioner: 1, Organization: 2, PractitionerRole: 1 });
    });

    it('of several versions the latest by meta.lastUpdated is kept, else the first', async () => {
      const version = (id: string, name: string, lastUpdated?: string) => ({
        resourceType: 'Organization',
        id,
        name,
        ...(lastUpdated !== undefined && { meta: { lastUpdated } }),
      });
      const report = await bench.run([
        bench.file('a', ndjson(version('x', 'OLD', '2026-01-01T00:00:00Z'), version('y', 'FIRST'))),
        bench.file(
          'b',
          ndjson(version('x', 'NEW', '2026-01-01T00:00:00+00:00'.replace('01T', '02T')), version('y', 'SECOND')),
        ),
        bench.file('c', ndjson(version('x', 'MIDDLE', '2026-01-01T12:00:00Z'))),
      ]);
      expect(kinds(report)).toEqual({ 'conflicting-resource': 3 });
      expect(await bench.read('Organization', 'x')).toMatchObject({ name: 'NEW' });
      expect(await bench.read('Organization', 'y')).toMatchObject({ name: 'FIRST' });
    });

    it('a FHIR resource beside register lines stands as it is; what else the lines say is kept', async () => {
      const register = [
        bench.file(
          'pa',
          registerText('activities', [
            activity({ 22: '690000021', 23: 'F690000013' }),
            activity({ 2: '8/12', 7: 'SLASH' }),
          ]),
        ),
        bench.file('et', finessFile(finessEstablishment())),
        bench.file('mss', registerText('mailboxes', [{ 0: 'ORG', 1: 'a@b.example', 5: 'FINESS', 6: '690000013' }])),
      ];
      await bench.run(register);
      const roles = (
        await (await bench.snapshot()).search({ type: 'PractitionerRole', clauses: [], limit: 9, total: false })
      ).matches;
      const slash = (
        await (await bench.snapshot()).search({ type: 'Practitioner', clauses: [], limit: 9, total: false })
      ).matches
        .map(({ id }) => id)
        .find((id) => id.startsWith('p-'));
      expect(slash).toBeDefined();
      const own = [
        { resourceType: 'Practitioner', id: '819000000018', name: [{ family: 'OTHER' }] },
        { resourceType: 'Practitioner', id: slash, name: [{ family: 'HASHED' }] },
        { resourceType: 'Organization', id: 'F690000013', name: 'CORRECTED' },
        { resourceType: 'Organization', id: 'F690000021', name: 'NAMED AT LAST' },
        ...roles.map(({ id }) => ({ resourceType: 'PractitionerRole', id, active: false })),
      ];
      const report = await bench.run([bench.file('own', ndjson(...own)), ...register], {
        accept: [{ name: 'other-people' }],
      });
      expect(report.outcome).toBe('imported');
      expect(kinds(report)).toMatchObject({ 'resource-over-register': 3 + roles.length });
      expect(report.resources).toEqual({ Practitioner: 2, Organization: 3, PractitionerRole: roles.length });
      expect(await bench.read('Practitioner', '819000000018')).toEqual(own[0]);
      expect(await bench.read('Practitioner', slash ?? '')).toEqual(own[1]);
      expect(await bench.read('Organization', 'F690000013')).toEqual(own[2]);
      expect(await bench.read('Organization', 'F690000021')).toEqual(own[3]);
      expect(await bench.read('PractitionerRole', roles[0]?.id ?? '')).toMatchObject({ active: false });
    });
  });
});
