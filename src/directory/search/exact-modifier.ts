// Whether a resource holds a text exactly as it is written: checks the candidates of a search with `:exact`.

import type { Address, HumanName } from 'fhir/r3.js';
import { plainText } from '#search-index/index.ts';

interface Named {
  name?: string | HumanName[];
  alias?: string[];
  address?: Address[];
}

/** The texts of a field, each of which is compared as a whole: the same that the loader takes words from. */
const TEXTS: Readonly<Record<string, (resource: Named) => readonly (string | undefined)[]>> = {
  name: ({ name, alias = [] }) => (Array.isArray(name) ? names({ name }) : [name, ...alias]),
  family: ({ name }) => (Array.isArray(name) ? name.map(({ family }) => family) : []),
  given: ({ name }) => (Array.isArray(name) ? name.flatMap(({ given = [] }) => given) : []),
  address: ({ address = [] }) =>
    address.flatMap(({ line, city, postalCode, text }) =>
      line === undefined && city === undefined && postalCode === undefined
        ? [text]
        : [...(line ?? []), city, postalCode],
    ),
  'address-city': ({ address = [] }) => address.map(({ city }) => city),
  'address-postalcode': ({ address = [] }) => address.map(({ postalCode }) => postalCode),
};

/**
 * Whether a resource, given as JSON text, has any of the texts in that field, letter for letter. How a letter is encoded (é,
 * or e and its accent) and what nobody sees do not count.
 */
export function matchesText(field: string, texts: readonly string[], json: string): boolean {
  // Parsing costs ten times as much, and what is not in the text is not in the resource.
  const plain = plainText(json);
  const possible = texts.map(plainText).filter((text) => plain.includes(JSON.stringify(text)));
  if (possible.length === 0) return false;
  const held = TEXTS[field]?.(JSON.parse(plain) as Named) ?? [];
  return possible.some((text) => held.includes(text));
}

/** Of a person, the text as a whole counts where the name has no parts, as in searches. */
function names({ name }: { name: HumanName[] }): (string | undefined)[] {
  return name.flatMap(({ family, given, text }) =>
    family === undefined && given === undefined ? [text] : [family, ...(given ?? [])],
  );
}
