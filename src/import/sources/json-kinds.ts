// Recognises JSON sources by their first bytes: a FHIR Bundle, NDJSON of FHIR resources, or the FINESS JSON flow.

import { RESOURCE_TYPES } from '../../search-index/index.ts';
import { createSplitter, JsonSyntaxError } from './json-stream.ts';

/** A recognised JSON source, as `Recognised` of `kinds.ts` has it. */
export interface RecognisedJson {
  kind: 'finess' | 'fhir';
  form: 'ndjson' | 'bundle' | 'finess-json';
  headerLines: 0;
  edition?: string;
}

const OPENING = /^(?:\u00ef\u00bb\u00bf)?\s*\{/;
const NEWLINE = 10;

/** Whether the first bytes are those of a JSON object. */
export function looksLikeJson(head: Buffer): boolean {
  return OPENING.test(head.subarray(0, 1024).toString('latin1'));
}

/** Recognises a JSON source by its first bytes; nothing for any other JSON. */
export function recogniseJson(head: Buffer): RecognisedJson | undefined {
  const start = head.indexOf('{');
  if (head.subarray(start).toString('utf8').split('\n').some(isResource)) return { ...FHIR, form: 'ndjson' };
  const { keys, members } = rootOf(head.subarray(start));
  const resourceType = members.get('resourceType');
  if (resourceType === 'Bundle' || (resourceType === undefined && keys.includes('entry'))) {
    return { ...FHIR, form: 'bundle' };
  }
  // A first resource larger than what was looked at.
  if (isResourceType(resourceType) && head.indexOf(NEWLINE, start) < 0) return { ...FHIR, form: 'ndjson' };
  if (!keys.some((key) => FINESS_KEYS.includes(key)) || head.includes(OTHER_FLOW)) return undefined;
  const edition = /^\d{4}-\d{2}-\d{2}/.exec(String(members.get('generatedAt')))?.[0];
  return { kind: 'finess', form: 'finess-json', headerLines: 0, ...(edition !== undefined && { edition }) };
}

const FHIR = { kind: 'fhir', headerLines: 0 } as const;
const FINESS_KEYS = ['pmej', 'gcc', 'gco'];
/** The flow of activities names the same legal entities, and nothing of them but their numbers. */
const OTHER_FLOW = '"activitesAutorisees"';

function isResourceType(value: unknown): boolean {
  return (RESOURCE_TYPES as readonly unknown[]).includes(value);
}

function isResource(line: string): boolean {
  if (!line.includes('"resourceType"')) return false;
  try {
    return isResourceType((JSON.parse(line) as { resourceType?: unknown } | null)?.resourceType);
  } catch {
    return false;
  }
}

/** Names and small values of the root object, as far as they were seen. */
function rootOf(head: Buffer): { keys: readonly string[]; members: Map<string, unknown> } {
  const splitter = createSplitter({ array: 'pmej', limit: head.length });
  const members = new Map<string, unknown>();
  try {
    for (const { key, bytes } of splitter.push(head).members) {
      if (bytes.length <= 1024) members.set(key, JSON.parse(bytes.toString('utf8')));
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof SyntaxError)) throw error;
  }
  return { keys: splitter.keys, members };
}
