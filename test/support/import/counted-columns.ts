// Editions of which only the columns, departments and people were counted, for the guards that look at nothing else.

import { createCollector } from '#import/collect/collector.ts';
import type { DepartmentCounts } from '#import/collect/departments.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { statisticsOf } from '#import/judgement/statistics.ts';
import { A, ACTIVITY_COLUMNS } from '#import/registers/person-columns.ts';
import type { EditionStatistics } from '#store/snapshots/judgements.ts';
import { activity, type Cells, SETTINGS } from './register-files.ts';

/** An edition of lines of activities, each of a person; `before`: held against it; `mailboxes`: addresses of as many people. */
export function countedEdition(
  lines: readonly Cells[],
  options: { before?: EditionToJudge; departments?: DepartmentCounts; mailboxes?: readonly string[] } = {},
): EditionToJudge {
  const { before, departments = {}, mailboxes = [] } = options;
  const collector = createCollector();
  for (const [index, cells] of lines.entries()) {
    const row = ACTIVITY_COLUMNS.map((_, column) => cells[column] ?? '');
    collector.columns.count('pa.txt', 'activities', ACTIVITY_COLUMNS, row, index + 2);
    if (mailboxes[index] !== undefined) collector.populations.mailbox(mailboxes[index]);
    collector.populations.person(cells[2] ?? '', [row], cells[23] || undefined, A);
  }
  Object.assign(collector.departments, departments);
  return {
    sources: [],
    incoming: [],
    accept: [],
    collector,
    counts: { Practitioner: 0, Organization: 0, PractitionerRole: 0 },
    statistics: statisticsOf(collector),
    limits: SETTINGS.directory.guards,
    ...(before && { before: { id: 's', editions: {}, counts: before.counts, statistics: stored(before.statistics) } }),
    history: [],
  };
}

/** As the database gives them back. */
function stored(statistics: EditionStatistics): EditionStatistics {
  return JSON.parse(JSON.stringify(statistics));
}

/** Lines as a register of that many holds them: people with different names. */
export function lines(count: number, cells: (index: number) => Cells = () => ({})): Cells[] {
  return Array.from({ length: count }, (_, index) =>
    activity({
      ...{ 1: String(19000000000 + index), 7: `NOM${index % 100}`, 8: index % 3 ? `Prénom${index % 20}` : 'Jean' },
      ...{ 40: '0199000001', 48: 'SA07', 49: 'Cabinet individuel', ...cells(index) },
    }),
  );
}
