// Recognises text files of a register that were cut off, or that have parts that were never written.

import { ImportError } from '#import/collect/import-error.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import type { Source } from '#import/registers/source.ts';
import { eachLine, type LineBlock, PIPE } from '#import/sources/lines.ts';

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
/** A run of zeros, half as long as the smallest block of a disk, so that any part that was not written holds one as a whole. */
const HOLE = Buffer.alloc(256);
const AGAIN = 'Download it again.';
const WHOLE = `${AGAIN} If it is whole as it is, add a line break at its end.`;

/**
 * Refuses a run of zeros. It is a part that was never written, by a download that had reserved its space or a broken
 * disk.
 */
export function refuseHole({ bytes, firstLine }: LineBlock, { input }: Source): void {
  const at = bytes.indexOf(HOLE);
  if (at < 0) return;
  const line = firstLine + bytes.subarray(0, at).filter((byte) => byte === NEWLINE).length;
  throw new ImportError({ file: input.name, line }, 'the file has a hole here: it is incomplete.', AGAIN);
}

/**
 * Refuses a file if its last line has no line break and is not visibly complete. A complete line ends with the header's closing
 * separator, with the first byte of its line break or, in FINESS, with its final date.
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
/** The date of an establishment is followed by the number of a school, which is mostly empty and not read. */
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

/** Share of establishments with coordinates below which some coordinates are missing. */
const LEAST_COORDINATES = 0.5;

/**
 * In the FINESS file with coordinates, one line of coordinates per establishment follows after all establishments. If most are missing, the
 * file was cut off among its establishments or soon after them.
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
