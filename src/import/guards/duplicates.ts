// Guards on people who stand in the edition twice, who do not exist, and on what too many people share.

import type { EditionToJudge } from './measured-edition.ts';
import type { Verdict } from './verdict.ts';

export function guardDuplicates(_edition: EditionToJudge): Verdict[] {
  return [];
}

export function guardTestNames(_edition: EditionToJudge): Verdict[] {
  return [];
}

export function guardOneForMany(_edition: EditionToJudge): Verdict[] {
  return [];
}
