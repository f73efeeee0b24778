// Converts XML back to JSON for comparison, by npm fhir with HL7's STU3 definitions of all types, and completes what that
// converter does not keep.

import { Fhir } from 'fhir/fhir.js';
import { ParseConformance } from 'fhir/parseConformance.js';
import { structures } from './stu3-elements.ts';

let converter: Fhir | undefined;

/** The resource that an XML document holds, as `comparable`. */
export function backFromXml(xml: string): unknown {
  converter ??= createConverter();
  return comparable(JSON.parse(converter.xmlToJson(xml)));
}

function createConverter(): Fhir {
  const parser = new ParseConformance(false, 'STU3');
  for (const definition of structures()) parser.parseStructureDefinition(definition);
  return new Fhir(parser);
}

/**
 * A resource without what the converter changes: it gives some decimals as texts, loses white space between tags of narrative,
 * and puts an empty array where only extensions of values are.
 */
export function comparable(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return /^-?\d+\.\d+$/.test(value) ? String(Number(value)) : value;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  if ('rawJSON' in value) return comparable(Number(value.rawJSON));
  const members = Object.entries(value)
    .filter(([name, content]) => name !== 'div' && !(Array.isArray(content) && content.length === 0))
    .map(([name, content]) => [name, comparable(content)]);
  return Object.fromEntries(members);
}
