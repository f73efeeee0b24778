// Lines of registers by the names of their columns, and what an import notes of them.

import type { Collector } from '#import/collect/collector.ts';
import type { Column } from '#import/collect/columns.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { bindColumns } from '#import/registers/bind-header.ts';

export type Cells = Readonly<Record<string, string>>;

/** A line with these cells, and empty ones. */
export function lineOf(columns: Readonly<Record<string, number>>, cells: Cells): string[] {
  const line = Array.from({ length: Object.keys(columns).length }, () => '');
  for (const [key, value] of Object.entries(cells)) line[columns[key] as number] = value;
  return line;
}

/** The binding of a file whose header has these columns, in their order. */
export const bindingOf = (columns: readonly Column[]) =>
  bindColumns(
    columns,
    columns.map(({ label }) => label),
  ).binding;

export const placeOf = (name: string, number = 7, file = 0) => ({ source: { file, report: { name } }, number });

/** The tallies with a case: odd and all cases, examples and groups. */
export const talliesOf = ({ consistency }: Collector) =>
  Object.fromEntries(
    Object.entries(consistency.all).flatMap(([key, { checked, odd, examples, groups }]) =>
      checked === 0 ? [] : [[key, [odd, checked, ...examples, ...(Object.keys(groups).length > 0 ? [groups] : [])]]],
    ),
  );

export const warningsOf = (collector: Collector) =>
  collector.warnings().flatMap(({ kind, examples }) => examples.map((example) => `${kind} ${example}`));

export const mappingContext = ({ warn }: Collector) => ({
  namespace: 'https://x.example',
  concepts: createConcepts(),
  warn,
});
