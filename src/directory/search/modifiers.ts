// Modifiers of search parameters (STU3 search 3.1.1.4.4). The parameter table lists the modifiers of each parameter.

import { parameterError } from '#directory/errors.ts';
import { labelKeysFrom } from '#directory/resources/label-synonyms.ts';
import type { Parameter } from '#directory/resources/parameters.ts';
import { type ExactText, type FieldClause, labelKey, systemKey, tokenize } from '#search-index/index.ts';
import { alternativesOf, type OwnAddresses, parseValue, unescaped, wordsFor } from './parse-value.ts';

interface Criterion {
  clause: FieldClause;
  /** The text that each resource found by the clause must hold letter for letter. */
  exact?: ExactText;
}

/** The modifiers of a parameter as clients write them. For references, `type` is the name of the target type. */
export function writtenModifiers(parameter: Parameter): readonly string[] {
  const { modifiers = [] } = parameter;
  return modifiers.map((code) => (code === 'type' && parameter.matching === 'reference' ? parameter.target : code));
}

/**
 * The criterion of one parameter, perhaps with a modifier that it takes; `value` is not empty.
 * @throws FhirError 400 naming the parameter
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
    // Several parameters look at one field of contacts.
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

/** The criterion of `:exact`. Words find the candidates, and the text of each resource decides. */
function exactly(parameter: Parameter & { matching: 'words' }, value: string): Criterion {
  const texts = alternativesOf(parameter, value).map(unescaped);
  const plain = { ...parameter, equivalents: false, titles: false };
  const anyOf = texts.map((text) => wordsFor(plain, text).map(({ prefix = '' }) => ({ whole: [prefix] })));
  if (anyOf.some((words) => words.length === 0))
    throw parameterError(parameter.name, 'needs a letter or a digit in each value.');
  const { field } = parameter;
  return { clause: { field, match: 'words', anyOf }, exact: { field, texts } };
}

/** Labels that begin with the text, and labels with a synonym that begins with it. */
function labelStarts(parameter: Parameter, value: string): FieldClause {
  const texts = alternativesOf(parameter, value).map(unescaped);
  for (const text of texts) {
    if (tokenize(text).length === 0) throw parameterError(parameter.name, 'needs a letter or a digit in each value.');
  }
  const whole = labelKeysFrom(texts);
  return { field: parameter.field, match: 'beginning', anyOf: texts.map(labelKey), ...(whole.length > 0 && { whole }) };
}
