// Validates the content of a file with its zod schema. Every issue is reported at once, with its position, the expected value, the actual
// value and the meaning of the key. For an unknown key, the issue names the known key that is most likely meant. No issue shows a value
// that may be a secret.

import type { z } from 'zod';
import { type ConfigIssue, type Problem, shown } from '#config/configuration-error.ts';
import { ENVIRONMENT, isGroup } from '#config/environment/environment.ts';
import { type KeyPath, pathText, type YamlFile } from '#config/yaml/yaml-file.ts';
import { didYouMean, nearest } from '#shared/nearest.ts';
import { keyRows, nodeAt, type SchemaNode } from './json-schema.ts';

/**
 * Placeholder for a missing key that the operator has probably misspelt. The misspelt key is reported already, so the missing key must not
 * be a second issue.
 */
const MISSPELT = Symbol('misspelt');

/**
 * Validates the content of a file. `keys` is the same schema as JSON Schema. `fixed` has a sentence for each key that was a setting in
 * earlier releases. Returns the parsed value with defaults, or every issue.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  keys: SchemaNode,
  { value, has, issueAt }: YamlFile,
  fixed: Readonly<Record<string, string>> = {},
): { value?: z.output<Schema>; issues: ConfigIssue[] } {
  fillEmptyGroups(value, keys);
  const parse = () => schema.safeParse(value, { reportInput: true });
  const { data, error } = parse();
  if (!error) return { value: data, issues: [] };
  const issues = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const path = issue.path as KeyPath;
    return issue.keys.map((key) => {
      const at = pathText([...path, key]);
      if (Object.hasOwn(fixed, at))
        return issueAt([...path, key], { problem: fixed[at] ?? '', remedy: 'Remove the key.' });
      const { means, ...problem } = unknownKey(keys, key, path);
      if (means && !has([...path, means])) (issue.input as Record<string, unknown>)[means] = MISSPELT;
      return issueAt([...path, key], problem);
    });
  });
  const seen = new Set<string>();
  for (const issue of parse().error?.issues ?? []) {
    const at = JSON.stringify(issue.path);
    // Only the first issue of each value is reported, because the operator has to correct the value anyway.
    if (issue.code === 'unrecognized_keys' || issue.input === MISSPELT || seen.has(at)) continue;
    seen.add(at);
    // A missing key has no position in the file. Its issue gets the position of the group that lacks the key.
    const path = (issue.input === undefined ? issue.path.slice(0, -1) : issue.path) as KeyPath;
    issues.push(issueAt(path, describeIssue(keys, issue)));
  }
  return { issues };
}

/**
 * Sets an empty group or an empty list where the file has a key without a value. This happens if every line below the key is a comment.
 * YAML reads such a key as null.
 */
function fillEmptyGroups(value: unknown, { properties = {} }: SchemaNode): void {
  if (!isGroup(value)) return;
  for (const [key, node] of Object.entries(properties)) {
    if (value[key] !== null) fillEmptyGroups(value[key], node);
    else if (node.properties) value[key] = {};
    else if (node.items?.properties) value[key] = [];
  }
}

/** Describes an issue of zod. Unknown keys are described by `unknownKey` instead. */
function describeIssue(schema: SchemaNode, issue: z.core.$ZodIssue): Problem {
  const { input, path } = issue;
  const node = nodeAt(schema, path);
  const { description: meaning = '' } = node;
  if (input === undefined)
    return { problem: `The key "${String(path.at(-1))}" is missing.`, remedy: `Add it: ${meaning}` };
  const correct = meaning.startsWith('Write ') ? meaning : `Correct it: ${meaning}`;
  if (issue.code === 'custom') return { problem: issue.message, remedy: String(issue.params?.['remedy'] ?? correct) };
  // For a value that does not match a pattern, the schema declares the message.
  if (issue.code === 'invalid_format' && !node.anyOf) return { problem: issue.message, remedy: correct };
  const problem = `Must be ${expected(node)}, but ${found(input, node)}.`;
  if (path.length === 0) {
    const keys = Object.keys(node.properties ?? {}).join(', ');
    return { problem, remedy: `Write \`key: value\` lines without dashes before them. Keys here: ${keys}.` };
  }
  if (input === null) return { problem, remedy: `Give it a value, or remove it. ${meaning}` };
  const words = typeof input === 'string' ? (node.enum ?? []).map(String) : [];
  return { problem, remedy: didYouMean(String(input), words, correct) };
}

