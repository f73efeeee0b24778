// Owns the check of the resources of one type: their order, each text, version and date, references, and what each says
// that the index must hold. Does not own the comparison with the index (`sqlite-verify-indexes.ts`), nor what a valid
// resource and its index entries are: the caller brings these rules.

import { FIELDS, fingerprint, highHalf, TABLE_OF } from '../file-layout.ts';
import type { ResourceRow, SnapshotFile } from '../read/reader.ts';
import type { IndexedResource, ResourceType } from '../snapshot.ts';
import { unpackText } from '../text-dictionary.ts';
import { wordsOf } from '../tokenizer.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './multiset-checksum.ts';
import type { KnownIds } from './verify-ids.ts';

/** What the mapping knows of resources and the store does not. */
export interface ResourceRules {
  /** Says what is wrong with a parsed resource; nothing when it is right. */
  faultOf(resource: unknown): string | undefined;
  /** Sort key and index entries of a resource, taken from its elements. */
  entriesOf(resource: IndexedResource['resource']): Pick<IndexedResource, 'sortKey' | 'index'>;
}

export interface CheckContext {
  snapshot: SnapshotFile;
  findings: Findings;
  rules: ResourceRules;
  /** Milliseconds since 1970: no resource can have changed later. */
  created: number;
  /** Of the types that were checked before, and of this one, which is filled. */
  ids: Record<ResourceType, KnownIds>;
  ledger: Ledger;
}

/** Resources between two words to the caller. */
const STEP = 2000;
const ID = /^[A-Za-z0-9\-.]{1,64}$/;

const REFERENCES: Readonly<Record<ResourceType, readonly (readonly [element: string, target: ResourceType])[]>> = {
  Practitioner: [],
  Organization: [['partOf', 'Organization']],
  PractitionerRole: [
    ['practitioner', 'Practitioner'],
    ['organization', 'Organization'],
  ],
};

/** Position of each resource by ordinal; findings where the order is none. */
export function positionsOf({ snapshot, findings }: CheckContext, type: ResourceType): Uint32Array {
  const { count } = snapshot.types[type];
  const positions = new Uint32Array(count);
  const seen = new Uint8Array(count);
  for (let position = 0; position < count; position++) {
    const ordinal = snapshot.types[type].ordinalAt(position);
    if (ordinal >= count || seen[ordinal]) {
      findings.add('order', `${type}: position ${position} leads to row ${ordinal}, which is not there or has another`);
      continue;
    }
    seen[ordinal] = 1;
    positions[ordinal] = position;
  }
  return positions;
}

/** Checks all resources of a type, and enters what they say into the ledger. Yields how many were read so far. */
export function* checkResources(
  context: CheckContext,
  type: ResourceType,
  positions: Uint32Array,
): Generator<number, void> {
  const { snapshot, findings } = context;
  const { count, texts } = snapshot.types[type];
  const rows = snapshot.database
    .prepare<[], ResourceRow & { ordinal: number }>(
      `select ordinal, id, version, updated, body from ${TABLE_OF[type]} order by ordinal`,
    )
    .iterate();
  const say = speaker(context.ledger, type);
  const order = new Float64Array(count).fill(Number.NaN);
  const owed: { from: string; to: string }[] = [];
  let expected = 0;
  for (const { ordinal, ...row } of rows) {
    const name = `${type}/${row.id}`;
    if (ordinal !== expected || ordinal >= count) {
      findings.add('counts', `${type}: row ${ordinal} stands where row ${expected} should, of ${count}`);
      if (ordinal >= count) break;
    }
    expected = ordinal + 1;
    if (expected % STEP === 0) yield expected;
    const resource = parsed(row, type, texts);
    const fault =
      faultOfRow(row, context) ?? (resource === undefined ? 'its text is no JSON' : context.rules.faultOf(resource));
    if (fault !== undefined) findings.add('resource', `${name}: ${fault}`);
    if (resource === undefined) continue;
    if (!context.ids[type].add(row.id)) findings.add('resource', `${name}: stands there twice`);
    const position = positions[ordinal] as number;
    // Of an invalid resource nobody can say what it should be found by.
    if (fault === undefined && context.ledger.covers(position)) {
      const { sortKey, index } = context.rules.entriesOf(resource);
      order[position] = beginningOf(sortKey);
      say(position, row, index);
    }
    for (const [element, target] of REFERENCES[type]) {
      const to = targetOf(resource[element], target);
      if (to === undefined || context.ids[target].has(to)) continue;
      if (target === type) owed.push({ from: `${name}.${element}`, to });
      else findings.add('reference', `${name}.${element} leads to ${target}/${to}, which is not there`);
    }
  }
  if (expected < count) findings.add('counts', `${type}: ${count - expected} of ${count} are missing at the end`);
  for (const { from, to } of owed) {
    if (!context.ids[type].has(to)) findings.add('reference', `${from} leads to ${type}/${to}, which is not there`);
  }
  checkOrder(order, type, findings);
  yield count;
}

