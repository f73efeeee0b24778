// Directory import: whatever stands in a FHIR source or in the FINESS JSON feed, it is taken, left out with a reason, or
// refused with an error that names the file; nothing else happens.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createCollector } from '#import/collect/collector.ts';
import { ImportError } from '#import/collect/import-error.ts';
import { deduplicateResources } from '#import/fhir/deduplicate.ts';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import { readBundle, readNdjson } from '#import/fhir/read-resources.ts';
import { resourceIssue } from '#import/fhir/validate.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { factsOfFiness } from '#import/mapping/structure-facts.ts';
import { readFinessJson } from '#import/registers/finess-json-reader.ts';
import type { Source } from '#import/registers/source.ts';
import { errorsOf } from '#support/fhir/validate.ts';
import { ALL, bundle, clinic, jeanne, ndjson, role } from '#support/import/fhir-resources.ts';
import { finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import { runs } from '#support/seed.ts';

/** Paths to every part of a JSON value. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[...path], ...inner.flatMap(([name, part]) => pathsOf(part, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('', ' ', null, [], {}, [null], [{}], [''], 0, -1, 'x'.repeat(70), '\u0000', '#a', 'urn:uuid:1'),
  fc.constantFrom(
    '\ud800',
    '\ufffe',
    '\u200b',
    'a  b',
    'urn:oid:1',
    'A/1',
    'x',
    '2023-02-30',
    '2023',
    'http://a b',
    'home',
  ),
);

it('import: hostile resources any part replaced by anything: the issue is named, or the resource is valid STU3 and can be indexed', () => {
  const taken = { yes: 0, no: 0 };
  fc.assert(
    fc.property(fc.constantFrom(jeanne, clinic, role), fc.nat(), anything, (resource, at, by) => {
      const paths = pathsOf(resource);
      const changed = replaced(resource, paths[at % paths.length] ?? [], by);
      const issue = resourceIssue(changed);
      taken[issue === undefined ? 'yes' : 'no']++;
      if (issue !== undefined) return expect(issue).toMatch(/\S{3}/);
      const { meta: _meta, text: _text, ...kept } = changed as Record<string, unknown>;
      expect(errorsOf(JSON.parse(JSON.stringify(kept)))).toEqual([]);
      const { index, sortKey } = indexResource(changed as DirectoryResource);
      expect([sortKey, ...Object.values(index).flat()].every((text) => typeof text === 'string')).toBe(true);
      const waiting = { file: 0, line: 1, text: JSON.stringify(changed) };
      expect(deduplicateResources([waiting, { ...waiting, line: 2 }], () => {}).size).toBe(1);
    }),
    { numRuns: runs(700) },
  );
  expect(taken.yes).toBeGreaterThan(100);
  expect(taken.no).toBeGreaterThan(100);
});

describe('import: deep resources', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);

  it.each(['photo', 'extension', 'meta'])('lists within lists in %s exhaust nothing', (element) => {
    const text = `{"resourceType":"Practitioner","id":"x","${element}":${element === 'meta' ? `{"lastUpdated":${deep}}` : deep}}`;
    const issue = resourceIssue(JSON.parse(text));
    if (element !== 'meta') expect(issue).toMatch(/is not an object/);
    else
      expect(
        deduplicateResources(
          [1, 2].map((line) => ({ file: 0, line, text })),
          () => {},
        ).size,
      ).toBe(1);
  });
});

describe('import: hostile files', () => {
  const FILES = [
    { read: readNdjson, text: ndjson(...ALL) },
    { read: readBundle, text: bundle(ALL) },
    { read: readFinessJson, text: finessJson([legalEntity(), legalEntity()]) },
  ] as const;

  /** Reads a file without keeping anything; every structure record is mapped at once. */
  async function readAll(read: (typeof FILES)[number]['read'], bytes: Buffer, size: number): Promise<Source> {
    const report = { name: 'x', kind: 'fhir' as const, lines: 0, leftOut: 0 };
    const recognised = { kind: 'fhir', headerLines: 0 } as const;
    const sizes = { size: bytes.length, plainSize: bytes.length };
    const file = { name: 'x', named: true, given: 'x', names: ['x'], ...sizes, publishedIn: [] };
    const input = { ...file, check: async () => {}, open: async () => chunks() };
    const source: Source = { input, recognised, report, file: 0, checksum: '' };
    await read(chunks(), source, {
      collector: createCollector(),
      onRead: () => {},
      keepResource: () => {},
      keepPosition: () => {},
      keepStructure: (_form, row) =>
        void factsOfFiness(row, { namespace: '', concepts: createConcepts(), warn: () => {} }),
    });
    return source;

    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
  }

  /** A line break cut into a member's name, which the refusal then quotes. */
  const LINE_BREAK_IN_A_NAME: [(typeof FILES)[number], { at: number; cut: number; put: Uint8Array }[], number][] = [
    [FILES[1], [{ at: 12, cut: 8, put: Buffer.from('\n') }], 5000],
  ];

  it('bytes changed, cut out and put in: the file is read, or refused by name', async () => {
    const outcomes = { read: 0, leftOut: 0, refused: 0 };
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(8),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom(...'{}[],:"\\\n').map((sign) => Buffer.from(sign)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FILES),
        fc.array(edit, { maxLength: 3 }),
        fc.integer({ min: 1, max: 5000 }),
        async ({ read, text }, edits, size) => {
          let bytes = Buffer.from(text);
          for (const { at, cut, put } of edits) {
            const from = at % bytes.length;
            bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + cut)]);
          }
          const source = await readAll(read, bytes, size).catch((error: unknown) => {
            expect(error).toBeInstanceOf(ImportError);
            expect((error as Error).message).toMatch(/^x[:,] .* (Download|Export)/);
            expect((error as Error).message).not.toMatch(/\p{Cc}/u);
            return undefined;
          });
          outcomes[source === undefined ? 'refused' : source.report.leftOut > 0 ? 'leftOut' : 'read']++;
        },
      ),
      { numRuns: runs(250), examples: LINE_BREAK_IN_A_NAME },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(20);
  });
});
