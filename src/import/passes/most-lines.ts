// How many lines may be about one person or structure: they are grouped in memory, and become one resource.

import { ImportError, type SourceLocation } from '#import/collect/import-error.ts';

/** A person or a hospital has up to some hundred different lines. */
export const MOST_LINES = 10_000;

/** Refuses an edition for what nearly all its lines, or more than `MOST_LINES` different ones, are about. */
export function tooManyLines(about: string, location: SourceLocation): ImportError {
  return new ImportError(
    location,
    `more lines are about ${about} than can be.`,
    'Is an identifier repeated in place of many? Take the files as published.',
  );
}