function parsed(row: ResourceRow, type: ResourceType, texts: readonly string[]) {
  try {
    const resource: unknown = JSON.parse(
      `{"resourceType":"${type}","id":${JSON.stringify(row.id)}${unpackText(row.body, texts)}`,
    );
    return resource as IndexedResource['resource'];
  } catch {
    return undefined;
  }
}

function faultOfRow({ id, version, updated }: ResourceRow, { created }: CheckContext): string | undefined {
  if (typeof id !== 'string' || !ID.test(id)) return 'its id is no FHIR id';
  if (!Number.isSafeInteger(version) || version < 1) return `its version is ${version}`;
  if (!Number.isSafeInteger(updated) || updated > created) return 'it was changed later than the snapshot was made';
  return undefined;
}

/** Id of a reference within the directory; nothing for one that leads elsewhere. */
function targetOf(value: unknown, target: ResourceType): string | undefined {
  const reference = (value as { reference?: unknown } | undefined)?.reference;
  if (typeof reference !== 'string' || !reference.startsWith(`${target}/`)) return undefined;
  return reference.slice(target.length + 1).split('/')[0];
}

/** Bytes of a sort key that are compared: 48 bits fit into a number, and what they leave open is not looked at. */
const COMPARED_BYTES = 6;
const bytes = Buffer.alloc((COMPARED_BYTES + 1) * 3);

function beginningOf(sortKey: string): number {
  bytes.fill(0);
  // One unit more, so that no pair of surrogates is cut within what is compared.
  bytes.write(sortKey.slice(0, COMPARED_BYTES + 1), 'utf8');
  return bytes.readUIntBE(0, COMPARED_BYTES);
}

/** Texts of items whose words are remembered: towns and first names come again and again. */
const REMEMBERED = 20_000;

/** @param order beginning of the sort key by position; NaN where it was not looked at */
function checkOrder(order: Float64Array, type: ResourceType, findings: Findings): void {
  let before = 0;
  for (let position = 0; position < order.length; position++) {
    const beginning = order[position] as number;
    if (Number.isNaN(beginning)) continue;
    if (beginning < before) findings.add('order', `${type}: position ${position} sorts before those before it`);
    before = beginning;
  }
}

/** Enters what a resource says, field by field, each word of an item and each key once. */
function speaker({ say }: Ledger, type: ResourceType) {
  const fields = FIELDS.filter((field) => field.type === type);
  const remembered = new Map<string, Uint32Array>();
  /** Halves of the fingerprints of all words, each word once. */
  const wordsIn = (text: string): Uint32Array => {
    const known = remembered.get(text);
    if (known) return known;
    const halves = Uint32Array.from(
      [...new Set(wordsOf(text))].flatMap((word) => {
        const low = fingerprint(word);
        return [highHalf(), low];
      }),
    );
    if (remembered.size < REMEMBERED) remembered.set(text, halves);
    return halves;
  };
  const sayKey = (field: number, position: number, key: string) => {
    const low = fingerprint(key);
    say(field, position, 0, highHalf(), low);
  };
  const sayItem = (field: number, position: number, item: number, text: string) => {
    const halves = wordsIn(text);
    for (let at = 0; at < halves.length; at += 2) {
      say(field, position, item, halves[at] as number, halves[at + 1] as number);
    }
  };
  return (position: number, row: ResourceRow, index: IndexedResource['index']) => {
    for (const { number, name, kind } of fields) {
      const entries = index[name] ?? [];
      if (kind === 'instant') sayKey(number, position, String(row.updated));
      else if (name === 'id') sayKey(number, position, row.id);
      else if (kind === 'words') {
        for (let item = 0; item < entries.length; item++) sayItem(number, position, item, entries[item] as string);
      } else for (const key of entries.length < 2 ? entries : new Set(entries)) sayKey(number, position, key);
    }
  };
}
