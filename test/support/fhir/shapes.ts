// The shape of each STU3 type as a table made from its StructureDefinition: elements, cardinalities, types, codes,
// invariants. Made when a type is first met.

import fhirpath from 'fhirpath';
import stu3 from 'fhirpath/fhir-context/stu3/index.js';
import { codesOf, type ElementDefinition, type StructureDefinition, structureDefinition } from './definitions.ts';

/** A rule in FHIRPath that holds for an element. */
export interface Invariant {
  key: string;
  holds(element: unknown, resource: unknown): boolean;
}

export interface ElementShape {
  name: string;
  /** For `value[x]`: the name of the choice. */
  choice?: string;
  min: number;
  max: number;
  /** Whether JSON writes it as an array. */
  many: boolean;
  type: string;
  primitive: boolean;
  /** Codes of a required binding, where they can be enumerated. */
  codes?: ReadonlySet<string> | undefined;
  /** Types that a Reference may lead to; absent for any. */
  targets?: readonly string[];
  invariants: readonly Invariant[];
  /** Path of the shape of its children, as `Practitioner.qualification`; a type's name for a data type. */
  shape: string;
}

export interface Shape {
  elements: ReadonlyMap<string, ElementShape>;
  invariants: readonly Invariant[];
}

/** `ele-1` and `dom-3` misfire in FHIRPath; the walk says by itself what `ele-1` means. txt-1 and txt-2 need an XHTML parser. */
const LEFT_OUT = new Set(['ele-1', 'dom-3', 'txt-1', 'txt-2']);

const shapes = new Map<string, Shape | undefined>();

/** The shape of a type or of a backbone element; undefined for what STU3 does not know. */
export function shapeOf(path: string): Shape | undefined {
  if (!shapes.has(path)) {
    const definition = structureDefinition(path.split('.')[0] as string);
    shapes.set(path, definition && definition.kind !== 'primitive-type' ? made(definition, path) : undefined);
  }
  return shapes.get(path);
}

function made(definition: StructureDefinition, path: string): Shape {
  const all = definition.snapshot.element.filter(({ id }) => !id.includes(':'));
  const depth = path.split('.').length + 1;
  const children = all.filter((one) => one.path.startsWith(`${path}.`) && one.path.split('.').length === depth);
  const own = depth === 2 ? all[0] : undefined;
  const elements = children.flatMap((child) => elementShapes(child, all));
  return {
    elements: new Map(elements.map((element) => [element.name, element])),
    invariants: own ? invariantsOf(own) : [],
  };
}

function elementShapes(element: ElementDefinition, all: readonly ElementDefinition[]): ElementShape[] {
  const name = element.path.slice(element.path.lastIndexOf('.') + 1);
  const isChoice = name.endsWith('[x]');
  const referred = element.contentReference?.slice(1);
  const codes = [...new Set((element.type ?? [{ code: 'BackboneElement' }]).flatMap(({ code }) => code ?? []))];
  return codes.map((code) => {
    const hasOwn = all.some(({ path }) => path.startsWith(`${element.path}.`));
    const primitive = structureDefinition(code)?.kind === 'primitive-type';
    const targets = (element.type ?? []).flatMap(({ targetProfile }) => targetProfile?.split('/').at(-1) ?? []);
    return {
      name: isChoice ? name.slice(0, -3) + code.charAt(0).toUpperCase() + code.slice(1) : name,
      ...(isChoice ? { choice: name } : {}),
      min: element.min,
      max: element.max === '*' ? Number.POSITIVE_INFINITY : Number(element.max),
      many: (element.base?.max ?? element.max) !== '1',
      type: code,
      primitive,
      ...(element.binding?.strength === 'required' && primitive
        ? { codes: codesOf(element.binding.valueSetReference?.reference ?? '') }
        : {}),
      ...(code === 'Reference' && targets.length > 0 && !targets.includes('Resource') ? { targets } : {}),
      invariants: invariantsOf(element),
      shape: referred ?? (hasOwn ? element.path : code),
    };
  });
}

function invariantsOf({ path, constraint = [] }: ElementDefinition): Invariant[] {
  return constraint.flatMap(({ key, severity, expression }) => {
    if (LEFT_OUT.has(key) || severity !== 'error' || expression === undefined) return [];
    const test = fhirpath.compile({ base: path, expression }, stu3, { traceFn: () => {} });
    return {
      key,
      holds: (element, resource) => {
        const [result] = test(element, { resource }) as unknown[];
        return result !== false;
      },
    };
  });
}
