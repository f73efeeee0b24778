// Guard on values that belong together: in the whole file, and in runs of lines.

import type { EditionToJudge } from './measured-edition.ts';
import type { Verdict } from './verdict.ts';

export function guardPairs(_edition: EditionToJudge): Verdict[] {
  return [];
}
