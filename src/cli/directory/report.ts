// `directory report`: writes a page on the quality of the edition in force. It is meant for the organization that keeps the register.

import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { action, flag, option, type Values } from '#cli/support/command.ts';
import { json } from '#cli/support/output.ts';
import type { KeptReport } from '#import/judgement/import-report.ts';
import type { Snapshot } from '#search-index/index.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { listCorrections } from '#store/snapshots/corrections.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { judgementOf } from '#store/snapshots/judgements.ts';
import { findSnapshot, readPointer } from '#store/snapshots/registry.ts';
import { hiddenNames, qualityPage, qualityText } from './quality-page.ts';

const OPTIONS = {
  out: option('FILE', 'The file that is written. Only the account that runs the command can read it.', {
    required: true,
  }),
  json: flag('Writes the page as JSON, with all lists in full.'),
} as const;

export const reportAction = action({
  summary: 'Writes a page on the quality of the current edition, for the keeper of the register',
  options: OPTIONS,
  text: 'The page has counts by profession and department, doubtful records with the reason, duplicate people, people without a place of work, mailboxes that do not fit their owner, and how far the registers agree, each beside the edition before. The lists leave out what corrections hide. The page names people: protect it like the register itself.',
  run: report,
});

async function report({ out = '', json: asJson }: Values<typeof OPTIONS>): Promise<void> {
  const page = await withCurrentDatabase(async (database, { dataFolder }) => {
    const { current = '', previous = '' } = await readPointer(database);
    const entry = await findSnapshot(database, current);
    if (!entry) throw new Refusal(`The directory is empty. Import an edition: ${hygie('directory import PATH...')}`);
    const [now, before] = [await keptReport(database, current), await keptReport(database, previous)];
    const corrections = await listCorrections(database);
    const { quality } = now ?? {};
    const made = await readSnapshot(entry, dataFolder, async (snapshot) => {
      if (!now || !quality) return undefined;
      return await qualityPage({
        edition: { snapshot: entry.id, loaded: entry.createdAt.toISOString() },
        now: { ...now, quality },
        before: before?.quality,
        hidden: await hiddenNames(snapshot, corrections),
        nameOf: (number) => nameIn(snapshot, number),
      });
    });
    if (made) return made;
    throw new Refusal(
      `An earlier release has imported the current edition, or its file is not here: import it once more (${hygie('directory import PATH...')}).`,
    );
  });
  writeWhole(out, asJson ? json(page) : qualityText(page));
  process.stderr.write(`${out} is written.\n`);
}

async function keptReport(database: Database, snapshot: string): Promise<KeptReport | undefined> {
  const kept = await judgementOf(database, snapshot);
  return kept && (JSON.parse(kept.report) as KeptReport);
}

async function nameIn(snapshot: Snapshot, number: string): Promise<string> {
  const { name } = JSON.parse((await snapshot.read('Practitioner', number))?.json ?? '{}');
  return [name?.[0]?.family, ...(name?.[0]?.given ?? [])].filter(Boolean).join(' ');
}

/** Writes the file under another name and then renames it, so that nobody finds half of it. Only the owner of the file can read it. */
function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished);
    throw new Refusal(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
