// Editions of which only the columns, departments and people were counted, for the guards that look at nothing else.

import { createCollector } from '#import/collect/collector.ts';
import type { DepartmentCounts } from '#import/collect/departments.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { statisticsOf } from '#import/judgement/statistics.ts';
import { A, ACTIVITY_COLUMNS } from '#import/registers/person-columns.ts';
import type { EditionStatistics } from '#store/snapshots/judgements.ts';
import { activity, type Cells, SETTINGS } from './register-files.ts';

/**
 * An edition of lines of activities, each of a person; `before`: held against it; `mailboxes`: addresses of as many people; `columns: false`:
 * for guards that look at people alone, of which there may be many.
 */
export function countedEdition(
  lines: readonly Cells[],
  options: {
    before?: EditionToJudge;
    departments?: DepartmentCounts;
    mailboxes?: readonly string[];
    columns?: false;
  } = {},
): EditionToJudge {
  const { before, departments = {}, mailboxes = [], columns = true } = options;
  const collector = createCollector();
  for (const [index, cells] of lines.entries()) {
    const row = Array.isArray(cells) ? (cells as string[]) : rowOf(cells);
    if (columns) collector.columns.count('pa.txt', 'activities', ACTIVITY_COLUMNS, row, index + 2);
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

const rowOf = (cells: Cells) => ACTIVITY_COLUMNS.map((_, column) => cells[column] ?? '');

/** As the database gives them back. */
function stored(statistics: EditionStatistics): EditionStatistics {
  return JSON.parse(JSON.stringify(statistics));
}

/** Lines as a register of that many holds them: people with different names. */
export function lines(count: number, cells: (index: number) => Cells = () => ({})): Cells[] {
  return Array.from({ length: count }, (_, index) =>
    activity({
      1: String(19000000000 + index),
      7: `NOM${index % 100}`,
      8: index % 3 ? `Prénom${index % 20}` : 'Jean',
      40: '0199000001',
      48: 'SA07',
      49: 'Cabinet individuel',
      ...cells(index),
    }),
  );
}

/** Whole rows of so many people with different names and structures, but for what `cells` says; for guards that need thousands. */
export function rowsOfPeople(count: number, cells: (index: number) => Cells = () => ({})): string[][] {
  const model = rowOf(lines(1)[0] ?? {});
  return Array.from({ length: count }, (_, index) => {
    const row = model.slice();
    row[1] = String(19000000000 + index);
    row[2] = `8${row[1]}`;
    row[7] = `NOM${index}`;
    row[8] = index % 3 ? `Prénom${index % 20}` : 'Jean';
    row[23] = `R${10_000_000 + index}`;
    const own = cells(index);
    for (const column in own) row[Number(column)] = own[column] ?? '';
    return row;
  });
}
