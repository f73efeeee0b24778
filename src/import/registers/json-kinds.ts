// Recognises JSON sources by their first bytes: a FHIR Bundle, NDJSON of FHIR resources, or the FINESS JSON flow.

import { JSONParser } from '@streamparser/json';
import { RESOURCE_TYPES } from '#search-index/index.ts';
import { keyWord } from './bind-header.ts';

/** A recognised JSON source, as `Recognised` of `register-kinds.ts` has it. */
interface RecognisedJson {
  kind: 'finess' | 'fhir';
  form: 'ndjson' | 'bundle' | 'finess-json';
  headerLines: 0;
  edition?: string;
  schema?: string;
}

const OPENING = /^(?:\u00ef\u00bb\u00bf)?\s*\{/;
const FHIR = { kind: 'fhir', headerLines: 0 } as const;
const FINESS_MEMBERS = ['pmej', 'gcc', 'gco'];
/** The flow of activities names the same legal entities, and nothing of them but their numbers. */
const OTHER_FLOW = '"activitesAutorisees"';

/** Whether the first bytes are those of a JSON object. */
export function looksLikeJson(head: Buffer): boolean {
  return OPENING.test(head.subarray(0, 1024).toString('latin1'));
}

/** Recognises a JSON source by its first bytes; nothing for any other JSON. */
export function recogniseJson(head: Buffer): RecognisedJson | undefined {
  const json = head.subarray(head.indexOf('{'));
  const lines = json.toString('utf8').split('\n');
  if (lines.some(isResource)) return { ...FHIR, form: 'ndjson' };
  const members = rootMembers(json);
  const resourceType = members.get('resourceType');
  if (resourceType === 'Bundle' || (resourceType === undefined && members.has('entry'))) {
    return { ...FHIR, form: 'bundle' };
  }
  // A first resource larger than the bytes at hand.
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

/** What the file says about itself: at its root (schema 1.0.0), or in `metadata` (1.0.1). */
function aboutFile(members: ReadonlyMap<string, unknown>, word: string): string | undefined {
  const metadata = Object.entries(members.get('metadata') ?? {}).find(([name]) => keyWord(name) === word);
  const value = members.get(word) ?? metadata?.[1];
  return typeof value === 'string' ? value : undefined;
}

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

/** Members of the root object as far as they are in the first bytes; undefined for one that is not at its end there. */
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
