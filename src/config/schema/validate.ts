// Owns checking a parsed file against its JSON Schema, one issue for each mistake.
// The schemas carry the defaults.
// Does not own the words (`schema-sentences.ts`) nor the rules a schema cannot say (`service-rules.ts`, `client-rules.ts`).

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ConfigIssue } from '../configuration-error.ts';
import type { KeyPath, YamlFile } from '../yaml/yaml-file.ts';
import { sentence } from './describe-issue.ts';
import { type SchemaName, schemaOf } from './json-schema.ts';
import { unknownKey } from './unknown-keys.ts';

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true });
// Addresses are checked by rules of our own, whose messages name the remedy; the format is for editors.
ajv.addFormat('uri', true);

const validators = new Map<SchemaName, ValidateFunction>();

/** Stands where a key is missing because it is misspelt: nothing that follows from its absence is a issue. */
const MEANT = Symbol('meant by an unknown key');

/** Checks the file's value, fills in defaults and `MEANT` (in place), and returns what does not fit. */
export function checkAgainstSchema(name: SchemaName, yaml: YamlFile): ConfigIssue[] {
  let validate = validators.get(name);
  if (!validate) {
    validate = ajv.compile(schemaOf(name));
    validators.set(name, validate);
  }
  if (validate(yaml.value)) return [];
  const errors = (validate.errors ?? []).filter((error) => !isEcho(error));
  const [unknown, others] = [errors.filter(isOfUnknownKey), errors.filter((error) => !isOfUnknownKey(error))];
  const issues = unknown.map((error) => {
    const path = pathOf(error);
    const { means, ...words } = unknownKey(name, error, path);
    if (means !== undefined && !yaml.holds([...path, means])) (error.data as Group)[means] = MEANT;
    return issueAt(yaml, [...path, error.params['additionalProperty']], words);
  });
  for (const error of others) {
    const followsFromMisspelling =
      error.keyword === 'required' && (error.data as Group)[error.params['missingProperty']] === MEANT;
    if (!followsFromMisspelling) issues.push(issueAt(yaml, pathOf(error), sentence(error, pathOf(error))));
  }
  // Several branches of one choice report the same place: the first says it.
  return issues.filter(
    (issue, place) =>
      place === issues.findIndex(({ path, problem }) => path === issue.path && problem === issue.problem),
  );
}

type Group = Record<string, unknown>;

function isOfUnknownKey({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties';
}

// `anyOf` reports each branch and then itself; one sentence for the whole choice is enough.
function isEcho(error: ErrorObject): boolean {
  return /\/anyOf\/\d+\//.test(error.schemaPath) || /#\/definitions\/\w+\/anyOf\/\d+/.test(error.schemaPath);
}

/** A issue at a path of the file, with its line. */
export function issueAt(yaml: YamlFile, path: KeyPath, issue: Pick<ConfigIssue, 'problem' | 'remedy'>): ConfigIssue {
  const line = yaml.lineOf(path);
  return { file: yaml.file, path: pathText(path), ...(line === undefined ? {} : { line }), ...issue };
}

function pathOf({ instancePath }: ErrorObject): KeyPath {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** `clients[2].callbackUrls[0]`, as an operator reads it. */
export function pathText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = /^[\w$-]{1,60}$/.test(step) ? step : JSON.stringify(step.slice(0, 60));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
