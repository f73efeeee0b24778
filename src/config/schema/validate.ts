// Parses the value of a file with its zod schema, and reports every issue at once with its position.

import type { z } from 'zod';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { isGroup } from '#config/environment/environment.ts';
import { type KeyPath, pathText, type YamlFile } from '#config/yaml/yaml-file.ts';
import { describeIssue, unknownKey } from './describe-issue.ts';
import type { SchemaNode } from './json-schema.ts';

/** Stands for a key that is missing because it is misspelt. Its absence causes no further issues. */
const MISSPELT = Symbol('misspelt');

/**
 * Validates the value. `keys` is the schema as JSON Schema. `fixed` holds former settings and their values now. Returns the parsed value
 * with defaults, or every issue.
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
    // Further checks of the same value would repeat the first issue.
    if (issue.code === 'unrecognized_keys' || issue.input === MISSPELT || seen.has(at)) continue;
    seen.add(at);
    // A missing key is an issue of the group that lacks it.
    const path = (issue.input === undefined ? issue.path.slice(0, -1) : issue.path) as KeyPath;
    issues.push(issueAt(path, describeIssue(keys, issue)));
  }
  return { issues };
}

/** Makes empty groups, and empty lists of entries, of keys below which every line is a comment: YAML reads nothing there. */
function fillEmptyGroups(value: unknown, { properties = {} }: SchemaNode): void {
  if (!isGroup(value)) return;
  for (const [key, node] of Object.entries(properties)) {
    if (value[key] !== null) fillEmptyGroups(value[key], node);
    else if (node.properties) value[key] = {};
    else if (node.items?.properties) value[key] = [];
  }
}
