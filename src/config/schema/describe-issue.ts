// Says in plain words what does not fit a schema: the value found, and what to write instead. Values that may be secrets are
// not repeated.

import type { z } from 'zod';
import { nearest } from '../../shared/nearest.ts';
import { type Problem, shown } from '../configuration-error.ts';
import { nodeAt, type SchemaName, type SchemaNode } from './json-schema.ts';

/** What is wrong, and what to do: for every issue of zod but unknown keys. */
export function describeIssue(name: SchemaName, issue: z.core.$ZodIssue): Problem {
  const { input, path } = issue;
  const key = String(path.findLast((step) => typeof step === 'string') ?? '');
  const node = nodeAt(name, path);
  const { description: meaning = '', anyOf } = node;
  if (input === undefined) return { problem: `The key "${key}" is missing.`, remedy: `Add it: ${meaning}` };
  if (anyOf) return noneOf(anyOf, input, meaning);
  switch (issue.code) {
    case 'invalid_type':
      return { problem: wrongType(input, node), remedy: typeRemedy(input, path, node) };
    case 'invalid_value':
      return issue.values.length > 1
        ? notOneOf(input, issue.values)
        : {
            problem: `${shown(input)} is not known.`,
            remedy: `Write ${String(issue.values[0])}, or remove the key. ${meaning}`,
          };
    case 'too_small':
      if (issue.origin === 'string') return { problem: 'Is empty.', remedy: meaning };
      if (issue.origin === 'array') return { problem: `Has no ${key}.`, remedy: meaning };
      return { problem: `${shown(input)} is less than ${issue.minimum}.`, remedy: `Use ${range(node)}. ${meaning}` };
    case 'too_big': {
      const { origin, maximum } = issue;
      if (origin === 'string') {
        return { problem: `Has more than ${maximum} characters.`, remedy: `Shorten it. ${meaning}` };
      }
      if (origin !== 'array') {
        return { problem: `${shown(input)} is more than ${maximum}.`, remedy: `Use ${range(node)}. ${meaning}` };
      }
      const remedy = key === 'secrets' ? 'Remove the oldest: two at most, while one is being rotated.' : meaning;
      const count = (input as readonly unknown[]).length;
      return { problem: `Has ${count} entries, but ${maximum} at most belong here.`, remedy };
    }
    case 'custom':
      return { problem: issue.message, remedy: String(issue.params?.['remedy'] ?? meaning) };
    default:
      return { problem: issue.message, remedy: meaning };
  }
}

/** A value that is not one of the allowed words: the nearest word, and all of them. */
function notOneOf(found: unknown, allowed: readonly unknown[]): Problem {
  const words = allowed.map(String);
  const near = typeof found === 'string' ? nearest(found, words) : undefined;
  const all = words.join(', ');
  const remedy = near ? `Did you mean "${near}"? Known are: ${all}.` : `Use one of: ${all}.`;
  return { problem: `${shown(found)} is not known.`, remedy };
}

const SECONDS = 'a number of seconds (3600), or a number with s, m, h or d ("12h")';

// Durations, and a number or a word.
function noneOf(branches: readonly SchemaNode[], found: unknown, meaning: string): Problem {
  const pattern = branches.map((branch) => branch.pattern ?? '').join('');
  if (pattern === '') {
    const choices = branches.map((branch) => (branch.const === undefined ? range(branch) : String(branch.const)));
    return { problem: `${shown(found)} does not fit.`, remedy: `Use ${choices.join(', or ')}. ${meaning}` };
  }
  const least = pattern.includes('0|') ? '; 0 for none' : ', more than 0';
  const never = pattern.includes('never') ? '; or never' : '';
  return { problem: `${shown(found)} is no duration.`, remedy: `Write ${SECONDS}${least}${never}.` };
}

function range({ type, minimum, maximum }: SchemaNode): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  return maximum === undefined ? `${kind} of ${minimum} or more` : `${kind} from ${minimum} to ${maximum}`;
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'a group of keys',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function wrongType(found: unknown, { type = '' }: SchemaNode): string {
  // No secret belongs where a number does.
  const named = ['integer', 'number', 'boolean'].includes(type) && found !== null && typeof found !== 'object';
  return `${named ? `${shown(found)} is` : 'Is'} ${kindOf(found)}, but must be ${KINDS[type] ?? type}.`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  return (Array.isArray(value) ? KINDS['array'] : KINDS[typeof value]) ?? typeof value;
}

function typeRemedy(found: unknown, path: readonly PropertyKey[], node: SchemaNode): string {
  const { description: meaning = '', type, items, properties = {} } = node;
  const key = path.at(-1);
  if (key === undefined) {
    const lines = 'clients' in properties ? '`clients:`, and a list below it' : '`key: value` in each line';
    if (!Array.isArray(found)) return `Write ${lines}.`;
    return 'clients' in properties ? 'Put `clients:` above it.' : 'Write `key: value` in each line, without dashes.';
  }
  if (found === null && key === 'colour') return 'Put it in quotation marks: what stands behind a bare # is a comment.';
  if (found === null) return `Give it a value, or remove the ${typeof key === 'number' ? 'entry' : 'key'}. ${meaning}`;
  if (key === 'jwks' && typeof found === 'string' && /^https?:/i.test(found)) return 'An address belongs in jwksUrl.';
  if (key === 'jwks' && Array.isArray(found)) return 'Put `keys:` above the list.';
  if (key === 'jwksUrl' && typeof found === 'object') return 'Keys themselves belong in jwks.';
  switch (type) {
    case 'string':
      return typeof found === 'object' ? meaning : 'Put it in quotation marks.';
    case 'array':
      return items?.properties
        ? (items.description ?? meaning)
        : 'Write a list: [one, two], or one "- entry" per line.';
    case 'boolean':
      return `Write true or false. ${meaning}`;
    case 'integer':
    case 'number':
      return typeof found === 'string' && /^\d+$/.test(found)
        ? 'Remove the quotation marks.'
        : `Use ${range(node)}. ${meaning}`;
    default:
      return meaning;
  }
}
