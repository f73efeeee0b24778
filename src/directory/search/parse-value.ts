// Parses the value of a search parameter to a clause for the index. Splits the value into alternatives, resolves escapes, and has one
// function for each matching rule.

import { parameterError, shownName } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { labelsMeant } from '#directory/resources/label-synonyms.ts';
import { DATE_FORM, DATE_PREFIXES, type Parameter } from '#directory/resources/parameters.ts';
import {
  CONTACT_SYSTEMS,
  contactKey,
  type FieldClause,
  type InstantRange,
  labelKey,
  numberKeys,
  type QueryWord,
  referenceKey,
  SECURE_MAIL,
  synonymsOf,
  systemKey,
  tokenize,
  tokenKeys,
  writtenForms,
} from '#search-index/index.ts';
import { parseDateRanges } from './date-ranges.ts';
import { parseCircle } from './near.ts';

/** Checks whether a text is a FHIR id. */
function isId(text: string): boolean {
  return /^[A-Za-z0-9\-.]{1,64}$/.test(text);
}

/** Splits at each separator that has no `\` before it. The parts keep their escapes (STU3 search 3.1.1.5). */
export function splitUnescaped(text: string, separator: ',' | '|'): string[] {
  if (!text.includes('\\')) return text.split(separator);
  const parts: string[] = [];
  let part = '';
  for (let index = 0; index < text.length; index++) {
    const sign = text.charAt(index);
    if (sign === separator) {
      parts.push(part);
      part = '';
    } else if (sign === '\\') {
      part += sign + text.charAt(++index);
    } else {
      part += sign;
    }
  }
  parts.push(part);
  return parts;
}

/** Replaces `\,` `\|` `\$` `\\` by the character itself; any other `\` is an ordinary character. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\([,|$\\])/g, '$1') : text;
}

/** Addresses by which values refer to this directory. */
export interface OwnAddresses {
  /** Public base address of the directory, for absolute references. */
  base: string;
  /** {claim_ns}, the prefix of the directory's own identifier systems. */
  namespace: string;
}

/**
 * Makes the clause of one parameter. `value` must not be empty. Alternatives that cannot match anything are left out. If none is left, the
 * clause matches nothing.
 * @throws FhirError 400 that names the parameter
 */
export function parseValue(parameter: Parameter, value: string, own: OwnAddresses): FieldClause {
  const alternatives = alternativesOf(parameter, value);
  const { field } = parameter;
  if (parameter.matching === 'words') {
    const anyOf = alternatives.map((alternative) => wordsFor(parameter, unescaped(alternative)));
    return { field, match: 'words', anyOf: anyOf.filter((words) => words.length > 0) };
  }
  if (parameter.matching === 'instant')
    return { field, match: 'range', anyOf: alternatives.flatMap((alternative) => instantsFor(parameter, alternative)) };
  if (parameter.matching === 'near')
    return {
      field,
      match: 'near',
      anyOf: alternatives.map((one) => parseCircle(parameter, splitUnescaped(one, '|'))),
    };
  return { field, match: 'exact', anyOf: alternatives.flatMap((alternative) => keysFor(parameter, alternative, own)) };
}

/**
 * Splits a value into its alternatives; a resource must match one of them. The alternatives keep their escapes.
 * @throws FhirError 400 that names the parameter
 */
export function alternativesOf(parameter: Parameter, value: string): string[] {
  const alternatives = splitUnescaped(value, ',').map((alternative) => alternative.trim());
  if (alternatives.length > LIMITS.alternatives)
    throw parameterError(
      parameter.name,
      `takes ${LIMITS.alternatives} values at most: split the search.`,
      'too-costly',
    );
  for (const alternative of alternatives) {
    if (alternative === '')
      throw parameterError(parameter.name, 'has an empty value beside a comma: remove the comma.');
    if (alternative.length > LIMITS.valueLength)
      throw parameterError(parameter.name, `takes values of ${LIMITS.valueLength} characters at most.`, 'too-long');
  }
  return alternatives;
}

/**
 * The words of one value, as the index looks them up (`QueryWord` in `search-index/snapshot.ts`). Each word finds the words that begin with
 * it, its other written forms (`search-index/joined-words.ts`) and, with `equivalents`, its synonyms. A value of punctuation alone has no
 * words. It is refused if the parameter has a minimum length. Otherwise it matches nothing.
 */
