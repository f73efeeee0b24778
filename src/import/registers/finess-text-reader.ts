// Reads the lines of the FINESS text files.

import { isUtf8 } from 'node:buffer';
import type { LegalEntities } from '../mapping/legal-entities.ts';
import type { MailboxOwners } from '../mapping/mailbox-owners.ts';
import { finessId } from '../mapping/structure-id.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '../passes/structure-spill.ts';
import type { Collector } from '../publish/report.ts';
import { eachLine, type LineBlock, withoutControls } from '../sources/lines.ts';
import type { Source } from '../sources/sources.ts';
import { cell, type Row } from './columns.ts';
import { COORDINATE_CELLS, E, ESTABLISHMENT_CELLS, J, LEGAL_ENTITY_CELLS, splitFinessLine } from './finess-text.ts';
import { createShapeCheck, type ShapeCheck } from './swapped-columns.ts';

const WINDOWS_1252 = new TextDecoder('windows-1252');
const FINESS = /^\d[0-9AB]\d{7}$/;

const LINES = {
  structureej: { columns: LEGAL_ENTITY_CELLS, finess: J.finess, record: STRUCTURE_RECORD.legalEntity },
  structureet: { columns: ESTABLISHMENT_CELLS, finess: E.finess, record: STRUCTURE_RECORD.establishment },
  geolocalisation: { columns: COORDINATE_CELLS, finess: 1, record: undefined },
} as const;

export type FinessLines = ReturnType<typeof createFinessLines>;

export function createFinessLines(
  structures: StructureSpill,
  legalEntities: LegalEntities,
  mail: MailboxOwners,
  collector: Collector,
) {
  const shapes = new Map<Source, Map<string, ShapeCheck>>();

  function readLine(text: string, source: Source): string | undefined {
    const cells = splitFinessLine(text);
    const first = (cells[0] ?? '').trim();
    if (!Object.hasOwn(LINES, first)) return `a line of unknown kind "${first.slice(0, 20)}"`;
    const kind = LINES[first as keyof typeof LINES];
    source.report.parts ??= {};
    source.report.parts[first] = (source.report.parts[first] ?? 0) + 1;
    if (cells.length === kind.columns.length + 1 && cells.at(-1) === '') cells.pop();
    if (cells.length !== kind.columns.length) return `${cells.length} cells instead of ${kind.columns.length}`;
    shapeOf(source, first, kind.columns).look(cells);
    if (!FINESS.test(cell(cells, kind.finess))) return 'FINESS number missing or malformed';
    if (kind.record !== undefined) keep(cells, first, kind.record);
    return undefined;
  }

  function shapeOf(source: Source, first: string, columns: (typeof LINES)[keyof typeof LINES]['columns']): ShapeCheck {
    const ofSource = shapes.get(source) ?? new Map<string, ShapeCheck>();
    shapes.set(source, ofSource);
    const check = ofSource.get(first) ?? createShapeCheck(columns);
    ofSource.set(first, check);
    return check;
  }

  function keep(row: Row, first: string, record: number): void {
    if (first === 'structureet') {
      const id = finessId(cell(row, E.finess));
      legalEntities.mention(cell(row, E.legalFiness));
      mail.add(id, { siret: cell(row, E.siret), name: cell(row, E.name) || cell(row, E.shortName) });
      structures.add(id, record, row);
    } else {
      const finess = cell(row, J.finess);
      legalEntities.meet(finess);
      structures.add(finessId(finess), record, row);
    }
  }

  return {
    /** Reads the lines of a block; lines that are not UTF-8 are Windows-1252. */
    read(block: LineBlock, source: Source): void {
      eachLine(block, (start, end, line) => {
        if (line <= source.recognised.headerLines || start === end) return;
        source.report.lines++;
        const bytes = block.bytes.subarray(start, end);
        const utf8 = block.utf8 || isUtf8(bytes);
        if (!utf8) collector.warn('windows-1252', `${source.report.name}, line ${line}`);
        const text = utf8 ? bytes.toString('utf8') : WINDOWS_1252.decode(bytes);
        const cleaned = withoutControls(text);
        if (cleaned !== text) collector.warn('control-character', `${source.report.name}, line ${line}`);
        const issue = readLine(cleaned, source);
        if (issue !== undefined) collector.leaveOut(source.report, line, issue);
      });
    },
    shapes,
  };
}
