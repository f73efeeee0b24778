// `directory status`: lists the snapshots, with age, counts, registers and size. `cli/support/instances-text.ts` describes the instances.

import { action } from '#cli/support/command.ts';
import { describeInstances } from '#cli/support/instances-text.ts';
import { JSON_OPTION, json } from '#cli/support/output.ts';
import { grouped } from '#cli/support/progress.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { Judgement } from '#import/judgement/reported-judgement.ts';
import { RESOURCE_TYPES } from '#search-index/index.ts';
import { countChangedLinks } from '#server/linked-accounts/linked-accounts.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { printableLines } from '#shared/log/printable.ts';
import { hygie } from '#shared/operator-messages.ts';
import { openInstances } from '#store/instances.ts';
import { distributionFor } from '#store/snapshots/distribution.ts';
import { hasOtherLayout, lacksFile } from '#store/snapshots/folder.ts';
import { judgementOf, type KeptJudgement, lastRefusal } from '#store/snapshots/judgements.ts';
import { listSnapshots, readPointer, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { describeContent, describeRegisters, describeVerdict, ifMeant, linkedAccountsText } from './report-text.ts';

/** The states of a snapshot, in the order in which they are shown. */
const STATES = ['current', 'previous', 'kept'] as const;
type State = (typeof STATES)[number];
const MEANING: Readonly<Record<State, string>> = {
  current: 'served, ',
  previous: 'rollback switches to it, ',
  kept: '',
};

export const statusAction = action({
  summary:
    'Shows age, counts, registers and size of the snapshots, how the current one was judged, and which instance serves which',
  options: { json: JSON_OPTION },
  text: 'The current snapshot is served, rollback switches to the previous one, and others are kept. Also says why a newer edition was refused, and how many links of accounts do not hold.',
  run: status,
});

async function status(values: { json?: boolean | undefined }): Promise<void> {
  return withCurrentDatabase(async (database, settings) => {
    const { dataFolder } = settings;
    const { current, previous, changedAt } = await readPointer(database);
    const stateOf = (id: string): State => {
      if (id === current) return 'current';
      return id === previous ? 'previous' : 'kept';
    };
    const distribution = distributionFor(database, settings);
    const entries = await listSnapshots(database);
    const missing = entries.filter((entry) => lacksFile(entry, dataFolder));
    const stored = await Promise.all(missing.map(async (entry) => (await distribution?.state(entry)) === 'stored'));
    const snapshots = entries.map((entry) => ({
      ...entry,
      state: stateOf(entry.id),
      ...(missing.includes(entry) && { fileMissing: true }),
      ...(stored[missing.indexOf(entry)] && { fetchable: true }),
      ...(hasOtherLayout(entry, dataFolder) && { otherLayout: true }),
      ageSeconds: Math.max(0, Math.round((Date.now() - entry.createdAt.getTime()) / 1000)),
    }));
    const judgement = current === undefined ? undefined : judgementIn(await judgementOf(database, current));
    const refusal = await lastRefusal(database);
    const instances = await openInstances(database).list();
    const lines = STATES.flatMap((state) => snapshots.filter((one) => one.state === state)).map((one) =>
      describeSnapshot(one, one.state === 'current' && judgement !== undefined),
    );
    const compared = snapshots.find(({ state }) => state === 'current')?.linksComparedAt !== undefined;
    const linkedAccounts = { compared, ...(await countChangedLinks(database, current)) };
    const text = [
      ...(lines.length > 0
        ? lines
        : [`The directory is empty. Import an edition: ${hygie('directory import PATH...')}`]),
      ...(judgement ? ['', ...describeCurrent(judgement)] : []),
      ...(refusal ? ['', ...describeRefusal(refusal)] : []),
      ...describeInstances(instances, current),
    ].join('\n');
    const report = {
      current: current ?? null,
      previous: previous ?? null,
      changedAt: changedAt ?? null,
      snapshots,
      judgement: judgement ?? null,
      refused: refusal ? { at: refusal.madeAt, judgement: judgementIn(refusal) } : null,
      linkedAccounts,
      instances,
    };
    const about = current === undefined ? '' : linkedAccountsText(linkedAccounts);
    process.stdout.write(values.json ? json(report) : printableLines(`${text}\n${about}`));
  });
}

function judgementIn(kept: KeptJudgement | undefined): Judgement | undefined {
  return kept && (JSON.parse(kept.report) as ImportReport).judgement;
}

/** Describes the edition that is served. */
function describeCurrent(judgement: Judgement): string[] {
  const [verdict, ...reasons] = describeVerdict(judgement);
  const rest = ['', ...describeRegisters(judgement), '', ...describeContent(judgement)];
  return [`The current one. ${verdict}`, ...reasons, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
}

/** Describes why the newest edition was refused. */
function describeRefusal(refusal: KeptJudgement): string[] {
  const { reasons = [], acceptedBy } = judgementIn(refusal) ?? {};
  return [
    `The last edition was refused on ${refusal.madeAt.toISOString()}:`,
    ...reasons.map((reason) => `  ${reason}`),
    ...(acceptedBy === undefined ? [] : [`  ${ifMeant(acceptedBy)}`]),
  ];
}

interface ListedSnapshot extends SnapshotEntry {
  state: State;
  ageSeconds: number;
  /** True if this data folder lacks the file of the snapshot, for example after the restore of a backup without the directory snapshots. */
  fileMissing?: boolean;
  /** True if the file is missing and an instance that starts here fetches it from the database. */
  fetchable?: boolean;
  /** True if the file has the layout of another release, so that this release cannot serve it. */
  otherLayout?: boolean;
}

/** Formats an age in minutes up to two hours, in hours up to two days, and then in days. */
export function ageText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  if (hours < 2) return `${Math.floor(seconds / 60)} min`;
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

function withoutFile({ fetchable }: ListedSnapshot): string {
  return fetchable
    ? 'its file is not here, but in the database: what needs it fetches it from there'
    : 'WITHOUT ITS FILE here: put it back from a backup, or import the edition again';
}

/** Describes a snapshot. With `judged`, the list of its registers is left out, because the judgement of the edition shows it. */
function describeSnapshot(snapshot: ListedSnapshot, judged: boolean): string {
  const counts = RESOURCE_TYPES.map((type) => `${grouped(snapshot.counts[type])} ${type}`).join('; ');
  const dated = Map.groupBy(Object.entries(snapshot.editions).sort(), ([, { date }]) => date);
  const registers = [...dated].map(([date, those]) => {
    const counts = those.map(([register, { lines }]) => `${register} ${grouped(lines)}`).join(', ');
    return `         ${date === undefined ? 'without a date' : `of ${date}`}: ${counts} lines`;
  });
  return [
    `${snapshot.state.padEnd(9)}${snapshot.id}  ${snapshot.fileMissing ? '' : MEANING[snapshot.state]}imported ${snapshot.createdAt.toISOString()} (${ageText(snapshot.ageSeconds)} ago), ${grouped(Math.round(snapshot.bytes / 1e6))} MB`,
    `         ${counts}`,
    ...(judged ? [] : registers),
    ...(snapshot.fileMissing ? [`         ${withoutFile(snapshot)}`] : []),
    ...(snapshot.otherLayout ? ['         of another layout: import the edition again'] : []),
    ...(snapshot.damagedAt && !snapshot.otherLayout
      ? [`         DAMAGED, found ${snapshot.damagedAt.toISOString()}: ${hygie`directory verify ${snapshot.id}`}`]
      : []),
  ].join('\n');
}
