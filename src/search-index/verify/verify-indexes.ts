// Owns the check of the indexes of one type against what its resources say: every posting list in range and rising, the
// united lists complete, every entry there and none too many. Does not own what resources say
// (`sqlite-verify-resources.ts`) nor how one list is read (`sqlite-verify-lists.ts`).

import {
  BUCKETS_PER_FIELD,
  FIELDS,
  type Field,
  fingerprint,
  fingerprintKey,
  hasVocabulary,
  highHalf,
  NO_PLACE,
  UNION_MARK,
  WORD_MARK,
} from '../file-layout.ts';
import { bucketOf } from '../fingerprints.ts';
import type { ResourceType } from '../snapshot.ts';
import { createListChecker, type ListChecker, type TermRow } from './verify-postings.ts';
import { createUnionChecker } from './verify-prefix-postings.ts';
import type { CheckContext } from './verify-resources.ts';

/** Rows between two words to the caller. */
const STEP = 2000;

/** Checks all fields of a type. Yields, now and then, the share of the fields that is done. */
export function* checkIndexes(context: CheckContext, type: ResourceType): Generator<number, void> {
  const fields = FIELDS.filter((field) => field.type === type);
  const tally = { lists: 0, countedIn: new Uint32Array(context.snapshot.types[type].count) };
  for (const [done, field] of fields.entries()) {
    const share = () => done / fields.length;
    const bits = openedField(context, field);
    if (bits === undefined) continue;
    const lists = createListChecker(context, field, tally);
    if (field.kind === 'words') yield* each(checkWords(context, field, lists), share);
    else if (field.kind === 'instant') checkInstants(context, field, lists);
    else if (hasVocabulary(field.kind)) {
      yield* each(checkKeys(context, field, lists), share);
      if (field.kind === 'fingerprint') yield* each(checkFingerprints(context, field, bits, lists), share);
    }
    yield (done + 1) / fields.length;
  }
  report(context, type);
}

function* each(rows: Iterable<unknown>, share: () => number): Generator<number, void> {
  let count = 0;
  for (const _ of rows) if (++count % STEP === 0) yield share();
}

/** Bits of the field's buckets, when the file has the field as this release knows it. */
function openedField({ snapshot, findings }: CheckContext, field: Field): number | undefined {
  try {
    const { number, kind, bits } = snapshot.types[field.type].fieldOf(field.name);
    if (number === field.number && kind === field.kind) return bits;
  } catch {
    // Said below.
  }
  findings.add('index', `${field.type}: the field ${field.name} is not as it should be`);
  return undefined;
}

const TERMS = 'select key, owners, list, members from term where field = ? order by key';

function* checkWords(context: CheckContext, field: Field, lists: ListChecker): Generator<void, void> {
  const unions = createUnionChecker(context, field);
  for (const row of context.snapshot.database.prepare<[number], TermRow>(TERMS).iterate(field.number)) {
    yield;
    const text = row.key.slice(0, -1);
    unions.before(row.key);
    if (row.key.endsWith(UNION_MARK)) {
      const collected = unions.open(text);
      lists.walk(row, (chunk, members) => collected.expect(chunk, members));
    } else if (row.key.endsWith(WORD_MARK)) {
      const low = fingerprint(text);
      const high = highHalf();
      lists.walk(row, (chunk, members) => {
        unions.add(chunk, members);
        lists.items(chunk, members, (position, item) => context.ledger.find(field.number, position, item, high, low));
      });
    } else context.findings.add('index', `${field.type}, field ${field.name}: a list with the key "${row.key}"`);
  }
  unions.end();
}