export function wordsFor(parameter: Parameter & { matching: 'words' }, text: string): QueryWord[] {
  const words = tokenize(parameter.equivalents ? withoutDots(text) : text);
  // The minimum length applies to letters and digits alone, because `a.` finds as much as `a`.
  if (parameter.minimum > 1 && [...words.join('')].length < parameter.minimum)
    throw parameterError(parameter.name, `needs at least ${parameter.minimum} characters that are letters or digits.`);
  if (words.length > LIMITS.wordsOfValue)
    throw parameterError(parameter.name, `takes ${LIMITS.wordsOfValue} words in one value at most.`, 'too-costly');
  const found = writtenForms(parameter.field, words).map(({ whole, joined }, at): QueryWord => {
    const prefix = words[at] as string;
    const synonyms = parameter.equivalents ? synonymsOf(prefix) : [];
    return { prefix, whole: [...synonyms, ...whole], ...(joined.length > 0 && { joined }) };
  });
  return parameter.titles ? found.slice(titlesBefore(text)) : found;
}

/** Matches initials that have dots between them. */
const INITIALS = /(?<![\p{L}\p{N}])\p{L}(?:\.\p{L})+(?![\p{L}\p{N}])/gu;

/**
 * Removes the dots between initials, so that the initials become one word. This is done in names of structures and in addresses. It is not
 * done in names of people, because each initial may stand for a name of its own.
 */
function withoutDots(text: string): string {
  return text.includes('.') ? text.replace(INITIALS, (initials) => initials.replaceAll('.', '')) : text;
}

/**
 * Matches a title before a name. Titles are removed from a value, because the directory stores names without titles. A blank or a dot must
 * follow the title: in the name M'BAYE, for example, the M is no title.
 */
const TITLE =
  /^(?:(?:le|la)\s+(?=d|p))?(?:dr|drs|docteur|docteure|doctoresse|pr|prof|professeur|professeure|m|mr|mm|mme|mmes|mlle|monsieur|madame|mademoiselle)(?:\s+|\.\s*(?=\p{L}{2})|\.\s+)/iu;

/** The words of a value. Titles at the beginning are left out if the parameter ignores titles (`titles`). */
export function wordsWithoutTitles(parameter: Parameter & { matching: 'words' }, text: string): string[] {
  return tokenize(text).slice(parameter.titles ? titlesBefore(text) : 0);
}

/**
 * Counts the words at the beginning of a value that are titles. The count is 0 if fewer than two letters or digits follow the titles,
 * because the rest would be too short for a name.
 */
export function titlesBefore(text: string): number {
  let rest = text.trim();
  for (let title = TITLE.exec(rest); title; title = TITLE.exec(rest)) rest = rest.slice(title[0].length);
  const left = tokenize(rest);
  return [...left.join('')].length > 1 ? tokenize(text).length - left.length : 0;
}

function instantsFor(parameter: Parameter, value: string): readonly InstantRange[] {
  const ranges = parseDateRanges(unescaped(value));
  if (ranges) return ranges;
  const shown = shownName(value);
  throw parameterError(
    parameter.name,
    `is ${DATE_FORM}, perhaps with ${DATE_PREFIXES.join(', ')} before it, not "${shown}".`,
  );
}

type ExactParameter = Exclude<Parameter, { matching: 'words' | 'instant' | 'near' }>;

function keysFor(parameter: ExactParameter, value: string, own: OwnAddresses): readonly string[] {
  switch (parameter.matching) {
    case 'token':
      return tokenKey(parameter, value, own);
    case 'labelled':
      return [...tokenKey(parameter, value, own), ...labelKeys(value)];
    case 'contact':
      return contactKeys(parameter, value);
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw parameterError(parameter.name, 'is true or false.');
      return [value];
    case 'id':
      return idKey(parameter, value);
    case 'uri':
      return [unescaped(value)];
    case 'reference':
      return referenceKeys(parameter, unescaped(value), own);
  }
}

/**
 * The key of an id. A reference or an address is refused, because an empty result would make the client believe that the id does not exist.
 */
