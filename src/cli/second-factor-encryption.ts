// Texts of the command `keys` about second-factor secrets: those that are stored in plain text, and those that cannot be decrypted with any
// secret that is set.

import { hygie, printNotice, Refusal } from '#shared/operator-messages.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';

const NAMED = 10;

/**
 * Prints a notice about second-factor secrets in plain text, and one about those that cannot be decrypted. Prints nothing if there are
 * neither.
 */
export function reportSecondFactors(
  { plain, closed }: Awaited<ReturnType<SecondFactors['atRest']>>,
  secrets: readonly string[],
): void {
  if (plain > 0) {
    const remedy = secrets.length > 0 ? '' : 'set HYGIE_KEY_SECRET, restart the service, and ';
    printNotice(
      `Secrets of second factors in plain text: ${plain}. Whoever reads a backup could make their codes: ` +
        `${remedy}run \`${hygie('keys encrypt')}\`.`,
    );
  }
  if (closed.length > 0) for (const reason of closedSecondFactors(closed).reasons) printNotice(reason);
}

/** Returns a `Refusal` that names the remedy and the accounts with a second-factor secret that cannot be decrypted. */
export function closedSecondFactors(accounts: readonly string[]): Refusal {
  const named = accounts.slice(0, NAMED).join(', ');
  const others = accounts.length > NAMED ? `, and ${accounts.length - NAMED} others` : '';
  return new Refusal([
    `Secrets of second factors that are encrypted with a secret that is not set: ${accounts.length}.`,
    `  Accounts: ${named}${others}`,
    '  Remedy: set HYGIE_KEY_SECRET to that secret; or, to change it, HYGIE_KEY_SECRET_OLD to that one and',
    `  HYGIE_KEY_SECRET to the new one, and run \`${hygie('keys encrypt')}\`. If it is lost:`,
    `  \`${hygie('accounts remove-second-factor ACCOUNT')}\`.`,
    '  Until then these people sign in with a recovery code.',
  ]);
}
