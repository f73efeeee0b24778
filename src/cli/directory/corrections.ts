// `directory corrections`: lists the corrections by which the operator hides data, and says which of them a newer edition of the register
// has made unnecessary.

import { action, flag } from '#cli/support/command.ts';
import { columns, JSON_OPTION, json } from '#cli/support/output.ts';
import type { Settings } from '#config/settings.ts';
import { hidesSomething } from '#directory/corrections/affected.ts';
import { createRecordLabels } from '#directory/resources/record-names.ts';
import type { ResourceType, Snapshot } from '#search-index/index.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { hygie } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { type Correction, listCorrections } from '#store/snapshots/corrections.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';

export const correctionsAction = action({
  summary: 'Lists corrections, and the faults that the register has mended meanwhile',
  options: { all: flag('Also lists corrections that have ended.'), json: JSON_OPTION },
  text: 'A correction is mended if the edition in force no longer holds the hidden data. It stays in force until you end it, because a rollback may bring the data back.',
  run: ({ all = false, json: asJson = false }) =>
    withCurrentDatabase(async (database, settings) => {
      const listed = (await describedCorrections(database, settings)).filter(({ endedAt }) => all || !endedAt);
      process.stdout.write(asJson ? json(listed) : table(listed));
    }),
});

interface DescribedCorrection extends Correction {
  /** Name of the person or structure in the edition in force. */
  name?: string;
  state: 'in force' | 'mended' | 'expired' | 'ended';
}

/** Describes all corrections, compared with the edition in force. */
export async function describedCorrections(
  database: Database,
  { dataFolder }: Pick<Settings, 'dataFolder'>,
): Promise<DescribedCorrection[]> {
  // This function also runs after a successful import. If the database is away for a moment, it waits, because an error would make the
  // import look failed.
  const all = await outlastFailOver(database, () => listCorrections(database));
  const described = (snapshot?: Snapshot) => Promise.all(all.map((one) => describe(one, snapshot)));
  if (all.length === 0) return [];
  const current = await outlastFailOver(database, () => findCurrentSnapshot(database));
  return (await readSnapshot(current, dataFolder, described)) ?? described();
}

async function describe(correction: Correction, snapshot: Snapshot | undefined): Promise<DescribedCorrection> {
  const [type = '', id = ''] = correction.record.split('/');
  const { name } = await createRecordLabels({ current: () => snapshot })(type as 'Practitioner' | 'Organization', id);
  const found = await snapshot?.read(type as ResourceType, id);
  const mended = snapshot !== undefined && !(found && hidesSomething(found.json, correction));
  return { ...correction, ...(name !== undefined && { name }), state: stateOf(correction, mended) };
}

function stateOf({ endedAt, endedBy }: Correction, mended: boolean): DescribedCorrection['state'] {
  if (endedAt) return endedBy === undefined ? 'expired' : 'ended';
  return mended ? 'mended' : 'in force';
}

function table(listed: readonly DescribedCorrection[]): string {
  const day = (date: Date | undefined) => date?.toISOString().slice(0, 16) ?? '';
  const rows = listed.map(({ id, state, record, name = '', what, value = '', madeAt, endsAt, madeBy, reason }) => [
    String(id),
    state,
    record,
    name,
    what,
    value || (what === 'record' ? '' : 'all'),
    day(madeAt),
    day(endsAt),
    madeBy,
    reason,
  ]);
  const head = ['id', 'state', 'record', 'name', 'hidden', 'value', 'since', 'ends', 'by', 'reason'];
  return columns(head, rows) + mendedText(listed);
}

/**
 * Returns one line with the number of corrections that the edition in force has made unnecessary. Returns an empty text if there are none.
 */
export function mendedText(corrections: readonly DescribedCorrection[]): string {
  const { length } = corrections.filter(({ state }) => state === 'mended');
  if (length === 0) return '';
  const are = length === 1 ? 'correction is' : 'corrections are';
  return `${length} ${are} mended by the edition in force (${hygie('directory corrections')}). To end what is mended: ${hygie('directory correct --end mended')}\n`;
}
