// Whether a resource has an exact key: checks the candidates that the index found by a hash.

import { contactKey, nationalNumber, referenceKey, tokenKeys } from '#search-index/index.ts';

interface KeyRule {
  /** Text that stands in the JSON of nearly every resource with the key; nothing where there is none. */
  usual(key: string): string | undefined;
  /** The keys that the resource has. */
  keysOf(resource: Record<string, unknown>): readonly string[];
  /** Whether case does not matter. */
  folded?: boolean;
}

const RULES: Readonly<Record<string, KeyRule>> = {
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
    keysOf: ({ telecom }) =>
      list<{ value?: string }>(telecom).flatMap(({ value }) =>
        value === undefined ? [] : [contactKey(value), nationalNumber(value)],
      ),
  },
  'part-of': reference('partOf'),
  practitioner: reference('practitioner'),
  organization: reference('organization'),
};

/** Whether a resource, given as JSON text, has the key in that field. Fields that are not looked up so are always right. */
export function matchesToken(field: string, key: string, json: string): boolean {
  const rule = Object.hasOwn(RULES, field) ? RULES[field] : undefined;
  if (!rule) return true;
  // Parsing costs ten times as much, and is needed only where the text is not as usual.
  const usual = rule.usual(key);
  if (usual !== undefined && (rule.folded ? json.toLowerCase() : json).includes(usual)) return true;
  return rule.keysOf(JSON.parse(json) as Record<string, unknown>).includes(key);
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
