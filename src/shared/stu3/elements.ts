// The elements of every type of FHIR STU3, read from elements.txt. `test/support/directory/stu3-elements.ts` makes that file from HL7's
// definitions. Each type is parsed on first use.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of content of an element: a value, other elements, a resource of any type, or XHTML. */
type ElementKind = 'primitive' | 'complex' | 'resource' | 'xhtml';

export interface ElementDefinition {
  /** The name in JSON, such as `valueString` for one type of the choice `value[x]`. */
  name: string;
  /** Name in the definition, without `[x]`. `_elements` uses this name. */
  base: string;
  /** Position among the elements of the type that contains this element. */
  rank: number;
  kind: ElementKind;
  /** Type of the element's content. */
  type: string;
  repeats: boolean;
  /** True if the definition marks the element as `isSummary`. */
  summary: boolean;
  required: boolean;
  modifier: boolean;
  /** True if the element is written as an attribute in XML. */
  attribute: boolean;
}

export interface TypeDefinition {
  name: string;
  elements: ReadonlyMap<string, ElementDefinition>;
  /** Names of elements that are attributes in XML. */
  attributes: readonly string[];
  /** Names of mandatory elements. */
  required: readonly string[];
}

const LINE = /^([^<#]+)<(\S*) ?(.*)$/;
const ELEMENT = /^(\w+)(\[x\])?([*+!?@]*):(\S+)$/;

const definitions = once(() => {
  const text = readFileSync(join(import.meta.dirname, 'elements.txt'), 'utf8');
  const byType = new Map<string, () => TypeDefinition>();
  for (const line of text.split('\n')) {
    const [, type, base = '', own = ''] = LINE.exec(line) ?? [];
    if (type !== undefined)
      byType.set(
        type,
        once(() => parse(type, base, own)),
      );
  }
  return byType;
});

/** Returns the definition of a type such as `Practitioner`, `HumanName` or `Practitioner.qualification`; undefined for an unknown one. */
export function definitionOf(type: string): TypeDefinition | undefined {
  return definitions().get(type)?.();
}

function parse(type: string, base: string, own: string): TypeDefinition {
  const elements = new Map(base === '' ? [] : definitionOf(base)?.elements);
  for (const text of own === '' ? [] : own.split(' ')) {
    const [, name = '', choice, flags = '', declared = ''] = ELEMENT.exec(text) ?? [];
    for (const one of declared.split('|')) {
      const shown = choice ? name + one.charAt(0).toUpperCase() + one.slice(1) : name;
      const content = one === '.' ? `${type}.${name}` : one;
      elements.set(shown, {
        name: shown,
        base: name,
        rank: elements.size,
        kind: kindOf(content),
        type: content,
        repeats: flags.includes('*'),
        summary: flags.includes('+'),
        required: flags.includes('!'),
        modifier: flags.includes('?'),
        attribute: flags.includes('@'),
      });
    }
  }
  const namesOf = (flag: 'attribute' | 'required') =>
    [...elements.values()].filter((element) => element[flag]).map(({ name }) => name);
  return { name: type, elements, attributes: namesOf('attribute'), required: namesOf('required') };
}

function kindOf(type: string): ElementKind {
  if (type === 'Resource') return 'resource';
  if (type === 'xhtml') return 'xhtml';
  return /^[a-z]/.test(type) ? 'primitive' : 'complex';
}

// Definitions are made at their first use, because making them takes time that most processes can save.

/** Calls `make` once and keeps its result. `make` depends on nothing that changes, so its result is a constant, not a state. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
