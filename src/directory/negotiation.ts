// Owns the choice of the media type: `_format` beats Accept, JSON is what there is.
// Does not own the headers of the answer (`reply.ts`).

import { fault } from './outcome.ts';

/** What a client may call JSON, shortest first; DSTU2's spelling is still sent by older clients. */
const JSON_TYPES = ['application/fhir+json', 'application/json', 'application/json+fhir', 'text/json'];

/** Formats as the CapabilityStatement names them. */
export const FORMATS: readonly string[] = ['application/fhir+json', 'json'];

/**
 * Checks that the client takes what the directory serves.
 * @param format `_format` as decoded from the query: a `+` may have become a blank on the way
 * @throws Fault 406
 */
export function negotiate(accept: string | undefined, format: string | undefined): void {
  if (format !== undefined) {
    const type = mediaType(format).replaceAll(' ', '+');
    if (type === 'json' || JSON_TYPES.includes(type)) return;
    throw notAcceptable('_format');
  }
  if (accept === undefined || accept === '*/*' || accept === 'application/fhir+json') return;
  if (!acceptsJson(accept)) throw notAcceptable();
}

function notAcceptable(parameter?: string) {
  return fault(
    406,
    'not-supported',
    'The directory answers in application/fhir+json (_format=json): ask for that, or leave Accept and _format out.',
    parameter === undefined ? {} : { parameter },
  );
}

/** RFC 9110 section 12.5.1: the most specific range that covers a type decides; quality 0 excludes it. */
function acceptsJson(accept: string): boolean {
  const quality = new Map<string, number>();
  for (const range of accept.split(',')) {
    const q = /;\s*q\s*=\s*([\d.]+)/i.exec(range)?.[1];
    quality.set(mediaType(range), q === undefined ? 1 : Number(q));
  }
  const all = quality.get('*/*') ?? 0;
  return JSON_TYPES.some((type) => {
    const family = `${type.slice(0, type.indexOf('/'))}/*`;
    return (quality.get(type) ?? quality.get(family) ?? all) > 0;
  });
}

function mediaType(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}
