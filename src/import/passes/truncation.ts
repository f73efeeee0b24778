// Recognises text files of a register that were cut off, or of which some parts were never written to the disk.

import { ImportError } from '#import/collect/import-error.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import type { Source } from '#import/registers/source.ts';
import { eachLine, type LineBlock, PIPE } from '#import/sources/lines.ts';

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
/**
 * A run of zeros that shows a missing block. It is half as long as the smallest block of a disk (512 bytes). So a block that was never
 * written shows such a run even if the import reads it in two parts.
 */
const HOLE = Buffer.alloc(256);
const AGAIN = 'Download it again.';
const WHOLE = `${AGAIN} If it is whole as it is, add a line break at its end.`;

/**
 * Refuses a file that contains a run of zeros. At this place, the content was never written, because a download stopped after it had
 * reserved the space, or because the disk is broken.
 */
export function refuseHole({ bytes, firstLine }: LineBlock, { input }: Source): void {
  const at = bytes.indexOf(HOLE);
  if (at < 0) return;
  const line = firstLine + bytes.subarray(0, at).filter((byte) => byte === NEWLINE).length;
  throw new ImportError({ file: input.name, line }, 'the file has a hole here: it is incomplete.', AGAIN);
}

/**
 * Refuses a file if its last line is not complete. A line is complete if it ends with a line break, or with the first byte of one. Without
 * a line break, it is complete if the header ends with a separator and the line has all separators, or if it is a line of FINESS with all
 * its cells and a date at the place of the last date.
 */
export function refuseTruncated(block: LineBlock, { recognised, input }: Source): void {
  if (!block.unfinished || block.bytes.at(-1) === CARRIAGE_RETURN) return;
  eachLine(block, (start, end, line) => {
    const bytes = block.bytes.subarray(start, end);
    if (recognised.binding ? isWhole(bytes, recognised.binding) : isWholeFiness(bytes)) return;
    throw new ImportError(
      { file: input.name, line },
      'the file ends in the middle of this line: it is truncated.',
      WHOLE,
    );
  });
}

function isWhole(bytes: Buffer, { cells, trailing }: { cells: number; trailing: boolean }): boolean {
  return trailing && bytes.filter((byte) => byte === PIPE).length === cells;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/**
 * Number of cells after the date, by the first cell of the line. Only lines of establishments have such a cell: the number of the school,
 * which is mostly empty.
 */
const BEHIND_DATE: Readonly<Record<string, number>> = { structureet: 1 };
const CELLS: Readonly<Record<string, number>> = {
  finess: 4,
  structureej: 23,
  structureet: FINESS_TEXT_CELLS.structureet.length,
  geolocalisation: 6,
};

function isWholeFiness(bytes: Buffer): boolean {
  const cells = splitFinessLine(bytes.toString('latin1'));
  const [kind = ''] = cells;
  return cells.length === CELLS[kind] && DATE.test(cells.at(-1 - (BEHIND_DATE[kind] ?? 0)) ?? '');
}

/** A file with coordinates must have coordinates for at least this share of its establishments. */
const LEAST_COORDINATES = 0.5;

/**
 * Refuses a FINESS file of the kind with coordinates, if it has coordinates for too few of its establishments. In such a file, all
 * establishments come first, and then the coordinates. So if most coordinates are missing, the file was cut off.
 */
export function refuseWithoutCoordinates({ input, report, finessLines }: Source): void {
  const { structureet: establishments = 0, geolocalisation: coordinates = 0 } = finessLines ?? {};
  if (!/1100507[^/!]*$/.test(input.name) && coordinates === 0) return;
  if (coordinates >= LEAST_COORDINATES * establishments) return;
  throw new ImportError(
    { file: input.name, line: report.lines + 1 },
    `the file ends here with coordinates for ${coordinates} of its ${establishments} establishments: it is truncated.`,
    AGAIN,
  );
}
