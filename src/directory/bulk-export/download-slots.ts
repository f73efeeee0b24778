// Limits how many files of exports a client downloads at a time (SEC-58). The setting `directory.downloads` gives the number; `limits.ts`
// has the default. One person can take only a part of the client's downloads (`shared/shared-budget.ts`).

import { refusalForNow } from '#directory/errors.ts';
import { type ActiveToken, callerOf, personOf } from '#directory/middleware/authenticate.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { SharedBudget } from '#shared/shared-budget.ts';

/** @param most files that one client may download at a time; the people who use the client share them */
export function createDownloadSlots(most: number) {
  const budgets = new Map<string, SharedBudget>();
  return {
    /** Takes a slot and returns the function that frees it. A second call of that function does nothing. Throws FhirError 429. */
    take(token: ActiveToken): () => void {
      const caller = callerOf(token);
      const person = personOf(token);
      const budget = budgets.get(caller) ?? new SharedBudget();
      const full = budget.take(most, person);
      if (full) {
        limitReached('export-downloads');
        const share = full === 'share' ? ', and one person no more than are left for others' : '';
        const text = `Not more than ${most} files of an export at a time${share}: wait until one has ended.`;
        throw refusalForNow(429, 5, text);
      }
      budgets.set(caller, budget);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        budget.giveBack(person);
        if (budget.unused) budgets.delete(caller);
      };
    },
  };
}
