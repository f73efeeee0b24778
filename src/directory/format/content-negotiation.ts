// Chooses the format of a response. `_format` takes precedence over the header Accept. JSON is the default. Other formats are refused with
// 406.

import { fhirError } from '#directory/errors.ts';

export type Format = 'json' | 'xml';

/** The names of each format. `+fhir` is the spelling of DSTU2, which older clients still send. */
const TYPES: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/fhir+json', 'application/json', 'application/json+fhir', 'text/json'],
  xml: ['application/fhir+xml', 'application/xml', 'application/xml+fhir', 'text/xml'],
};

/** The media type of a response in each format. */
const SENT: Readonly<Record<Format, string>> = { json: 'application/fhir+json', xml: 'application/fhir+xml' };

/**
 * Matches a quality (RFC 9110 section 12.4.2), also the form `.2` that Java's HTTP client sends. A quality of any other form counts as 0.
 */
const QUALITY = /^(0(\.\d{0,3})?|\.\d{1,3}|1(\.0{0,3})?)$/;

/** The format for each name that `_format` takes, and for the most common values of the header Accept. */
const NAMED = new Map<string, Format>([
  ...TYPES.json.map((type) => [type, 'json'] as const),
  ...TYPES.xml.map((type) => [type, 'xml'] as const),
  ['json', 'json'],
  ['xml', 'xml'],
]);

/** The formats as the CapabilityStatement lists them. */
export const FORMATS: readonly string[] = ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'];

/**
 * Chooses the format that the client prefers.
 * @param format the decoded value of `_format`; a `+` in it may have become a blank
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

/**
 * Finds the format by the header Accept (RFC 9110 section 12.5.1). The most specific range that covers a type gives its quality; quality 0
 * excludes the type.
 */
function acceptedFormat(accept: string): Format | undefined {
  const quality = new Map<string, number>();
  for (const range of accept.split(',')) {
    if (!isStu3(range)) continue;
    const q = /;\s*q\s*=\s*([^\s;]*)/i.exec(range)?.[1];
    quality.set(mediaType(range), q === undefined ? 1 : QUALITY.test(q) ? Number(q) : 0);
  }
  const json = qualityOf('json', quality);
  // Browsers prefer XML to everything except HTML. They get JSON all the same, because they show it just as well.
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

/**
 * The quality of the media type in which the format would be sent. If the client does not name this type, this is the quality of another
 * spelling of the format, or else that of a range that covers the format.
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
 * Checks that a range asks for STU3 or for no particular version. Clients of later versions name the version that they can read in the
 * parameter `fhirVersion`.
 */
function isStu3(range: string): boolean {
  const version = /;\s*fhirVersion\s*=\s*"?([\w.]+)/i.exec(range)?.[1];
  return version === undefined || /^3\.0(\.\d+)?$/.test(version);
}
