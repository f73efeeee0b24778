// Directory import: FHIR STU3 Bundles and NDJSON as sources: recognised by content, in any packing and beside registers;
// validated; each type and id once.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { zip } from '#support/import/archive.ts';
import { ALL, bundle, clinic, exact, group, jeanne, ndjson } from '#support/import/fhir-resources.ts';
import { activity, finessEstablishment, finessFile, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('resources of files', () => {
  const bench = openedForEach(openBench);

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

  it('import: Bundles of every type an empty Bundle is an empty source, and refused as one', async () => {
    const report = await bench.run([bench.file('x.json', '{"resourceType":"Bundle","type":"searchset","total":0}')]);
    expect(report.outcome).toBe('refused');
  });

  it('import: each type and id once a FHIR resource beside register lines stands as it is; what else the lines say is kept', async () => {
    const kinds = (report: { warnings: { kind: string; count: number }[] }) =>
      Object.fromEntries(report.warnings.map(({ kind, count }) => [kind, count]));

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
