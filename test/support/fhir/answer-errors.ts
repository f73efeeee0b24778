// Validates one answer of the directory: its media type, its body as STU3 defines it, and that a refusal is an
// OperationOutcome.

import type { ReceivedAnswer } from './received-answers.ts';
import { errorsOf } from './validate.ts';
import { xmlErrors } from './xml-errors.ts';

interface Resource {
  resourceType?: string;
  id?: string;
  meta?: { versionId?: string; lastUpdated?: string };
  entry?: Entry[];
  [element: string]: unknown;
}

interface Entry {
  fullUrl?: string;
  resource?: Resource;
}

/** A function that gives the errors of an answer. Resources that came before in the same text are not looked at again. */
export function createAnswerValidator(): (answer: Omit<ReceivedAnswer, 'request' | 'digest'>) => string[] {
  const known = new Set<string>();

  const resourceErrors = (resource: Resource): string[] => {
    const errors: string[] = [];
    const light = resource.entry?.map((entry) => {
      const inner = entry.resource;
      if (!inner) return entry;
      // Two entries of a batch may read the same resource, and bdl-7 forbids equal addresses.
      if (resource['type'] !== 'batch-response') errors.push(...fullUrlErrors(entry.fullUrl, inner));
      const text = JSON.stringify(inner);
      if (!known.has(text)) {
        const found = subsetErrors(inner, errorsOf(inner));
        errors.push(...found);
        if (found.length === 0) known.add(text);
      }
      return { ...entry, resource: standIn(inner) };
    });
    return [
      ...errors,
      ...subsetErrors(resource, errorsOf(light ? { ...resource, entry: someOfEachKind(light) } : resource)),
    ];
  };

  return ({ status, mediaType, text }) => {
    if (mediaType.startsWith('application/fhir+xml')) {
      const { resource, errors } = xmlErrors(text);
      return [...errors, ...mediaTypeErrors(mediaType), ...statusErrors(status, resource), ...resourceErrors(resource)];
    }
    const lines = mediaType.startsWith('application/fhir+ndjson') ? text.split('\n').filter(Boolean) : [text];
    return [
      ...mediaTypeErrors(mediaType),
      ...lines.flatMap((line) => {
        const resource = parsed(line);
        return resource ? [...statusErrors(status, resource), ...resourceErrors(resource)] : ['no JSON'];
      }),
    ];
  };
}

/**
 * STU3 search 3.1.1.5.8 defines what `_summary` leaves, and for Organization that may be neither name nor identifier: rules of
 * the whole resource, such as org-1, are not held against one tagged SUBSETTED.
 */
function subsetErrors({ meta }: Resource, errors: string[]): string[] {
  if (!JSON.stringify(meta ?? {}).includes('"SUBSETTED"')) return errors;
  return errors.filter((error) => !/^[A-Za-z]+: [a-z]+-\d+ \(walk\)$/.test(error));
}

/** What a type requires beyond its id. */
const REQUIRED: Record<string, object> = {
  Practitioner: {},
  Organization: { name: 'x' },
  PractitionerRole: {},
  OperationOutcome: { issue: [{ severity: 'warning', code: 'value' }] },
};

/** What stands for a resource that was looked at already, so that the rules of the Bundle still see what they need. */
function standIn(resource: Resource): Resource {
  const { resourceType = '', id, meta } = resource;
  const required = REQUIRED[resourceType];
  if (!required) return resource;
  return { resourceType, ...(id !== undefined && { id }), ...(meta && { meta }), ...required };
}

/**
 * Two entries of each kind, where those are of one kind that differ in id, version and date of their resource alone, which are looked at with
 * the resource: the rules of the Bundle say the same of all of them. Entries with one address are all kept, as bdl-7 forbids them.
 */
function someOfEachKind(entries: readonly Entry[]): Entry[] {
  const byAddress = Map.groupBy(entries, ({ fullUrl }) => fullUrl);
  const seen = new Map<string, number>();
  return entries.filter((entry) => {
    const { fullUrl, resource: { id, meta, ...resource } = {} } = entry;
    if (id === undefined || fullUrl === undefined || (byAddress.get(fullUrl)?.length ?? 0) > 1) return true;
    const own = { ...resource, meta: { ...meta, versionId: '', lastUpdated: '' } };
    const kind = JSON.stringify({ ...entry, fullUrl: fullUrl.slice(0, -id.length), resource: own });
    const times = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, times);
    return times <= 2;
  });
}

function parsed(text: string): Resource | undefined {
  try {
    return JSON.parse(text) as Resource;
  } catch {
    return undefined;
  }
}

function mediaTypeErrors(mediaType: string): string[] {
  return /^application\/fhir\+(json|xml|ndjson); ?charset=utf-8$/i.test(mediaType)
    ? []
    : [`Content-Type: ${mediaType}`];
}

function statusErrors(status: number, { resourceType }: Resource): string[] {
  return status >= 400 && resourceType !== 'OperationOutcome' ? [`${status} with ${resourceType}`] : [];
}

/** STU3 Bundle.entry.fullUrl: absolute, and it ends in the type and id of its resource. */
function fullUrlErrors(fullUrl: string | undefined, { resourceType, id }: Resource): string[] {
  if (id === undefined || resourceType === 'OperationOutcome') return [];
  const fits = fullUrl !== undefined && /^https?:/.test(fullUrl) && fullUrl.endsWith(`/${resourceType}/${id}`);
  return fits ? [] : [`fullUrl ${fullUrl} of ${resourceType}/${id}`];
}
