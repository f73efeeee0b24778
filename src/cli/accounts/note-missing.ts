// Notes which of the given ids the loaded directory does not hold. They are not refused: the edition that holds them may be on its way.

import { printNotice } from '#shared/print-notice.ts';
import type { People } from './account-actions.ts';
import type { References } from './directory-references.ts';

const NAMED = 10;

/** One line for each, ten at most. */
export async function noteMissing(accounts: People, references: References): Promise<void> {
  const missing = await accounts.missingInDirectory(references);
  for (const reference of missing.slice(0, NAMED)) printNotice(`Note: the directory has no ${reference}`);
  if (missing.length > NAMED) printNotice(`Note: nor ${missing.length - NAMED} others that were given`);
}
