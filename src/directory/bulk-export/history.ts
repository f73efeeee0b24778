// Whether all changes since a time are known, so that a copy of an earlier edition can be brought up to date.

import { fhirError, parameterError } from '#directory/errors.ts';
import type { Snapshot } from '#search-index/index.ts';

/** Milliseconds by which the clocks of clients may be ahead. */
const AHEAD = 60_000;

/**
 * Checks that all changes since a time are known. An instant of the history names the edition of a copy exactly. Any other time stands for
 * the edition before it, unless the directory went back to an earlier edition: then the copy may hold resources that this edition never had.
 * @param since milliseconds since 1970
 * @param overtaken whether a later edition is known than the current one, as after a rollback
 * @throws FhirError 410 when it is not known what changed since, 400 for a time that is still to come
 */
export async function checkHistory(
  snapshot: Snapshot,
  since: number,
  overtaken: () => Promise<boolean>,
): Promise<void> {
  const editions = (await snapshot.history()).map(({ created, apart }) => ({ at: Date.parse(created), apart }));
  if (editions.some(({ at }) => at === since)) return;
  const first = editions[0];
  if (!first || since < first.at) {
    const from = first ? ` of ${new Date(first.at).toISOString()}` : '';
    throw anew(`What was removed is known since the edition${from} only`);
  }
  const next = editions.find(({ at }) => at > since);
  if (next ? next.apart : await overtaken()) throw anew('The directory went back to an edition before that time');
  const latest = editions.at(-1)?.at ?? 0;
  if (since > Math.max(latest, Date.now()) + AHEAD) throw toCome(latest);
}

/** Refuses a time in the future: with a wrong clock, the client would miss changes without noticing. */
function toCome(latest: number) {
  const edition = `The edition here is of ${new Date(latest).toISOString()}.`;
  const remedy = 'Send the transactionTime of the export that the copy was made from.';
  return parameterError('_since', 'value', `is a time to come: is a clock wrong? ${edition} ${remedy}`);
}

function anew(reason: string) {
  return fhirError(410, 'not-found', `${reason}: export everything, without _since, and replace the copy.`, {
    parameter: '_since',
  });
}
