// Recognises text files of a register that were cut off, or that have parts which were never written.

import { ImportError } from '#import/collect/import-error.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import type { Source } from '#import/registers/source.ts';
import { eachLine, type LineBlock, PIPE } from '#import/sources/lines.ts';

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
/** A run of zeros. It is half as long as the smallest block of a disk, so every block that was never written contains it. */
const HOLE = Buffer.alloc(256);
const AGAIN = 'Download it again.';
const WHOLE = `${AGAIN} If it is whole as it is, add a line break at its end.`;

/**
 * Refuses a file with a run of zeros, which shows a part that was never written: a download had reserved its space, or the disk is broken.
 */
export function refuseHole({ bytes, firstLine }: LineBlock, { input }: Source): void {
  const at = bytes.indexOf(HOLE);
  if (at < 0) return;
  const line = firstLine + bytes.subarray(0, at).filter((byte) => byte === NEWLINE).length;
  throw new ImportError({ file: input.name, line }, 'the file has a hole here: it is incomplete.', AGAIN);
}

/**
 * Refuses a file if its last line is not complete. A complete line has a line break, or at least the first byte of one. Without it, a line
 * is complete if it ends with the closing separator of the header or, in FINESS, with the final date.
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
/** The number of a school follows the date of an establishment. It is mostly empty, and not read. */
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

/** Minimum share of establishments with coordinates. If there are fewer, some coordinates are missing. */
const LEAST_COORDINATES = 0.5;

/**
 * Refuses a FINESS file with coordinates if most coordinates are missing. The coordinates of all establishments come after the
 * establishments. If most are missing, the file was cut off among its establishments or soon after them.
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
