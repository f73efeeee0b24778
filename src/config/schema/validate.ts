// Parses the value of a file with its zod schema: every issue at once, each in plain words at its position.

import type { z } from 'zod';
import type { ConfigIssue } from '../configuration-error.ts';
import type { KeyPath, YamlFile } from '../yaml/yaml-file.ts';
import { describeIssue } from './describe-issue.ts';
import { SCHEMAS, type SchemaName } from './json-schema.ts';
import { unknownKey } from './unknown-keys.ts';

type Parsed<Name extends SchemaName> = z.output<(typeof SCHEMAS)[Name]>;

/** What a file holds so far as it fits the schema: any part may be missing or of another kind. */
export type Unchecked<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchecked<Item>[] | undefined
  : Value extends object
    ? { readonly [Key in keyof Value]?: Unchecked<Value[Key]> } | undefined
    : unknown;

/** Stands for a key that is missing because it is misspelt: nothing that follows from its absence is an issue. */
const MISSPELT = Symbol('misspelt');

/** The parsed value, defaults filled in: whole when there is no issue, otherwise so far as it fits. */
export function validate<Name extends SchemaName>(
  name: Name,
  yaml: YamlFile,
): { value: Parsed<Name>; issues: ConfigIssue[] } {
  const first = parse(name, yaml.value);
  if (first.issues.length === 0) return { value: first.value, issues: [] };
  const issues = first.issues.filter(isUnknownKeys).flatMap((issue) => {
    const path = issue.path as KeyPath;
    return issue.keys.map((key) => {
      const { means, ...problem } = unknownKey(name, key, path);
      if (means !== undefined && !yaml.has([...path, means]))
        (issue.input as Record<string, unknown>)[means] = MISSPELT;
      return yaml.issueAt([...path, key], problem);
    });
  });
  const { value, issues: others } = issues.length === 0 ? first : parse(name, yaml.value);
  const seen = new Set<string>();
  for (const issue of others) {
    const at = JSON.stringify(issue.path);
    // Further checks of the same value repeat what the first one found.
    if (isUnknownKeys(issue) || issue.input === MISSPELT || seen.has(at)) continue;
    seen.add(at);
    // A missing key is an issue of the group that lacks it.
    const path = (issue.input === undefined ? issue.path.slice(0, -1) : issue.path) as KeyPath;
    issues.push(yaml.issueAt(path, describeIssue(name, issue)));
  }
  return { value, issues };
}

function isUnknownKeys(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys';
}

function parse<Name extends SchemaName>(
  name: Name,
  input: unknown,
): { value: Parsed<Name>; issues: readonly z.core.$ZodIssue[] } {
  // The refinement runs in any case: it sees what fits even where zod returns none of it.
  let partial: unknown;
  const keepPartial = (value: unknown) => {
    partial = value;
  };
  const result = SCHEMAS[name].superRefine(keepPartial, { when: () => true }).safeParse(input, { reportInput: true });
  return { value: partial as Parsed<Name>, issues: result.error?.issues ?? [] };
}
