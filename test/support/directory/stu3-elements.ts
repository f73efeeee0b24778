// Makes src/shared/stu3/elements.txt from HL7's own StructureDefinitions (npm hl7.fhir.r3.examples). Run `node
// test/support/directory/stu3-elements.ts` to write it anew.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const DEFINITIONS = join(ROOT, 'node_modules/hl7.fhir.r3.examples');
export const ELEMENTS_FILE = join(ROOT, 'src/shared/stu3/elements.txt');

const HEAD = [
  '# Every element of every FHIR STU3 (3.0.2) type, in the order of its StructureDefinition.',
  '# Made by test/support/directory/stu3-elements.ts; HL7 publishes the definitions under CC0.',
  '# type<type whose elements come first, then name, flags, colon, type; `.` is a type of its own, named by its path.',
  '# Flags: * repeats, + summary, ! mandatory, ? modifier, @ attribute in XML. [x] stands for each of the types that follow.',
];

interface ElementDefinition {
  path: string;
  min: number;
  max: string;
  isSummary?: boolean;
  isModifier?: boolean;
  representation?: string[];
  contentReference?: string;
  type?: { code?: string }[];
}

interface StructureDefinition {
  id: string;
  kind: string;
  type: string;
  snapshot: { element: ElementDefinition[] };
}

/** What the base types say first, longest list first. */
const BASES = ['DomainResource', 'Resource', 'BackboneElement', 'Element'];

/** The text of the file. */
export function elementsText(): string {
  const types = new Map<string, string[]>();
  for (const { snapshot } of structures())
    for (const element of snapshot.element) add(types, element, snapshot.element);
  const bases = new Map(BASES.map((base) => [base, types.get(base) ?? []]));
  const lines = [...types].map(([type, elements]) => line(type, elements, bases));
  return `${[...HEAD, ...lines.sort()].join('\n')}\n`;
}

/** HL7's definitions of all types that have elements. */
export function structures(): StructureDefinition[] {
  return readdirSync(DEFINITIONS)
    .filter((file) => file.startsWith('StructureDefinition-'))
    .map((file) => JSON.parse(readFileSync(join(DEFINITIONS, file), 'utf8')) as StructureDefinition)
    .filter(({ id, type, kind }) => id === type && (kind === 'resource' || kind === 'complex-type'));
}

function add(types: Map<string, string[]>, element: ElementDefinition, all: readonly ElementDefinition[]): void {
  const { path } = element;
  if (!path.includes('.')) {
    types.set(path, []);
    return;
  }
  const parent = path.slice(0, path.lastIndexOf('.'));
  const nested = all.some((other) => other.path.startsWith(`${path}.`));
  if (nested) types.set(path, []);
  types.get(parent)?.push(`${path.slice(parent.length + 1)}${flags(element)}:${nested ? '.' : typeOf(element)}`);
}

function flags({ min, max, isSummary, isModifier, representation }: ElementDefinition): string {
  const attribute = representation?.includes('xmlAttr');
  return [max !== '1' && '*', isSummary && '+', min > 0 && '!', isModifier && '?', attribute && '@']
    .filter(Boolean)
    .join('');
}

function typeOf({ path, type = [], contentReference }: ElementDefinition): string {
  if (contentReference) return contentReference.slice(1);
  const codes = [...new Set(type.map(({ code }) => code ?? ''))];
  if (codes.length > 1 && !path.endsWith('[x]')) throw new Error(`${path} has several types.`);
  return codes.join('|');
}

function line(type: string, elements: readonly string[], bases: ReadonlyMap<string, readonly string[]>): string {
  for (const [base, first] of bases) {
    if (base !== type && first.length > 0 && first.every((element, index) => element === elements[index]))
      return [`${type}<${base}`, ...elements.slice(first.length)].join(' ');
  }
  return [`${type}<`, ...elements].join(' ');
}

if (process.argv[1] === import.meta.filename) writeFileSync(ELEMENTS_FILE, elementsText());
