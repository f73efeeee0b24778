// Guard on a first load of a whole country, whose professions are held against the published figures.

import type { EditionToJudge } from './measured-edition.ts';
import type { Verdict } from './verdict.ts';

export function guardNational(_edition: EditionToJudge): Verdict[] {
  return [];
}
