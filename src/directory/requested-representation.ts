// The representation (format, `_pretty`, `_summary`, `_elements`) of responses to requests that have no search criteria: reads, the
// CapabilityStatement, batches. Searches parse these parameters together with their other result parameters.

import { fhirError, shownName } from '#directory/errors.ts';
import { type Representation, representationFor } from '#directory/format/serialize.ts';
import type { DirectoryRequest } from '#directory/middleware/interaction.ts';
import { isLenient, parseQuery, rawQuery } from '#directory/middleware/raw-query.ts';
import { parseResultParameters } from './search/result-parameters.ts';

/** The parameters that a request without criteria may have. */
const OF_READS = new Set(['_format', '_pretty', '_summary', '_elements']);

/** The name of the first parameter in the address that is not about the representation. */
export function criterionOf(req: Pick<DirectoryRequest, 'url'>): string | undefined {
  return parseQuery(rawQuery(req)).find(([name]) => !OF_READS.has(name))?.[0];
}

/**
 * The representation that a read asks for. A read with a search criterion is refused, because a read cannot apply the criterion, while the
 * client expects it to be applied.
 * @throws FhirError 400, 406
 */
export function representationOfRead(type: string, req: DirectoryRequest): Representation {
  const other = criterionOf(req);
  if (other !== undefined && !isLenient(req))
    throw fhirError(
      400,
      'not-supported',
      `A read takes no ${shownName(other)}: it takes ${[...OF_READS].join(', ')}. To hold a resource against criteria, search with _id.`,
      { parameter: shownName(other) },
    );
  return representationOfDescription(type, req);
}

/**
 * The representation that a request without criteria asks for. Unknown parameters are ignored.
 * @throws FhirError 400, 406
 */
export function representationOfDescription(type: string, req: DirectoryRequest): Representation {
  const parameters = parseResultParameters(parseQuery(rawQuery(req)).filter(([name]) => OF_READS.has(name)));
  if (parameters.totalOnly)
    throw fhirError(
      400,
      'value',
      '_summary=count counts what a search finds: a read takes true, text, data or false.',
      {
        parameter: '_summary',
      },
    );
  return representationFor(type, req.headers.accept, parameters);
}