/** The lists of a vocabulary; with fingerprints, those of whole systems. */
function* checkKeys(context: CheckContext, field: Field, lists: ListChecker): Generator<void, void> {
  for (const row of context.snapshot.database.prepare<[number], TermRow>(TERMS).iterate(field.number)) {
    yield;
    // Lists of a fingerprint are looked at with it.
    if (!row.key.endsWith(WORD_MARK)) continue;
    const low = fingerprint(row.key.slice(0, -1));
    const high = highHalf();
    lists.walk(row, (chunk, members) => {
      lists.items(chunk, members, (position) => context.ledger.find(field.number, position, 0, high, low));
    });
  }
}

function* checkFingerprints(
  { snapshot, findings, ledger }: CheckContext,
  field: Field,
  bits: number,
  lists: ListChecker,
): Generator<void, void> {
  const first = field.number * BUCKETS_PER_FIELD;
  const buckets = snapshot.database.prepare<[number, number], { id: number; entries: Uint8Array }>(
    'select id, entries from fingerprint where id >= ? and id < ? order by id',
  );
  const longList = snapshot.database.prepare<[number, string], TermRow>(
    'select key, owners, list, members from term where field = ? and key = ?',
  );
  const wrong = (text: string) => findings.add('index', `${field.type}, field ${field.name}: ${text}`);
  for (const { id, entries: bytes } of buckets.iterate(first, first + BUCKETS_PER_FIELD)) {
    yield;
    const entries = new Uint32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.byteLength / 12) * 3);
    for (let at = 0; at < entries.length; at += 3) {
      const high = entries[at] as number;
      const low = entries[at + 1] as number;
      const place = entries[at + 2] as number;
      if (bucketOf(high, bits) !== id - first) wrong(`an entry stands in the bucket ${id - first} of others`);
      else if (place === NO_PLACE) {
        const row = longList.get(field.number, fingerprintKey(high, low));
        if (!row) wrong(`a list of many resources is missing`);
        else {
          lists.walk(row, (chunk, members) => {
            lists.items(chunk, members, (position) => ledger.find(field.number, position, 0, high, low));
          });
        }
      } else {
        const position = lists.positionAt(place);
        if (position === undefined) wrong(`an entry leads to the place ${place}, where nothing is`);
        else ledger.find(field.number, position, 0, high, low);
      }
    }
  }
}

function checkInstants({ snapshot, findings, ledger }: CheckContext, field: Field, lists: ListChecker): void {
  const rows = snapshot.database.prepare<
    [number],
    { chunk: number; times: Uint8Array; ends: Uint8Array; members: Uint8Array }
  >('select chunk, times, ends, members from instant where field = ? order by chunk');
  for (const row of rows.iterate(field.number)) {
    const times = new Float64Array(new Uint8Array(row.times).buffer);
    const ends = new Uint32Array(new Uint8Array(row.ends).buffer);
    const members = new Uint16Array(new Uint8Array(row.members).buffer);
    let at = 0;
    for (let number = 0; number < times.length; number++) {
      const time = times[number] as number;
      if (number > 0 && time <= (times[number - 1] as number)) {
        findings.add('index', `${field.type}, field ${field.name}: instants do not rise in chunk ${row.chunk}`);
      }
      const low = fingerprint(String(time));
      const high = highHalf();
      for (; at < Math.min(ends[number] ?? 0, members.length); at++) {
        const position = lists.positionAt(row.chunk * 65_536 + (members[at] as number));
        if (position !== undefined) ledger.find(field.number, position, 0, high, low);
      }
    }
  }
}

/** What the comparison left open. */
function report({ snapshot, findings, ledger }: CheckContext, type: ResourceType): void {
  const fields = ledger.fields();
  if (fields.length === 0) return;
  const names = FIELDS.filter(({ number }) => fields.includes(number)).map(({ name }) => name);
  let some = false;
  for (const position of ledger.positions()) {
    some = true;
    const id = snapshot.types[type].rowAt(snapshot.types[type].ordinalAt(position))?.id;
    findings.add('index', `${type}/${id}: the index does not hold what the resource says (${names.join(', ')})`);
  }
  if (!some) findings.add('index', `${type}: the index does not hold what the resources say (${names.join(', ')})`);
}
