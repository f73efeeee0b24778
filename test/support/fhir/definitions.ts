// Reads the official STU3 definitions (npm hl7.fhir.r3.examples), one by one as they are needed.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The part of an ElementDefinition that is used here. */
export interface ElementDefinition {
  id: string;
  path: string;
  min: number;
  max: string;
  base?: { max: string };
  /** Without a code for the values of primitive types. */
  type?: { code?: string; targetProfile?: string; extension?: { url: string; valueString?: string }[] }[];
  contentReference?: string;
  binding?: { strength: string; valueSetReference?: { reference: string } };
  constraint?: { key: string; severity: string; expression?: string }[];
}

export interface StructureDefinition {
  resourceType: 'StructureDefinition';
  id: string;
  url: string;
  type: string;
  kind: 'primitive-type' | 'complex-type' | 'resource';
  snapshot: { element: ElementDefinition[] };
}

interface Concept {
  code: string;
  concept?: Concept[];
}
interface CodeSystem {
  resourceType: 'CodeSystem';
  url: string;
  content: string;
  concept?: Concept[];
}
interface ValueSet {
  resourceType: 'ValueSet';
  url: string;
  compose?: {
    include: { system?: string; concept?: Concept[]; filter?: unknown[]; valueSet?: string[] }[];
    exclude?: unknown[];
  };
}

const FOLDER = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r3.examples/package.json'));
const HL7 = 'http://hl7.org/fhir/';
const read = new Map<string, unknown>();

function named<Definition>(name: string): Definition | undefined {
  if (!read.has(name)) {
    const file = join(FOLDER, `${name}.json`);
    read.set(name, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  }
  return read.get(name) as Definition | undefined;
}

/** The definition of a type as HL7 published it, or undefined when STU3 has no such type. */
export function structureDefinition(type: string): StructureDefinition | undefined {
  return /^[A-Za-z0-9]+$/.test(type) ? named<StructureDefinition>(`StructureDefinition-${type}`) : undefined;
}

/** A search parameter as HL7 published it, by its id (`Practitioner-name`). */
export function searchParameter(id: string): Record<string, unknown> | undefined {
  return named(`SearchParameter-${id}`);
}

/** A ValueSet with the CodeSystems that it includes whole or in part, as far as the package holds them. */
export function valueSet(url: string): { valueSet: ValueSet; systems: CodeSystem[] } | undefined {
  const bare = url.split('|')[0] as string;
  if (!bare.startsWith(`${HL7}ValueSet/`)) return undefined;
  const found = named<ValueSet>(`ValueSet-${bare.slice(`${HL7}ValueSet/`.length)}`);
  if (!found) return undefined;
  const systems = (found.compose?.include ?? []).flatMap(({ system }) => codeSystem(system) ?? []);
  return { valueSet: found, systems };
}

function codeSystem(system: string | undefined): CodeSystem | undefined {
  if (!system?.startsWith(HL7)) return undefined;
  return named<CodeSystem>(`CodeSystem-${system.slice(HL7.length).replace('/', '-')}`);
}

const enumerated = new Map<string, ReadonlySet<string> | undefined>();

/** All codes of a ValueSet without their systems, or undefined when it cannot be enumerated (languages, media types). */
export function codesOf(url: string): ReadonlySet<string> | undefined {
  if (!enumerated.has(url)) enumerated.set(url, enumerate(url));
  return enumerated.get(url);
}

function enumerate(url: string): ReadonlySet<string> | undefined {
  const found = valueSet(url);
  if (!found?.valueSet.compose || found.valueSet.compose.exclude) return undefined;
  const codes = new Set<string>();
  for (const { system, concept, filter, valueSet: others } of found.valueSet.compose.include) {
    if (filter) return undefined;
    const concepts = concept ?? found.systems.find(({ url }) => url === system)?.concept;
    if (system !== undefined && !concepts) return undefined;
    for (const one of concepts ?? []) for (const code of withChildren(one)) codes.add(code);
    for (const other of others ?? []) {
      const inner = codesOf(other);
      if (!inner) return undefined;
      for (const code of inner) codes.add(code);
    }
  }
  return codes.size > 0 ? codes : undefined;
}

function withChildren({ code, concept = [] }: Concept): string[] {
  return [code, ...concept.flatMap(withChildren)];
}
