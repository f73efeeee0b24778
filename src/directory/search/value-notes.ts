// Notes on values that the directory understands in another way than people may expect: titles are ignored, and a comma means "or".

import { type Issue, note } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { encodeQuery } from '#directory/middleware/raw-query.ts';
import type { Parameter } from '#directory/resources/parameters.ts';
import { tokenize } from '#search-index/index.ts';
import { splitUnescaped, titlesBefore, unescaped } from './parse-value.ts';

const BARE_NUMBER = /^\s*\d{1,5}\s*$/;

/** Returns the notes on a valid value of a parameter without a modifier. Notes may suggest another search for `type`. */
export function notesOnValue(type: string, parameter: Parameter, value: string): Issue[] {
  if (parameter.matching !== 'words') return [];
  const alternatives = splitUnescaped(value, ',');
  return [
    ...(parameter.titles ? titleNotes(parameter, alternatives) : []),
    ...commaNotes(type, parameter, alternatives),
  ];
}

function titleNotes({ name }: Parameter, alternatives: readonly string[]): Issue[] {
  return alternatives.flatMap((alternative) => {
    const text = unescaped(alternative);
    const words = tokenize(text);
    const titles = words.slice(0, titlesBefore(text)).join(' ');
    if (titles === '') return [];
    return [
      note(
        `${name}: "${titles}" was left out as a title, for names are kept without titles. Searched is ${words.slice(titlesBefore(text)).join(' ')}. If "${titles}" is a name, send it by itself: ${name.replace(/[^.:]*$/, 'family')}=${encodeURIComponent(titles)}.`,
        name,
      ),
    ];
  });
}

/**
 * Returns a note on a value if its commas were probably not meant as "or", such as the commas in an address. By the rules of FHIR, each
 * part between commas is an alternative. A part that is only a number would find far too much.
 */
function commaNotes(type: string, { name, field }: Parameter, alternatives: readonly string[]): Issue[] {
  const isOdd = (text: string, at: number) =>
    (at > 0 && text.startsWith(' ')) || (field === 'address' && BARE_NUMBER.test(text));
  if (alternatives.length < 2 || !alternatives.some(isOdd)) return [];
  const meant = alternatives.map((text) => text.trim()).join(' ');
  const search = meant.length > LIMITS.valueLength ? '' : `, search ${type}?${encodeQuery([[name, meant]])}`;
  return [
    note(
      `${name} has ${alternatives.length} alternatives, because a comma means "or": each one finds by itself. If all of it is one value${search}${search && ','} or write \\, for each comma.`,
      name,
    ),
  ];
}
