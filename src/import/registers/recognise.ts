// Recognises which register an input is. The content decides. The name of the file is only used in messages.

import { JSONParser } from '@streamparser/json';
import type { Column, RegisterKind } from '#import/collect/columns.ts';
import { ImportError } from '#import/collect/import-error.ts';
import { isResourceType } from '#search-index/index.ts';
import { bindColumns, headerLikeness, keyWord } from './bind-header.ts';
import { splitFinessLine } from './finess-text.ts';
import { HEADER, REGISTERS } from './register-kinds.ts';
import type { Recognised } from './source.ts';

const LIKE_ENOUGH = 0.5;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;
/** A UTF-8 byte order mark that was decoded as Latin-1. */
const MARK = /^\u00ef\u00bb\u00bf/;
/** Matches the first line of a FINESS text file. Each of its cells may be in quotes, and a byte order mark may come before it. */
const FINESS_TEXT = /^(\u00ef\u00bb\u00bf)?("?finess"?;"?etalab"?;|"?(structure(ej|et)|geolocalisation)"?;)/;

/**
 * Recognises an input by its first bytes. Returns undefined if the file is no register. Throws an `ImportError` if the file is a register,
 * but lacks a required column, has a header that is not UTF-8, or has quotes around its cells.
 */
export function recognise(name: string, head: Buffer): Recognised | undefined {
  if (looksLikeJson(head)) return recogniseJson(head);
  const lines = head
    .subarray(0, 1 << 16)
    .toString('latin1')
    .split(/\r?\n/);
  const first = lines[0] ?? '';
  if ((first.match(CONTROL)?.length ?? 0) > 0) return undefined;
  if (FINESS_TEXT.test(first)) return recogniseFiness(lines);
  const header = firstLineOf(head);
  if (header === undefined) {
    if (likeliest(first.split('|')).likeness < LIKE_ENOUGH / 2) return undefined;
    throw new ImportError(
      { file: name, line: 1 },
      'the header is not UTF-8.',
      'Take the file as published, or convert it: iconv -f WINDOWS-1252 -t UTF-8.',
    );
  }
  return recogniseHeader(name, header.split('|'));
}

function recogniseFiness(lines: readonly string[]): Recognised {
  const [line, , , date = ''] = splitFinessLine((lines[0] ?? '').replace(MARK, '')).map((value) => value.trim());
  const edition = line === 'finess' ? /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] : undefined;
  return { kind: 'finess', headerLines: line === 'finess' ? 1 : 0, ...(edition !== undefined && { edition }) };
}

function recogniseHeader(name: string, headers: readonly string[]): Recognised | undefined {
  const { register, likeness } = likeliest(headers);
  const columns = register.columns[HEADER] ?? [];
  if (likeness < LIKE_ENOUGH) return undefined;
  const quoted = headers.find((header) => /^\s*".*"\s*$/.test(header));
  if (quoted !== undefined) {
    throw new ImportError(
      { file: name, line: 1, column: quoted.replaceAll('"', '').trim() },
      `cells are in quotes: ${register.title} is published without, and there a quote is content.`,
      'Take the file as published; another program has written this one anew.',
    );
  }
  const { binding, missing } = bindColumns(columns, headers);
  const [column] = missing;
  if (column) {
    const others = missing.slice(1).map((other) => `"${other.label}"`);
    throw new ImportError(
      { file: name, line: 1, column: column.label },
      `the header of ${register.title} lacks this column${others.length > 0 ? ` and ${others.join(', ')}` : ''}.`,
      'Take the file as published; if its layout has changed, Hygie needs an update.',
    );
  }
  return { kind: register.kind, binding, headerLines: 1 };
}

function likeliest(headers: readonly string[]): { register: (typeof REGISTERS)[RegisterKind]; likeness: number } {
  const [best] = Object.values(REGISTERS)
    .filter((register) => register.columns[HEADER] !== undefined)
    .map((register) => ({ register, likeness: headerScore(register.columns[HEADER] ?? [], headers) }))
    .sort((a, b) => b.likeness - a.likeness);
  if (!best) throw new Error('no register has a header');
  return best;
}

