// `audit verify`: verifies the chain of the audit trail, in the database or in an exported file, and names every fault.
// `store/audit/verify-trail.ts` follows the chain.

import { action, flag, option, type Values } from '#cli/support/command.ts';
import { loadSettings } from '#config/index.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { printNotice, UsageError } from '#shared/operator-messages.ts';
import { type ChainHead, headText, parseHead } from '#store/audit/audit-chain.ts';
import { type ChainFault, type FollowedChain, type VerifiedTrail, verifyTrail } from '#store/audit/verify-trail.ts';
import { verifyFile } from './export.ts';

/** Maximum number of faults that are printed as text. `--json` prints all. */
const MOST_PRINTED = 50;

const OPTIONS = {
  head: option('N:DIGEST', 'Head that was kept elsewhere. The command also finds what was cut off or rewritten since.'),
  json: flag('Prints one JSON object, with all faults.'),
} as const;

export const verifyAction = action({
  summary: 'Follows the chain of the records, and names what was changed, removed, inserted or moved',
  args: { '[FILE]': 'Output of `audit export`. Default: the database.' },
  options: OPTIONS,
  text: 'Each record has the digest of its content and of the record before. The head of the chain is number and digest of the last record: the command prints it, and the log has it ("audit head"). Exit code 1 if the chain does not hold.',
  run: verify,
});

async function verify(values: Values<typeof OPTIONS>, [file]: readonly string[]): Promise<number> {
  const known = values.head === undefined ? undefined : headOf(values.head);
  const found = file === undefined ? await inDatabase(known) : await inFile(file, known);
  const { faults, first, last, ...counts } = found;
  if (values.json) {
    const head = last && headText(last);
    process.stdout.write(`${JSON.stringify({ intact: faults.length === 0, head, first, last, ...counts, faults })}\n`);
  } else {
    process.stdout.write(`${lines(found).join('\n')}\n`);
    for (const notice of notices(found, known, file)) printNotice(notice);
  }
  return faults.length === 0 ? 0 : 1;
}

/**
 * Parses the head of the chain, which is the number and the digest of a record: `12345:DIGEST`. Throws a `UsageError` for any other text.
 */
function headOf(text: string): ChainHead {
  const head = parseHead(text);
  if (head) return head;
  throw new UsageError('--head is a number and a digest, 12345:DIGEST, as audit verify and the log print them.');
}

function inDatabase(known: ChainHead | undefined): Promise<VerifiedTrail> {
  return withCurrentDatabase(async (database, { keys }) => verifyTrail(database, await openSeals(keys.secrets), known));
}

async function inFile(file: string, known: ChainHead | undefined): Promise<FollowedChain> {
  const { keys } = await loadSettings(process.env);
  return verifyFile(file, await openSeals(keys.secrets), known);
}

function lines({ faults, records, first, last }: FollowedChain): string[] {
  const span = first && last ? `, ${first.sequence} to ${last.sequence}` : '';
  if (faults.length === 0) {
    return [
      `The chain holds: each record follows from the one before. Records: ${records}${span}.`,
      ...(last ? [`Head: ${headText(last)}`] : []),
    ];
  }
  const more = faults.length - MOST_PRINTED;
  return [
    ...faults.slice(0, MOST_PRINTED).map(faultLine),
    ...(more > 0 ? [`... and ${more} more: --json prints all`] : []),
    `The chain does not hold. Faults: ${faults.length}; records: ${records}${span}.`,
  ];
}

function faultLine({ sequence, id, time, event, problem }: ChainFault): string {
  const about = [id === undefined ? [] : `id ${id}`, time ?? [], event ?? []].flat().join(', ');
  const name = sequence === undefined ? 'record' : `record ${sequence}`;
  return `${name}${about && ` (${about})`}: ${problem}`;
}

/** Explains the limits of the check: which changes the chain cannot reveal, and what could not be checked. */
function notices(found: FollowedChain & Partial<VerifiedTrail>, known: ChainHead | undefined, file?: string): string[] {
  const { unsealed, unsealedUntil, unchecked, first, matched, pruned } = found;
  const all: string[] = [];
  if (pruned && pruned.sequence > 0) all.push(`Records up to ${pruned.sequence} were removed after audit.keep.`);
  if (file !== undefined && first && first.sequence > 1) {
    all.push(
      `The file begins with record ${first.sequence}. It names the last digest of the file before, which has the earlier records.`,
    );
  }
  if (known && !matched && found.faults.length === 0) {
    all.push(`Record ${known.sequence} is not here any more: it could not be compared with --head.`);
  }
  if (unsealed > 0 && first) {
    const until = first.sequence + unsealed - 1;
    all.push(
      `Records up to ${until} (${unsealedUntil}) have no seal. If HYGIE_KEY_SECRET was set by then, somebody has taken the seals ` +
        'away in the database. If it was not, only a head kept elsewhere shows changes.',
    );
  }
  if (unchecked > 0)
    all.push(
      `Seals of ${unchecked} records were not checked: the secret that sealed them is not set.` +
        (found.sealed > 0
          ? ' Sealed records follow, so nobody has changed them since the secret was changed; HYGIE_KEY_SECRET_OLD tells more.'
          : ''),
    );
  if (!known) {
    all.push(
      'Only --head, with a head kept elsewhere, can tell whether records at the end were removed together with the head.',
    );
  }
  return all;
}
