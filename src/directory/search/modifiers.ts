// Makes the criterion of each search parameter, with its modifier (STU3 search 3.1.1.4.4). The parameter table lists the modifiers that a
// parameter takes.

import { parameterError } from '#directory/errors.ts';
import { labelKeysFrom } from '#directory/resources/label-synonyms.ts';
import type { Parameter } from '#directory/resources/parameters.ts';
import { type ExactText, type FieldClause, labelKey, systemKey, tokenize } from '#search-index/index.ts';
import { alternativesOf, type OwnAddresses, parseValue, unescaped, wordsFor } from './parse-value.ts';

interface Criterion {
  clause: FieldClause;
  /** A text that must occur letter for letter in the resources that the clause finds. */
  exact?: ExactText;
}

/** The modifiers of a parameter, as clients write them. Instead of `type`, clients write the name of the target type. */
export function writtenModifiers(parameter: Parameter): readonly string[] {
  const { modifiers = [] } = parameter;
  return modifiers.map((code) => (code === 'type' && parameter.matching === 'reference' ? parameter.target : code));
}

/**
 * Makes the criterion of one parameter, which may have a modifier. `value` is not empty.
 * @throws FhirError 400 that names the parameter
 */
export function parseCriterion(
  { parameter, modifier }: { parameter: Parameter; modifier?: string },
  value: string,
  own: OwnAddresses,
): Criterion {
  if (modifier === undefined) return { clause: parseValue(parameter, value, own) };
  const named = { ...parameter, name: `${parameter.name}:${modifier}` };
  const { field } = parameter;
  if (modifier === 'missing') {
    if (value !== 'true' && value !== 'false') throw parameterError(named.name, 'is true or false.');
    // The field holds the contacts of all systems. So the clause asks whether the field has any contact of the system of this parameter.
    if (parameter.matching === 'contact' && parameter.contact !== undefined)
      return { clause: { field, match: 'exact', anyOf: [systemKey(parameter.contact)], not: value === 'true' } };
    return { clause: { field, match: 'present', present: value === 'false' } };
  }
  if (modifier === 'exact' && named.matching === 'words') return exactly(named, value);
  if (modifier === 'exact')
    return {
      clause: parseValue(named, value, own),
      exact: { field, texts: alternativesOf(named, value).map(unescaped) },
    };
  if (modifier === 'text') return { clause: labelStarts(named, value) };
  const clause = parseValue(named, value, own);
  return { clause: modifier === 'not' && clause.match === 'exact' ? { ...clause, not: true } : clause };
}

/**
 * Makes the criterion of `:exact`. The clause finds candidates in the index by their words. Then the text of each candidate is compared
 * letter for letter.
 */
function exactly(parameter: Parameter & { matching: 'words' }, value: string): Criterion {
  const texts = alternativesOf(parameter, value).map(unescaped);
  const plain = { ...parameter, equivalents: false, titles: false };
  const anyOf = texts.map((text) => wordsFor(plain, text).map(({ prefix = '' }) => ({ whole: [prefix] })));
  if (anyOf.some((words) => words.length === 0))
    throw parameterError(parameter.name, 'needs a letter or a digit in each value.');
  const { field } = parameter;
  return { clause: { field, match: 'words', anyOf }, exact: { field, texts } };
}

/**
 * Makes the clause of `:text`. It finds the labels that begin with the text, and the labels that have a synonym that begins with the text.
 */
function labelStarts(parameter: Parameter, value: string): FieldClause {
  const texts = alternativesOf(parameter, value).map(unescaped);
  for (const text of texts) {
    if (tokenize(text).length === 0) throw parameterError(parameter.name, 'needs a letter or a digit in each value.');
  }
  const whole = labelKeysFrom(texts);
  return { field: parameter.field, match: 'beginning', anyOf: texts.map(labelKey), ...(whole.length > 0 && { whole }) };
}