/**
 * Rates from 0 to 1 how well the columns of a register fit the headers of a file. The more columns of the register the file lacks, the
 * lower the rate. It is also lower if the file has many headers that are no columns of the register.
 */
function headerScore(columns: readonly Column[], headers: readonly string[]): number {
  const share = headerLikeness(columns, headers);
  const explained = (share * columns.length) / Math.max(1, headers.filter((header) => header !== '').length);
  return share * Math.min(1, explained);
}

function firstLineOf(head: Buffer): string | undefined {
  const end = head.indexOf(10);
  const bytes = head.subarray(0, end < 0 ? head.length : end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r$/, '');
  } catch {
    return undefined;
  }
}

// The rest of the file recognises JSON: a FHIR Bundle, NDJSON of FHIR resources, or the FINESS JSON feed.

const OPENING = /^(?:\u00ef\u00bb\u00bf)?\s*\{/;
const FHIR = { kind: 'fhir', headerLines: 0 } as const;
const FINESS_MEMBERS = ['pmej', 'gcc', 'gco'];
/**
 * A name that shows that a file is another FINESS feed, that of activities. That feed is not read: it lists the same legal entities, but
 * gives only their numbers.
 */
const OTHER_FLOW = '"activitesAutorisees"';

/** Tells whether the first bytes of a file look like the beginning of a JSON object. */
export function looksLikeJson(head: Buffer): boolean {
  return OPENING.test(head.subarray(0, 1024).toString('latin1'));
}

/** Recognises a JSON file by its first bytes. Returns undefined if it is neither FHIR nor the FINESS feed of structures. */
function recogniseJson(head: Buffer): Recognised | undefined {
  const json = head.subarray(head.indexOf('{'));
  const lines = json.toString('utf8').split('\n');
  if (lines.some(isResource)) return { ...FHIR, form: 'ndjson' };
  const members = rootMembers(json);
  const resourceType = members.get('resourceType');
  if (resourceType === 'Bundle' || (resourceType === undefined && members.has('entry'))) {
    return { ...FHIR, form: 'bundle' };
  }
  // If the first bytes have only one line, they end within the first resource. This is why no complete resource was found above.
  if (isResourceType(resourceType) && lines.length === 1) return { ...FHIR, form: 'ndjson' };
  const named = new Map([...members].map(([name, value]) => [keyWord(name), value]));
  if (!FINESS_MEMBERS.some((name) => named.has(name)) || head.includes(OTHER_FLOW)) return undefined;
  const edition = aboutFile(named, 'generatedat');
  const schema = aboutFile(named, 'schemaversion');
  return {
    kind: 'finess',
    form: 'finess-json',
    headerLines: 0,
    ...(edition !== undefined && { edition }),
    ...(schema !== undefined && { schema }),
  };
}

/**
 * Returns what a FINESS file states about itself under a name. The name stands in the root object (schema 1.0.0) or in `metadata` (1.0.1).
 */
function aboutFile(members: ReadonlyMap<string, unknown>, word: string): string | undefined {
  const metadata = Object.entries(members.get('metadata') ?? {}).find(([name]) => keyWord(name) === word);
  const value = members.get(word) ?? metadata?.[1];
  return typeof value === 'string' ? value : undefined;
}

function isResource(line: string): boolean {
  if (!line.includes('"resourceType"')) return false;
  try {
    return isResourceType((JSON.parse(line) as { resourceType?: unknown } | null)?.resourceType);
  } catch {
    return false;
  }
}

/** Returns the members of the root object that begin within the first bytes. The value of a member that does not end there is undefined. */
function rootMembers(head: Buffer): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  const parser = new JSONParser({ paths: ['$.*'], emitPartialValues: true });
  parser.onValue = ({ key, value, partial }) => {
    if (typeof key === 'string') members.set(key, partial ? undefined : value);
  };
  parser.onError = () => {};
  parser.write(head);
  return members;
}