function idKey(parameter: Parameter, value: string): readonly string[] {
  if (isId(value)) return [value];
  const at = value.lastIndexOf('/') + 1;
  const remedy =
    at > 0 && isId(value.slice(at))
      ? `is an id, without ${shownName(value.slice(0, at))}: send ${value.slice(at)} alone.`
      : `is an id: 1 to 64 letters, digits, - and ., not "${shownName(value)}".`;
  throw parameterError(parameter.name, remedy);
}

/** The keys of a token that is written as `value`, `system|value`, `|value` or `system|`. */
function tokenKey(parameter: Parameter, text: string, { namespace }: OwnAddresses): readonly string[] {
  const parts = splitUnescaped(text, '|');
  const [first = '', second] = parts.map((part) => unescaped(part));
  if (parts.length > 2 || (first === '' && second === ''))
    throw parameterError(parameter.name, 'is value, system|value, |value or system|. A literal | is written \\|.');
  // A key consists of system and value, joined by `|`. If the system or the value contains a `|`, the key could be that of another system
  // and value. So there is no key, and the alternative finds nothing.
  if (first.includes('|') || second?.includes('|')) return [];
  if (second === undefined) return [tokenKeys({ value: first })[0]];
  const system = sameSystem(first, namespace);
  if (second === '') return [systemKey(system)];
  return [tokenKeys(system === '' ? { value: second } : { system, value: second })[1]];
}

/** Matches a telephone number. Numbers are compared in their national form. */
const NUMBER = /^[+\d][\d\s()./-]*$/;

/**
 * The keys of a contact that is written as `value`, `system|value` or `system|`. If the parameter is limited to one system, a value with
 * another system has no keys.
 */
function contactKeys({ name, contact: own }: Parameter & { matching: 'contact' }, text: string): readonly string[] {
  const parts = own === SECURE_MAIL ? [text] : splitUnescaped(text, '|');
  const [first = '', second] = parts.map((part) => unescaped(part));
  const stated = second === undefined ? undefined : CONTACT_SYSTEMS.find((system) => system === first);
  if (parts.length > 2 || (second !== undefined && stated === undefined))
    throw parameterError(
      name,
      `is an address or a number, system|value or system|, with one of ${CONTACT_SYSTEMS.join(', ')} as system. A literal | is written \\|.`,
    );
  const value = second ?? first;
  if (value.includes('|') || (own !== undefined && stated !== undefined && stated !== own)) return [];
  const system = own ?? stated;
  if (value === '') return system === undefined ? [] : [systemKey(system)];
  const texts = NUMBER.test(value) ? numberKeys(value) : [contactKey(value)];
  return system === undefined ? texts : texts.map((one) => `${system}|${one}`);
}

/**
 * Changes http to https in the directory's own identifier systems if the namespace begins with https. The specification writes these
 * systems with http (2.3), so clients may send them in this form.
 */
function sameSystem(system: string, namespace: string): string {
  const own = `${namespace}/fhir/Identifier/`;
  const plain = own.replace(/^https:/, 'http:');
  return system.startsWith(plain) ? own + system.slice(plain.length) : system;
}

/**
 * The keys of the value as a whole label, and of the labels that it is a synonym for. A value with a system is a code and no label, so it
 * has no such keys.
 */
function labelKeys(text: string): readonly string[] {
  if (splitUnescaped(text, '|').length > 1) return [];
  const label = unescaped(text);
  return tokenize(label).length > 0 ? [...new Set([label, ...labelsMeant(label)].map(labelKey))] : [];
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * The keys of a reference that is written as `Type/id`, `id` or an absolute address in this directory. Any other absolute address is
 * allowed, but has no keys and matches nothing.
 */
function referenceKeys(
  parameter: Parameter & { matching: 'reference' },
  text: string,
  { base }: OwnAddresses,
): readonly string[] {
  const { target } = parameter;
  const relative = text.startsWith(`${base}/`) ? text.slice(base.length + 1) : text;
  const id = relative.startsWith(`${target}/`) ? relative.slice(target.length + 1) : relative;
  if (isId(id) && (id !== relative || relative === text)) return [referenceKey(target, id)];
  if (ABSOLUTE.test(relative)) return [];
  throw parameterError(parameter.name, `is a reference of the form ${target}/ID.`);
}
