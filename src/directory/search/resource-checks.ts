// Two checks on a resource that the search index cannot make itself, because they read elements of FHIR: whether the resource has a certain
// key (`exact-keys.ts`), and whether it holds a text letter for letter. The threads of the index load this file by `CHECKS_MODULE`.

import type { Address, ContactPoint, HumanName } from 'fhir/r3.js';
import { contactKeys, plainText, type ResourceChecks, referenceKey, tokenKeys } from '#search-index/index.ts';

export const checks: ResourceChecks = {
  hasKey: (_type, field, keys, json) => matchesToken(field, keys, json),
  hasText: matchesText,
};

/** The address of this module. It is given to `startSearchThreads`, so that the threads can import the module. */
export const CHECKS_MODULE = import.meta.url;

interface KeyRule {
  /**
   * A text by which the key is recognized in the JSON without parsing it. Nearly every resource with the key has this text. Undefined if
   * there is no such text.
   */
  usual(key: string): string | undefined;
  /** All keys that the resource has in this field. */
  keysOf(resource: Record<string, unknown>): readonly string[];
  /** True if upper and lower case make no difference. */
  folded?: boolean;
}

const KEY_RULES: Readonly<Record<string, KeyRule>> = {
  identifier: {
    usual(key) {
      const bar = key.lastIndexOf('|');
      const value = `"value":${JSON.stringify(key.slice(bar + 1))}`;
      if (bar === 0) return undefined;
      return bar < 0 ? value : `"system":${JSON.stringify(key.slice(0, bar))},${value}`;
    },
    keysOf: ({ identifier }) =>
      list<{ system?: string; value?: string }>(identifier).flatMap(({ system, value }) =>
        value === undefined ? [] : tokenKeys(system === undefined ? { value } : { system, value }),
      ),
  },
  telecom: {
    folded: true,
    usual: (key) => `"value":${JSON.stringify(key)}`,
    keysOf: ({ telecom }) => list<ContactPoint>(telecom).flatMap(contactKeys),
  },
  'part-of': reference('partOf'),
  practitioner: reference('practitioner'),
  organization: reference('organization'),
};

/**
 * Checks whether a resource, given as JSON text, has one of the keys in that field. In some fields, the index finds keys by their hashes,
 * so it may find a resource that has another key with the same hash. For any other field the result is always true, because there is
 * nothing to check.
 */
export function matchesToken(field: string, keys: ReadonlySet<string>, json: string): boolean {
  const rule = Object.hasOwn(KEY_RULES, field) ? KEY_RULES[field] : undefined;
  if (!rule) return true;
  const [key = ''] = keys;
  // The text is searched first, because parsing takes ten times as long. Parsing is needed only if the JSON has an unusual form, or if
  // there are several keys.
  const usual = keys.size > 1 ? undefined : rule.usual(key);
  if (usual !== undefined && (rule.folded ? json.toLowerCase() : json).includes(usual)) return true;
  return rule.keysOf(JSON.parse(json) as Record<string, unknown>).some((held) => keys.has(held));
}

function reference(element: string): KeyRule {
  return {
    usual: (key) => `"${element}":{"reference":${JSON.stringify(key)}`,
    keysOf(resource) {
      const written = (resource[element] as { reference?: string } | undefined)?.reference;
      if (written === undefined || written.includes(':')) return written === undefined ? [] : [written];
      const [type = '', id = ''] = written.split('/');
      return [referenceKey(type, id)];
    },
  };
}

function list<T>(value: unknown): T[] {
  return (value ?? []) as T[];
}

interface Named {
  name?: string | HumanName[];
  alias?: string[];
  address?: Address[];
  telecom?: ContactPoint[];
}

/** The texts of each field. Each text is compared as a whole. At an import, the words of the field come from the same texts. */
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
  telecom: ({ telecom = [] }) => telecom.map(({ value }) => value),
};

/**
 * Checks whether a resource, given as JSON text, has one of the texts in that field, letter for letter. Invisible characters are ignored,
 * and so is the encoding of an accent (é as one character or as two).
 */
function matchesText(field: string, texts: readonly string[], json: string): boolean {
  // The JSON text is searched first, because parsing takes ten times as long. A text that does not occur in the JSON cannot be in the
  // resource.
  const plain = plainText(json);
  const possible = texts.map(plainText).filter((text) => plain.includes(JSON.stringify(text)));
  if (possible.length === 0) return false;
  const held = TEXTS[field]?.(JSON.parse(plain) as Named) ?? [];
  return possible.some((text) => held.includes(text));
}

/** The parts of a person's names: family names and given names. A name without such parts has its `text` instead, as in the index. */
function names({ name }: { name: HumanName[] }): (string | undefined)[] {
  return name.flatMap(({ family, given, text }) =>
    family === undefined && given === undefined ? [text] : [family, ...(given ?? [])],
  );
}
