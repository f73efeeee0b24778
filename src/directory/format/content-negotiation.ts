// Chooses the format: `_format` beats Accept, JSON is the default, 406 for anything else.

import { fhirError } from '#directory/errors.ts';

export type Format = 'json' | 'xml';

/** Names of each format. `+fhir` is DSTU2's spelling, which older clients still send. */
const TYPES: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/fhir+json', 'application/json', 'application/json+fhir', 'text/json'],
  xml: ['application/fhir+xml', 'application/xml', 'application/xml+fhir', 'text/xml'],
};

/** The media type with which each format is sent. */
const SENT: Readonly<Record<Format, string>> = { json: 'application/fhir+json', xml: 'application/fhir+xml' };

/** A quality (RFC 9110 section 12.4.2), also in the form `.2` of the HTTP client of Java. Any other form counts as quality 0. */
const QUALITY = /^(0(\.\d{0,3})?|\.\d{1,3}|1(\.0{0,3})?)$/;

/** The format by its names in `_format`, and by the most usual `Accept`. */
const NAMED = new Map<string, Format>([
  ...TYPES.json.map((type) => [type, 'json'] as const),
  ...TYPES.xml.map((type) => [type, 'xml'] as const),
  ['json', 'json'],
  ['xml', 'xml'],
]);

/** Formats as the CapabilityStatement names them. */
export const FORMATS: readonly string[] = ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'];

/**
 * The format that the client wants most.
 * @param format `_format` as decoded from the query: a `+` may have become a blank
 * @throws FhirError 406
 */
export function formatFor(accept: string | undefined, format: string | undefined): Format {
  if (format !== undefined) {
    const named = isStu3(format) ? NAMED.get(mediaType(format).replaceAll(' ', '+')) : undefined;
    if (named) return named;
    throw notAcceptable('_format');
  }
  if (!accept || accept === '*/*' || accept === 'application/fhir+json') return 'json';
  const accepted = acceptedFormat(accept);
  if (accepted) return accepted;
  throw notAcceptable();
}

function notAcceptable(parameter?: string) {
  return fhirError(
    406,
    'not-supported',
    'The directory answers in application/fhir+json (_format=json) and application/fhir+xml (_format=xml): ask for one of them, or leave Accept and _format out.',
    parameter === undefined ? {} : { parameter },
  );
}

/** RFC 9110 section 12.5.1: the most specific range that covers a type decides; quality 0 excludes it. */
function acceptedFormat(accept: string): Format | undefined {
  const quality = new Map<string, number>();
  for (const range of accept.split(',')) {
    if (!isStu3(range)) continue;
    const q = /;\s*q\s*=\s*([^\s;]*)/i.exec(range)?.[1];
    quality.set(mediaType(range), q === undefined ? 1 : QUALITY.test(q) ? Number(q) : 0);
  }
  const json = qualityOf('json', quality);
  // A browser prefers XML to everything but pages, and shows JSON just as well.
  const xml = qualityOf('xml', quality);
  const page = quality.get('text/html') ?? 0;
  if (json > 0 && page >= xml && page > 0 && !isNamed('json', quality) && !quality.has(SENT.xml)) return 'json';
  if (xml > json) return 'xml';
  if (json === 0) return undefined;
  return xml === json && isNamed('xml', quality) && !isNamed('json', quality) ? 'xml' : 'json';
}

function isNamed(format: Format, quality: ReadonlyMap<string, number>): boolean {
  return TYPES[format].some((type) => quality.has(type));
}

/** The quality of the type that would be sent, else its other spellings, else the ranges that it lies in. */
function qualityOf(format: Format, quality: ReadonlyMap<string, number>): number {
  const sent = quality.get(SENT[format]);
  if (sent !== undefined) return sent;
  const named = TYPES[format].flatMap((type) => quality.get(type) ?? []);
  if (named.length > 0) return Math.max(...named);
  return quality.get('application/*') ?? quality.get('*/*') ?? 0;
}

function mediaType(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** `fhirVersion` is the parameter in which clients of later versions name the version that they can read. */
function isStu3(range: string): boolean {
  const version = /;\s*fhirVersion\s*=\s*"?([\w.]+)/i.exec(range)?.[1];
  return version === undefined || /^3\.0(\.\d+)?$/.test(version);
}
