// Owns saying in plain words what does not fit a schema: the value found, and what to write instead. Values that may be
// secrets are not repeated. Does not own the check (`schema.ts`) nor unknown keys (`unknown-keys.ts`).

import type { ErrorObject } from 'ajv';
import { nearest } from '../../shared/nearest.ts';
import { type ConfigIssue, shown } from '../configuration-error.ts';
import type { KeyPath } from '../yaml/yaml-file.ts';
import type { SchemaNode } from './json-schema.ts';

type Sentence = Pick<ConfigIssue, 'problem' | 'remedy'>;

/** What is wrong at the path, and what to do. */
export function sentence(error: ErrorObject, path: KeyPath): Sentence {
  const { keyword, params, data } = error;
  const node = (error.parentSchema ?? {}) as SchemaNode;
  const key = path.findLast((step) => typeof step === 'string') ?? '';
  const meaning = node.description ?? '';
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty']);
      const description = node.properties?.[missing]?.description ?? '';
      return { problem: `The key "${missing}" is missing.`, remedy: `Add it: ${description}` };
    }
    case 'type':
      return ofType(data, String(params['type']), path, node);
    case 'enum':
      return node.enum?.length === 1
        ? { ...notOneOf(data, node.enum), remedy: `Write ${node.enum[0]}, or remove the key. ${meaning}` }
        : notOneOf(data, node.enum ?? []);
    case 'anyOf':
      return noBranch(data, node);
    case 'minProperties':
    case 'maxProperties':
      return {
        problem: `Has ${Object.keys(data as object).length} keys where exactly one belongs.`,
        remedy: 'Keep one of: hash, env, file.',
      };
    case 'uniqueItems':
      return {
        problem: `Entries ${params['j']} and ${params['i']} (counted from 0) are the same.`,
        remedy: 'Remove one of them.',
      };
    case 'minimum':
    case 'maximum': {
      const problem = `${shown(data)} is ${keyword === 'minimum' ? 'less' : 'more'} than ${params['limit']}.`;
      return { problem, remedy: `Use ${numberWithin(node)}. ${meaning}` };
    }
    case 'minLength':
      return { problem: 'Is empty.', remedy: meaning };
    case 'maxLength':
      return { problem: `Has more than ${params['limit']} characters.`, remedy: `Shorten it. ${meaning}` };
    case 'minItems':
      return { problem: `Has no ${key}.`, remedy: meaning };
    case 'maxItems': {
      const remedy = key === 'secrets' ? 'Remove the oldest: two at most, while one is being rotated.' : meaning;
      return {
        problem: `Has ${(data as unknown[]).length} entries, but ${params['limit']} at most belong here.`,
        remedy,
      };
    }
    case 'pattern':
      return { problem: PATTERNS[key]?.(data) ?? 'Has another form.', remedy: meaning };
    default:
      return { problem: `Does not fit (${error.message ?? keyword}).`, remedy: meaning };
  }
}

// By the key that has the pattern. What stands under `env` may be the secret itself.
const PATTERNS: Readonly<Record<string, (value: unknown) => string>> = {
  colour: (value) => `${shown(value)} is no colour in the form #0b5f6b.`,
  id: (value) => {
    const text = String(value);
    const [odd] = /[^A-Za-z0-9._~-]/u.exec(text) ?? [];
    if (odd !== undefined) return `Holds ${shown(odd)}, which an id may not.`;
    return text.length > 100 ? 'Has more than 100 characters.' : 'Does not begin with a letter or digit.';
  },
  env: () => 'Is no name of an environment variable (what stands here is not shown).',
};

/** A value that is not one of the allowed words, as `"yes" is not known.` with the nearest word and all of them. */
export function notOneOf(found: unknown, allowed: readonly unknown[]): Sentence {
  const words = allowed.map(String);
  const near = typeof found === 'string' ? nearest(found, words) : undefined;
  const all = words.join(', ');
  const remedy = near ? `Did you mean "${near}"? Known are: ${all}.` : `Use one of: ${all}.`;
  return { problem: `${shown(found)} is not known.`, remedy };
}

const SECONDS = 'a number of seconds (3600), or a number with s, m, h or d ("12h")';

function noBranch(found: unknown, node: SchemaNode): Sentence {
  const patterns = node.anyOf?.map(({ pattern = '' }) => pattern).join('') ?? '';
  if (patterns !== '') {
    const least = patterns.includes('0|') ? '; 0 for none' : ', more than 0';
    const remedy = `Write ${SECONDS}${least}${patterns.includes('never') ? '; or never' : ''}.`;
    return { problem: `${shown(found)} is no duration.`, remedy };
  }
  const branches = node.anyOf?.map((one) => (one.const === undefined ? numberWithin(one) : String(one.const))) ?? [];
  return {
    problem: `${shown(found)} does not fit.`,
    remedy: `Use ${branches.join(', or ')}. ${node.description ?? ''}`,
  };
}

function numberWithin({ type, minimum, maximum }: SchemaNode): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (minimum === undefined || maximum === undefined) return `${kind} of ${minimum ?? maximum} or more`;
  return `${kind} from ${minimum} to ${maximum}`;
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'a group of keys',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function ofType(found: unknown, wanted: string, path: KeyPath, node: SchemaNode): Sentence {
  // No secret belongs where a number does.
  const named = !['string', 'object', 'array'].includes(wanted) && found !== null && typeof found !== 'object';
  const problem = `${named ? `${shown(found)} is` : 'Is'} ${kindOf(found)}, but must be ${KINDS[wanted] ?? wanted}.`;
  return { problem, remedy: typeRemedy(found, wanted, path, node) };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? typeof value;
}

function typeRemedy(found: unknown, wanted: string, path: KeyPath, node: SchemaNode): string {
  const { description: meaning = '', items, properties = {} } = node;
  const key = path.at(-1);
  if (key === undefined) {
    const first = Object.hasOwn(properties, 'clients') ? 'clients:' : undefined;
    if (Array.isArray(found))
      return first ? `Put \`${first}\` above it.` : 'Write `key: value` in each line, without dashes.';
    return `Write ${first ? `\`${first}\`, and a list below it` : '`key: value` in each line'}.`;
  }
  if (found === null && key === 'colour') return 'Put it in quotation marks: what stands behind a bare # is a comment.';
  if (found === null) return `Give it a value, or remove the ${typeof key === 'number' ? 'entry' : 'key'}. ${meaning}`;
  if (key === 'jwks' && typeof found === 'string' && /^https?:/i.test(found)) return 'An address belongs in jwksUrl.';
  if (key === 'jwks' && Array.isArray(found)) return 'Put `keys:` above the list.';
  if (key === 'jwksUrl' && typeof found === 'object') return 'Keys themselves belong in jwks.';
  if (wanted === 'string' && typeof found !== 'object') return 'Put it in quotation marks.';
  if (wanted === 'array' && items?.properties) return items.description ?? meaning;
  if (wanted === 'array') return 'Write a list: [one, two], or one "- entry" per line.';
  if (wanted === 'boolean') return `Write true or false. ${meaning}`;
  if (wanted !== 'integer' && wanted !== 'number') return meaning;
  const quoted = typeof found === 'string' && /^\d+$/.test(found);
  return quoted ? 'Remove the quotation marks.' : `Use ${numberWithin(node)}. ${meaning}`;
}
