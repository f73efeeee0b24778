// What has become of the records that sign-in accounts are linked to, in lines for a reader.

import { grouped } from '#cli/support/progress.ts';
import type { LinkedAccountsReport } from '#import/judgement/linked-accounts.ts';
import type { LinkCounts } from '#server/linked-accounts/compare-links.ts';
import { hygie } from '#shared/hygie-command.ts';

const MEANINGS = [
  ['other', 'of another person or structure now'],
  ['left', 'whose record left the directory'],
  ['missing', 'whose record was never in it'],
] as const;

/** For a report of an import: nothing where all links hold, and none of them did not. */
export function linkedAccountsLines({ changed, ...counts }: LinkedAccountsReport, loaded: boolean): string[] {
  const texts = [unlinkedText(counts)];
  if (changed.held > 0)
    texts.push(`${grouped(changed.held)} ${changed.held === 1 ? 'link holds' : 'links hold'} again`);
  return texts
    .filter(Boolean)
    .flatMap((text) => ['', `  Sign-in accounts${loaded ? '' : ', with this edition'}: ${text}`]);
}

/** For `directory status`: one line where links do not hold, one more where nobody has looked. */
export function linkedAccountsText({ compared, ...counts }: LinkCounts & { compared: boolean }): string {
  const text = unlinkedText(counts);
  const lines = text === '' ? [] : [text];
  if (!compared) lines.push('not compared with this edition; the next import does that, of the same files too');
  return lines.map((line) => `sign-in accounts: ${line}\n`).join('');
}

function unlinkedText(counts: LinkCounts): string {
  const parts = MEANINGS.flatMap(([kind, meaning]) =>
    counts[kind] > 0 ? [`${grouped(counts[kind])} ${meaning}`] : [],
  );
  if (parts.length === 0) return '';
  const all = MEANINGS.reduce((sum, [kind]) => sum + counts[kind], 0);
  const links = `${grouped(all)} ${all === 1 ? 'link does' : 'links do'} not hold`;
  return `${links} (${parts.join(', ')}): ${hygie('accounts list --unlinked')}`;
}
