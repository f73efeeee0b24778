// Reads the lines of the FINESS text files.

import { isUtf8 } from 'node:buffer';
import type { Collector } from '#import/collect/collector.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { LONGEST_LINE, TOO_LONG } from '#import/sources/limits.ts';
import { eachLine, type LineBlock } from '#import/sources/lines.ts';
import { type FinessTargets, keepFinessStructure } from './finess-structure.ts';
import { FINESS_NUMBER, splitFinessLine } from './finess-text-columns.ts';
import type { Source } from './recognise-inputs.ts';
import { REGISTERS } from './register-kinds.ts';

const WINDOWS_1252 = new TextDecoder('windows-1252');
/** Cell of the FINESS number in every kind of line. */
const FINESS_CELL = 1;

/** Reads the lines of a block; lines that are not UTF-8 are Windows-1252. */
export function readFinessText(
  block: LineBlock,
  source: Source,
  targets: FinessTargets & { collector: Collector },
): void {
  const { report, recognised } = source;
  const { collector } = targets;
  eachLine(block, (start, end, line) => {
    if (line <= recognised.headerLines || start === end) return;
    report.lines++;
    if (end - start > LONGEST_LINE) {
      collector.leaveOut(report, line, TOO_LONG);
      return;
    }
    const bytes = block.bytes.subarray(start, end);
    const utf8 = block.utf8 || isUtf8(bytes);
    if (!utf8) collector.warn('windows-1252', `${report.name}, line ${line}`);
    const text = utf8 ? bytes.toString('utf8') : WINDOWS_1252.decode(bytes);
    const cleaned = cleanText(text, (kind) => collector.warn(kind, `${report.name}, line ${line}`));
    const issue = readLine(cleaned, line, source, targets);
    if (issue !== undefined) collector.leaveOut(report, line, issue);
  });
}

/** Returns why the line cannot be used, if so. */
function readLine(
  text: string,
  line: number,
  source: Source,
  targets: FinessTargets & { collector: Collector },
): string | undefined {
  const { report } = source;
  const cells = splitFinessLine(text).map((value) => value.trim());
  const [first = ''] = cells;
  const columns = Object.hasOwn(REGISTERS.finess.columns, first) ? REGISTERS.finess.columns[first] : undefined;
  if (!columns && first.startsWith('"')) return 'a cell in quotes that does not end on this line';
  if (!columns) return `a line of unknown kind "${first.slice(0, 20)}"`;
  source.finessLines ??= {};
  source.finessLines[first] = (source.finessLines[first] ?? 0) + 1;
  if (cells.length === columns.length + 1 && cells.at(-1) === '') cells.pop();
  if (cells.length !== columns.length) {
    return `${cells.length} cells instead of ${columns.length}: another layout, or a ";" within a text`;
  }
  targets.collector.columns.count(report.name, `finess ${first}`, columns, cells, line);
  if (!FINESS_NUMBER.test(cells[FINESS_CELL] ?? '')) return 'FINESS number missing or malformed';
  if (first === 'geolocalisation') return undefined;
  const values = new Map(columns.map(({ key }, index) => [key, cells[index] ?? '']));
  keepFinessStructure('finessText', values, targets, source);
  return undefined;
}
