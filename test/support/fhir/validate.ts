// Validates a resource: with npm `fhir`, fed with the official STU3 definitions, and by a walk along the same definitions.
// Neither finds everything alone.

import { Fhir, Versions } from 'fhir/fhir.js';
import { ParseConformance } from 'fhir/parseConformance.js';
import { type StructureDefinition, structureDefinition, valueSet } from './definitions.ts';
import { walkErrors } from './walk.ts';

/** Types whose definitions are loaded for npm `fhir`, with all that they are made of. */
const TYPES = [
  ...['Practitioner', 'Organization', 'PractitionerRole', 'Bundle', 'OperationOutcome', 'CapabilityStatement'],
  ...['SearchParameter', 'CodeSystem', 'Parameters', 'Binary'],
];

let loaded: Fhir | undefined;

/** npm `fhir` with the definitions of STU3. */
export function stu3Fhir(): Fhir {
  loaded ??= load();
  return loaded;
}

function load(): Fhir {
  const definitions = new Map<string, StructureDefinition>();
  const sets = new Map<string, { resource: object }>();
  const waiting = [...TYPES];
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const definition = definitions.has(type) ? undefined : structureDefinition(type);
    if (!definition) continue;
    definitions.set(type, definition);
    for (const { path, type: types = [], binding } of definition.snapshot.element) {
      // Any type may be the value of an extension: those that are not loaded are left to the walk.
      if (path !== 'Extension.value[x]') waiting.push(...types.flatMap(({ code }) => code ?? []));
      const found = binding?.strength === 'required' ? valueSet(binding.valueSetReference?.reference ?? '') : undefined;
      for (const resource of found ? [found.valueSet, ...found.systems] : []) sets.set(resource.url, { resource });
    }
  }
  const parser = new ParseConformance(false, Versions.STU3);
  parser.parseBundle({ entry: [...sets.values(), ...[...definitions.values()].map((resource) => ({ resource }))] });
  return new Fhir(parser);
}

/** What is wrong with a resource as STU3 defines it: one line for each error, none when it is valid. */
export function errorsOf(resource: unknown): string[] {
  return [...packageErrors(resource), ...walkErrors(resource).map((error) => `${error} (walk)`)];
}

/** The errors that npm `fhir` finds. */
export function packageErrors(resource: unknown): string[] {
  try {
    const { messages } = stu3Fhir().validate(resource as object, { errorOnUnexpected: true });
    return messages
      .filter(({ severity }) => severity === 'error' || severity === 'fatal')
      .map(({ location, message }) => `${location}: ${message} (fhir)`);
  } catch (error) {
    return [`not readable: ${error} (fhir)`];
  }
}

/** The errors of JSON text, which must be one resource. */
export function errorsOfText(text: string): string[] {
  let resource: unknown;
  try {
    resource = JSON.parse(text);
  } catch (error) {
    return [`no JSON: ${error}`];
  }
  return errorsOf(resource);
}
