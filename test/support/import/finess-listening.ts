// What a reader of FINESS keeps of each structure, cell by cell, and what it says of those that it leaves out.

import { createCollector } from '#import/collect/collector.ts';
import { F } from '#import/registers/finess-row.ts';

/** The filled cells of a row, by their keys. */
const filled = (row: readonly string[]) =>
  Object.fromEntries(Object.entries(F).flatMap(([key, at]) => (row[at] === '' ? [] : [[key, row[at]]])));

/** What a reader keeps and says of a source. */
export function listening(edition?: string, more: object = {}) {
  const collector = createCollector();
  const kept: unknown[] = [];
  const read: number[] = [];
  const report = {
    name: 'x',
    kind: 'finess' as const,
    lines: 0,
    leftOut: 0,
    ...(edition !== undefined && { edition }),
  };
  const source = { input: { name: 'x' }, recognised: { kind: 'finess', headerLines: 0, ...more }, report, file: 3 };
  const targets = {
    collector,
    keepStructure: (form: string, row: readonly string[], { file }: { file: number }, line: number) =>
      kept.push([form, file, line, filled(row)]),
    keepPosition: (form: string, finess: string, position: unknown, at: string) =>
      kept.push([form, finess, position, at]),
    onRead: (count: number) => read.push(count),
  };
  const said = () => ({
    leftOut: collector.linesLeftOut().examples.map(({ line, reason }) => `${line}: ${reason}`),
    warnings: Object.fromEntries(collector.warnings().map(({ kind, examples }) => [kind, examples])),
  });
  return { source: source as never, targets: targets as never, report, kept, read, said, collector };
}