function expected({ type = '', anyOf, enum: words, const: word, pattern, ...limits }: SchemaNode): string {
  if (anyOf) return anyOf.map(expected).join(', or ');
  if (words) return words.length > 1 ? `one of ${words.join(', ')}` : String(words[0]);
  if (word !== undefined) return String(word);
  if (pattern?.includes('[smhd]'))
    return `a number with s, m, h or d (12h)${pattern.includes('never') ? ', or never' : ''}`;
  const { minimum: least = limits.minLength ?? limits.minItems ?? 0 } = limits;
  const most = limits.maximum ?? limits.maxLength ?? limits.maxItems;
  const range = most === undefined ? `${least} or more` : `${least} to ${most}`;
  switch (type) {
    case 'string':
      return limits.minLength === undefined ? 'text' : `text of ${range} characters`;
    case 'array':
      return `a list of ${range} entries`;
    case 'integer':
      return `a whole number, ${range}`;
    case 'number':
      return `a number, ${range}`;
    default:
      return type === 'boolean' ? 'true or false' : 'a group of keys';
  }
}

function found(value: unknown, { type, enum: words }: SchemaNode): string {
  if (value === null) return 'is empty';
  // A value that may be a secret is not shown. It may be one if the key takes text, a list or a group. Where a number, true, false or one
  // of some fixed words is expected, nobody writes a secret.
  if (words || !['string', 'array', 'object'].includes(type ?? '')) return `is ${shown(value)}`;
  if (Array.isArray(value)) return type === 'array' ? `has ${value.length}` : 'is a list';
  if (typeof value === 'string') return type === 'string' ? `has ${value.length}` : 'is text';
  return typeof value === 'object' ? 'is a group of keys' : `is a ${typeof value}`;
}

// Reduces different spellings of a key to the same text: callback_urls, callbackUrls and callbackUrl.
const fold = (key: string) => key.toLowerCase().replace(/[_-]/g, '').replace(/s$/, '');

/**
 * Describes an unknown key of the group at `path`. `means` is the key of the same group that the operator probably meant. It is absent if
 * no key of the group is similar.
 */
function unknownKey(schema: SchemaNode, key: string, path: KeyPath): Problem & { means?: string } {
  const known = Object.keys(nodeAt(schema, path).properties ?? {});
  const all = keyRows(schema).map(({ path: one }) => ({ path: one, last: one.split('.').at(-1) ?? '' }));
  const problem = 'Unknown key.';
  const isElsewhere = all.some(({ last }) => last === key);
  const means = known.find((one) => fold(one) === fold(key)) ?? (isElsewhere ? undefined : nearest(key, known));
  if (means !== undefined) return { problem, remedy: `Did you mean "${means}"?`, means };
  if (path.join() === 'mail' && fold(key).startsWith('pass')) {
    const remedy = 'Put it into HYGIE_MAIL_PASSWORD, or into a file that HYGIE_MAIL_PASSWORD_FILE names.';
    return { problem: 'A password does not belong in this file.', remedy };
  }
  if (Object.hasOwn(ENVIRONMENT, key)) {
    return { problem: 'Is an environment variable, not a key.', remedy: 'Set it in the environment of the service.' };
  }
  const near = nearest(
    key,
    all.map(({ last }) => last),
  );
  const elsewhere = all.filter(({ last }) => last === near).map((one) => one.path);
  if (elsewhere.length > 0) return { problem, remedy: `Did you mean ${elsewhere.join(', or ')}?` };
  return { problem, remedy: `Remove it. Known keys here: ${known.join(', ')}.` };
}
