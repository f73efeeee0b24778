import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checks } from '#directory/search/resource-checks.ts';
import { synonymsOf } from '#search-index/abbreviations.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { fold } from '#search-index/tokenizer.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { edition } from '#support/directory/edition.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { type FuzzQuery, fuzzQueries } from './fuzz-queries.ts';
import { openWire, type Wire, type WireAnswer, type WireRequest } from './fuzz-wire.ts';
import '#support/seed.ts';
import { newFolder } from '#support/new-folder.ts';

const QUERIES = Number(process.env['HYGIE_FUZZ'] ?? 800);
/** Asked at once over one connection, which is as many as one run of the property holds. */
const AT_ONCE = 40;
const ID = 'fuzz';

const FORM = 'application/x-www-form-urlencoded';

function requestFor({ type, query, post, lenient }: FuzzQuery): WireRequest {
  const headers = { authorization: 'Bearer both', ...(lenient && { prefer: 'handling=lenient' }) };
  return post
    ? { method: 'POST', target: `/${type}/_search`, headers: { ...headers, 'content-type': FORM }, body: query }
    : { method: 'GET', target: `/${type}?${query}`, headers };
}

function check(asked: FuzzQuery, found: WireAnswer, scanned: WireAnswer): void {
  const { status, mediaType, text } = found;
  if (status >= 500 || status !== scanned.status || text !== scanned.text)
    expect({ asked, ...found }).toEqual({ asked, ...scanned });
  const xml = mediaType.startsWith('application/fhir+xml');
  const root = xml ? (/<([A-Z]\w+)/.exec(text)?.[1] ?? '') : '';
  const kind = xml
    ? root
    : text.startsWith('{"resourceType":"Bundle"') || /^\{\s*"resourceType": "Bundle"/.test(text)
      ? 'Bundle'
      : resourceTypeOf(text);
  if (kind !== (status === 200 ? 'Bundle' : 'OperationOutcome'))
    throw new Error(`${status} with ${kind}: ${asked.query}`);
}

function resourceTypeOf(text: string): string {
  return String((JSON.parse(text) as { resourceType?: string }).resourceType);
}

/** A match is as far as it says, if it says so, and that is within the largest circle. */
function checkNear(circles: readonly string[], search: { extension?: unknown }, query: string): void {
  const said = JSON.stringify(search.extension ?? []);
  const [, value = '0', unit = 'm'] = /"value":([\d.e-]+),"unit":"(k?m)"/.exec(said) ?? [];
  const reaches = circles.map((circle) => {
    const [, , distance = '10', of = 'km'] = circle.split('|');
    return Number(distance) * (of.trim() === 'm' ? 1 : 1000);
  });
  // The distance is rounded to metres.
  if (Number(value) * (unit === 'm' ? 1 : 1000) > Math.max(...reaches) + 1)
    throw new Error(`farther: ${query}, ${said}`);
}

/** Judged by nothing of the directory's own reading of a query: every match holds each criterion somewhere in its text. */
function checkPlausible({ plain, query }: FuzzQuery, { status, mediaType, text }: WireAnswer): number {
  if (!plain || status !== 200 || !mediaType.startsWith('application/fhir+json')) return 0;
  const { entry = [] } = JSON.parse(text) as {
    entry?: { resource: object; search: { mode: string; extension?: unknown } }[];
  };
  for (const { resource, search } of entry) {
    if (search.mode !== 'match') continue;
    const within = fold(JSON.stringify(resource));
    for (const [name, value] of plain) {
      if (name === '_lastUpdated') continue;
      const alternatives = value.split(/(?<!\\)(?:\\\\)*,/);
      if (name === 'near') {
        checkNear(alternatives, search, query);
        continue;
      }
      const holds = alternatives.some((alternative) => {
        // A telephone number may be written in several ways; its last nine digits are always there.
        const digits = alternative.replaceAll(/\D/g, '').slice(-9);
        if (/^(telecom|phone)$/.test(name) && digits.length === 9) return within.replaceAll(/\W/g, '').includes(digits);
        const words = fold(alternative)
          .split(/[^\p{L}\p{N}]+/u)
          .filter(Boolean);
        return words.every((word) => [word, ...synonymsOf(word)].some((form) => within.includes(form)));
      });
      if (!holds) throw new Error(`wider than asked: ${query} gives ${JSON.stringify(resource)}`);
    }
  }
  return entry.length;
}

/** HYGIE_FUZZ may ask for hours of searches. */
const LONG_RUN = 3_600_000;

describe('fhir-stu3 fuzz', () => {
  let snapshot: Snapshot;
  let directory: RunningDirectory;
  let wire: Wire;
  let scanning: RunningDirectory;
  let scanningWire: Wire;
  beforeAll(async () => {
    const folder = newFolder();
    const writer = createSnapshotWriter({ folder, id: ID, created: new Date(SCANNED_AT) });
    for (const resource of edition()) await writer.add(resource);
    const { file } = await writer.finish();
    snapshot = await openSnapshot(join(folder, file), checks);
    directory = await startDirectory(snapshot);
    wire = await openWire(directory.address);
    scanning = await startDirectory(scanSnapshot(ID, edition()), { publicBase: directory.base });
    scanningWire = await openWire(scanning.address);
  });
  afterAll(async () => {
    wire.close();
    scanningWire.close();
    await directory.stop();
    await scanning.stop();
    await snapshot.close();
  });

  it(
    `SEC-44 SEC-53 random and hostile searches give what the plain scan gives, and no 5xx (${QUERIES})`,
    async () => {
      const seen = new Map<number, number>();
      let matches = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fuzzQueries, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (asked) => {
          const requests = asked.map(requestFor);
          const found = await wire.ask(requests);
          const scanned = await scanningWire.ask(asked.map((one) => requestFor({ ...one, post: false })));
          for (const [at, one] of asked.entries()) {
            const answer = found[at] as WireAnswer;
            check(one, answer, scanned[at] as WireAnswer);
            matches += checkPlausible(one, answer);
            seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          }
        }),
        { numRuns: Math.ceil(QUERIES / AT_ONCE), endOnFailure: true },
      );
      if (process.env['HYGIE_FUZZ']) process.stderr.write(`${JSON.stringify([...seen])}, ${matches} matches\n`);
      // Both are common, or nothing much was tried.
      expect(seen.get(200)).toBeGreaterThan(QUERIES / 10);
      expect(seen.get(400)).toBeGreaterThan(QUERIES / 10);
      expect(matches).toBeGreaterThan(QUERIES / 20);
    },
    LONG_RUN,
  );
});
