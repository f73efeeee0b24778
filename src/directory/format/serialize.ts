// Owns the form in which an answer is given: format, `_pretty`, and the subset of a resource. Everything is stored and
// put together as JSON text; this is the only place where such text is parsed. Does not own how formats are negotiated
// (`negotiation.ts`), nor the bytes (`reply.ts`).

import { type Asked, bounded, isLenient } from '../middleware/directory-request.ts';
import { fault } from '../middleware/operation-outcome.ts';
import type { Answer } from '../middleware/send-response.ts';
import { type Pair, pairsOf, shownName } from '../search/raw-query.ts';
import { type Controls, controlled } from '../search/result-parameters.ts';
import { type Format, formatFor } from './content-negotiation.ts';
import { parsedJson } from './parsed-json.ts';
import { checkSubset, type Subset, subsetOf } from './summary-and-elements.ts';
import { xmlOf } from './xml/write-xml.ts';

export const FHIR_XML = 'application/fhir+xml; charset=utf-8';

export interface Representation {
  format: Format;
  /** With line breaks and indents. */
  pretty: boolean;
  subset?: Subset;
}

/** The stored text as it is: what nearly every request asks for. */
export const PLAIN: Representation = { format: 'json', pretty: false };

interface Wishes extends Pick<Controls, 'format' | 'pretty' | 'subset'> {
  /** `_include` and `_revinclude` of a search. */
  inclusions?: readonly unknown[];
}

/**
 * The representation that a request asks for.
 * @param type that is asked for: `_elements` names its elements
 * @throws Fault 406 for a format, 400 for a subset that cannot be had of the type
 */
export function representationFor(type: string, accept: string | undefined, wishes: Wishes): Representation {
  const { pretty = false, subset } = wishes;
  if (subset) checkSubset(type, subset, wishes.inclusions !== undefined && wishes.inclusions.length > 0);
  const format = formatFor(accept, wishes.format);
  if (format === 'json' && !pretty && !subset) return PLAIN;
  return { format, pretty, ...(subset && { subset }) };
}

/** Parameters of a request without criteria. */
const OF_READS = new Set(['_format', '_pretty', '_summary', '_elements']);

/**
 * The representation that a read asks for. A criterion is no part of it: who sends one expects that it is held.
 * @throws Fault 400, 406
 */
export function representationOfRead(type: string, asked: Asked): Representation {
  const { query } = asked;
  const other = query === '' ? undefined : pairsOf(bounded(query)).find(([name]) => !OF_READS.has(name))?.[0];
  if (other !== undefined && !isLenient(asked.req.headers.prefer))
    throw fault(
      400,
      'not-supported',
      `A read takes no ${shownName(other)}: it takes ${[...OF_READS].join(', ')}. To hold a resource against criteria, search with _id.`,
      { parameter: shownName(other) },
    );
  return representationOfDescription(type, asked);
}

/**
 * The representation that a request without criteria asks for; what it does not know is left aside.
 * @throws Fault 400, 406
 */
export function representationOfDescription(type: string, { req, query }: Asked): Representation {
  const pairs = query === '' ? [] : pairsOf(bounded(query)).filter(([name]) => OF_READS.has(name));
  const controls = controlled(pairs);
  if (controls.totalOnly)
    throw fault(400, 'value', '_summary=count counts what a search finds: a read takes true, text, data or false.', {
      parameter: '_summary',
    });
  return representationFor(type, req.headers.accept, controls);
}

/** The representation of an error: as asked for as far as that can be told, JSON otherwise. */
export function representationOfFault({ req, query, form }: Asked): Representation {
  const pairs = [...readable(form ?? ''), ...readable(query)];
  const value = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1].trim();
  const format = possible(undefined, value('_format')) ?? possible(req.headers.accept, undefined) ?? 'json';
  return { format, pretty: value('_pretty') === 'true' };
}

function readable(raw: string): readonly Pair[] {
  try {
    return pairsOf(raw);
  } catch {
    return [];
  }
}

function possible(accept: string | undefined, format: string | undefined): Format | undefined {
  if (accept === undefined && format === undefined) return undefined;
  try {
    return formatFor(accept, format);
  } catch {
    return undefined;
  }
}

/** The answer in its representation. What is no FHIR resource, and what has no body, stays as it is. */
export function represented(answer: Answer, representation: Representation): Answer {
  const { body, mediaType } = answer;
  if (representation === PLAIN || body === undefined || mediaType !== undefined) return answer;
  const { format, pretty, subset } = representation;
  const whole = parsedJson(body);
  const resource = subset ? subsetOf(whole, subset) : whole;
  if (format === 'json') return { ...answer, body: JSON.stringify(resource, null, pretty ? 2 : undefined) };
  // Browsers keep one answer for an address, and ask with its tag whether it holds even when they want the other format.
  const headers = { ...answer.headers, 'Cache-Control': 'no-store' };
  return { ...answer, body: xmlOf(resource, { pretty }), mediaType: FHIR_XML, headers };
}
