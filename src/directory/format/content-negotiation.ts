// Chooses the format of a response. `_format` takes precedence over the header Accept. JSON is the default. If only other formats are
// accepted, the request is refused with 406.

import { fhirError } from '#directory/errors.ts';

export type Format = 'json' | 'xml';

/** The media types of each format. DSTU2 writes `+fhir` at the end, and older clients still send this. */
const TYPES: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/fhir+json', 'application/json', 'application/json+fhir', 'text/json'],
  xml: ['application/fhir+xml', 'application/xml', 'application/xml+fhir', 'text/xml'],
};

/** The media type with which a response in each format is sent. */
const SENT: Readonly<Record<Format, string>> = { json: 'application/fhir+json', xml: 'application/fhir+xml' };

/**
 * Matches a quality value (RFC 9110 section 12.4.2). Also matches the form `.2`, which Java's HTTP client sends. A quality in any other
 * form is taken for 0.
 */
const QUALITY = /^(0(\.\d{0,3})?|\.\d{1,3}|1(\.0{0,3})?)$/;

/** The format that each value of `_format` names. */
const NAMED = new Map<string, Format>([
  ...TYPES.json.map((type) => [type, 'json'] as const),
  ...TYPES.xml.map((type) => [type, 'xml'] as const),
  ['json', 'json'],
  ['xml', 'xml'],
]);

/** The names of the formats in the CapabilityStatement. */
export const FORMATS: readonly string[] = ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'];

/**
 * Chooses the format that the client prefers.
 * @param format the decoded value of `_format`. A `+` in it may have become a blank.
 * @throws FhirError 406 if the client accepts no format that is offered
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
    'The directory answers in FHIR STU3 (fhirVersion=3.0), as application/fhir+json (_format=json) or application/fhir+xml (_format=xml): ask for one of them, or leave Accept and _format out.',
    parameter === undefined ? {} : { parameter },
  );
}

/**
 * Finds the format that the header Accept prefers (RFC 9110 section 12.5.1). If several ranges cover a media type, the most specific one
 * gives the quality of the type. A type with the quality 0 is excluded. Returns undefined if no format is left.
 */
function acceptedFormat(accept: string): Format | undefined {
  const quality = new Map<string, number>();
  for (const range of accept.split(',')) {
    if (isStu3(range)) quality.set(mediaType(range), qualityIn(range));
  }
  const json = qualityOf('json', quality);
  // Browsers prefer XML to all formats except HTML. They still get JSON, because they show it just as well.
  const xml = qualityOf('xml', quality);
  const page = quality.get('text/html') ?? 0;
  if (json > 0 && page >= xml && page > 0 && !isNamed('json', quality) && !quality.has(SENT.xml)) return 'json';
  if (xml > json) return 'xml';
  if (json === 0) return undefined;
  return xml === json && isNamed('xml', quality) && !isNamed('json', quality) ? 'xml' : 'json';
}

/** Returns the quality value of a range of `Accept`. A range without one has the quality 1. */
function qualityIn(range: string): number {
  const q = /;\s*q\s*=\s*([^\s;]*)/i.exec(range)?.[1];
  if (q === undefined) return 1;
  return QUALITY.test(q) ? Number(q) : 0;
}

function isNamed(format: Format, quality: ReadonlyMap<string, number>): boolean {
  return TYPES[format].some((type) => quality.has(type));
}

/**
 * Returns the quality that the client gives to a format: the quality of the media type with which it would be sent, or else of another
 * media type of the format, or else of a range that covers the format. Returns 0 if the client names none of these.
 */
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

/**
 * Checks that a media range asks for STU3, or names no FHIR version. Clients of later versions name their version in the parameter
 * `fhirVersion`.
 */
function isStu3(range: string): boolean {
  const version = /;\s*fhirVersion\s*=\s*"?([\w.]+)/i.exec(range)?.[1];
  return version === undefined || /^3\.0(\.\d+)?$/.test(version);
}
