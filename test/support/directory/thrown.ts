// The error that a part of the directory throws, as a client sees it.

import type { FhirError } from '#directory/errors.ts';

/** The error that `call` throws; undefined if it throws none. */
export function thrownBy(call: () => unknown): FhirError | undefined {
  try {
    call();
  } catch (error) {
    return error as FhirError;
  }
  return undefined;
}
