// Owns checking a parsed file against its JSON Schema and saying in plain words what does not fit.
// The schemas in `config/` are part of the installation and carry the defaults; editors use the same ones.
// Does not own the rules a schema cannot say (`service.ts`, `client-rules.ts`).

import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { nearest } from '../nearest.ts';
import type { Fault } from './faults.ts';
import type { KeyPath, YamlFile } from './yaml-file.ts';

export type SchemaName = 'service' | 'clients';

/** The part of a JSON Schema that is read here and in the table of keys. */
export interface SchemaNode {
  description?: string;
  type?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly SchemaNode[];
  $ref?: string;
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  items?: SchemaNode;
  minimum?: number;
  maximum?: number;
}

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true });
// Addresses are checked by rules of our own, whose messages name the remedy; the format is for editors.
ajv.addFormat('uri', true);

const validators = new Map<SchemaName, ValidateFunction>();

/** The schema beside `config/<name>.yaml` of the installation. */
export function schemaOf(name: SchemaName): SchemaNode {
  return JSON.parse(readFileSync(new URL(`../../../config/${name}.schema.json`, import.meta.url), 'utf8'));
}

/** Checks the file's value, fills in defaults (in place), and returns what does not fit. */
export function checkAgainstSchema(name: SchemaName, yaml: YamlFile): Fault[] {
  let validate = validators.get(name);
  if (!validate) {
    validate = ajv.compile(schemaOf(name));
    validators.set(name, validate);
  }
  if (validate(yaml.value)) return [];
  const faults = (validate.errors ?? []).filter((error) => !isEcho(error)).map((error) => faultOf(error, yaml));
  // Several branches of one choice report the same place: the first says it.
  return faults.filter(
    (fault, place) =>
      place === faults.findIndex(({ path, problem }) => path === fault.path && problem === fault.problem),
  );
}

// `anyOf` reports each branch and then itself; one sentence for the whole choice is enough.
function isEcho(error: ErrorObject): boolean {
  return /\/anyOf\/\d+\//.test(error.schemaPath) || /#\/definitions\/\w+\/anyOf\/\d+/.test(error.schemaPath);
}

function faultOf(error: ErrorObject, yaml: YamlFile): Fault {
  const path: (string | number)[] = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  if (error.keyword === 'additionalProperties') path.push(String(error.params['additionalProperty']));
  const line = yaml.lineOf(path);
  return { file: yaml.file, path: pathText(path), ...(line === undefined ? {} : { line }), ...sentence(error, path) };
}

/** `clients[2].callbackUrls[0]`, as an operator reads it. */
export function pathText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = /^[\w$-]{1,60}$/.test(step) ? step : JSON.stringify(step.slice(0, 60));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

type Sentence = Pick<Fault, 'problem' | 'remedy'>;

function sentence(error: ErrorObject, path: KeyPath): Sentence {
  const { keyword, params } = error;
  const node = (error.parentSchema ?? {}) as SchemaNode;
  const meaning = node.description ?? 'See config/README.md.';
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys(node.properties ?? {});
      const near = nearest(String(path.at(-1)), known);
      const remedy = near ? `Did you mean "${near}"?` : `Remove it. Known keys here: ${known.join(', ')}.`;
      return { problem: 'Unknown key.', remedy };
    }
    case 'required': {
      const missing = String(params['missingProperty']);
      const description = node.properties?.[missing]?.description ?? '';
      return { problem: `The key "${missing}" is missing.`, remedy: `Add it: ${description}` };
    }
    case 'type':
      return {
        problem: `Is ${kindOf(error.data)}, but must be ${KINDS[String(params['type'])] ?? params['type']}.`,
        remedy: typeRemedy(error.data, String(params['type']), meaning),
      };
    case 'enum': {
      const allowed = (node.enum ?? []).map(String);
      const near = typeof error.data === 'string' ? nearest(error.data, allowed) : undefined;
      const remedy = near ? `Did you mean "${near}"?` : `Use one of: ${allowed.join(', ')}.`;
      return { problem: 'Unknown value.', remedy };
    }
    case 'anyOf':
      return node.$ref || isDuration(node)
        ? {
            problem: 'Is no duration.',
            remedy: 'Write a number of seconds (3600), or a number with s, m, h or d ("12h").',
          }
        : { problem: 'Does not fit.', remedy: meaning };
    case 'minProperties':
    case 'maxProperties':
      return {
        problem: `Has ${Object.keys(error.data as object).length} keys where exactly one belongs.`,
        remedy: 'Keep one of: hash, env, file.',
      };
    case 'uniqueItems':
      return {
        problem: `Entries ${params['j']} and ${params['i']} (counted from 0) are the same.`,
        remedy: 'Remove one of them.',
      };
    case 'minimum':
      return { problem: `Is less than ${params['limit']}.`, remedy: meaning };
    case 'maximum':
      return { problem: `Is more than ${params['limit']}.`, remedy: meaning };
    case 'minLength':
      return { problem: 'Is empty.', remedy: meaning };
    case 'maxLength':
      return { problem: `Has more than ${params['limit']} characters.`, remedy: meaning };
    case 'maxItems':
      return { problem: `Has more than ${params['limit']} entries.`, remedy: meaning };
    case 'pattern':
      return { problem: 'Has characters, a beginning or a length that do not fit.', remedy: meaning };
    default:
      return { problem: `${capital(error.message ?? 'does not fit')}.`, remedy: meaning };
  }
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'a group of keys',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? typeof value;
}

function typeRemedy(value: unknown, wanted: string, meaning: string): string {
  if (wanted === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return 'Put it in quotation marks.';
  if (value === null) return `Give it a value, or remove the key. ${meaning}`;
  if (wanted === 'array') return 'Write a list: [one, two], or one "- entry" per line.';
  return meaning;
}

function isDuration(node: SchemaNode): boolean {
  return node.anyOf?.some((branch) => branch.type === 'string') ?? false;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
