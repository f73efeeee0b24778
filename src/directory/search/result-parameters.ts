// Owns the parameters that steer the answer instead of naming a criterion: one row each in CONTROLS.
// Does not own the answer's form (`bundle.ts`) nor whether a media type can be served (`negotiation.ts`).

import type { SearchQuery } from '../../search-index/index.ts';
import { fault } from '../errors.ts';
import type { Subset } from '../format/summary-and-elements.ts';
import { LIMITS } from '../limits.ts';
import { decodePage, type Page } from './page-token.ts';
import { type Pair, queryOf } from './raw-query.ts';

export interface Controls {
  /** Resources of a page. */
  count: number;
  /** Only the total is wanted. */
  totalOnly: boolean;
  /** Whether the total is wanted, as `SearchQuery.total`. */
  total: SearchQuery['total'];
  /** `_format` as sent. */
  format?: string;
  pretty?: boolean;
  /** What is wanted of each resource; the whole one without it. */
  subset?: Subset;
  page?: Page;
  /** These parameters as they stand in links, `_page` aside. */
  links: string;
}

export const DEFAULT_CONTROLS: Controls = {
  count: LIMITS.defaultCount,
  totalOnly: false,
  total: 'unless-costly',
  links: '',
};

type Change = Partial<Omit<Controls, 'links'>>;

interface Control {
  /** @throws Fault 400 */
  parse(value: string): Change;
  /** The value for links; what was sent when absent. */
  linked?(controls: Controls): string;
}

const CONTROLS = new Map<string, Control>([
  ['_count', { parse: count, linked: ({ count }) => String(count) }],
  ['_summary', { parse: summary }],
  ['_elements', { parse: elements }],
  ['_total', { parse: total }],
  ['_format', { parse: (format) => ({ format }) }],
  ['_pretty', { parse: pretty }],
  ['_page', { parse: (text) => ({ page: decodePage(text) }) }],
]);

export const KNOWN_CONTROLS: readonly string[] = [...CONTROLS.keys()].filter((name) => name !== '_page');

export function isControl(name: string): boolean {
  return CONTROLS.has(name);
}

/**
 * What the steering parameters say together.
 * @throws Fault 400 for a malformed value and for a parameter that comes twice
 */
export function controlled(pairs: readonly Pair[]): Controls {
  if (pairs.length === 0) return DEFAULT_CONTROLS;
  const controls = { ...DEFAULT_CONTROLS };
  const seen = new Set<string>();
  const links: Pair[] = [];
  for (const [name, value] of pairs) {
    const control = CONTROLS.get(name);
    if (!control) continue;
    if (seen.has(name)) throw fault(400, 'value', `${name} stands more than once: send it once.`, { parameter: name });
    seen.add(name);
    const change = control.parse(value);
    if (change.subset && controls.subset)
      throw fault(400, 'value', '_summary and _elements each say what is left of a resource: send one of them.', {
        parameter: '_elements',
      });
    Object.assign(controls, change);
    if (name !== '_page') links.push([name, control.linked?.(controls) ?? value]);
  }
  if (controls.totalOnly) controls.total = true;
  controls.links = queryOf(links);
  return controls;
}

/** At most the largest page; 0 asks for the total alone (STU3 search 3.1.1.5.5). */
function count(value: string): Change {
  if (!/^\d{1,15}$/.test(value))
    throw fault(400, 'value', `_count is a whole number from 0 to ${LIMITS.largestCount}.`, { parameter: '_count' });
  const number = Math.min(Number(value), LIMITS.largestCount);
  return number === 0 ? { count: 0, totalOnly: true } : { count: number };
}

function summary(value: string): Change {
  switch (value) {
    case 'false':
      return {};
    case 'count':
      return { totalOnly: true };
    case 'true':
    case 'text':
    case 'data':
      return { subset: { summary: value } };
  }
  throw fault(400, 'value', '_summary is true, text, data, count or false.', { parameter: '_summary' });
}

/** Names are checked against the type later (`subset.ts`). */
function elements(value: string): Change {
  const names = value.split(',').map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z]+$/.test(name))) return { subset: { elements: [...new Set(names)] } };
  throw fault(400, 'value', '_elements is a list of elements of the type itself, joined by commas, such as id,name.', {
    parameter: '_elements',
  });
}

function pretty(value: string): Change {
  if (value === 'true' || value === 'false') return { pretty: value === 'true' };
  throw fault(400, 'value', '_pretty is true or false.', { parameter: '_pretty' });
}

/** R4's parameter, accepted: a total is always exact, and costly ones are given only to who asks for one. */
function total(value: string): Change {
  if (value === 'none') return { total: false };
  if (value === 'accurate' || value === 'estimate') return { total: true };
  throw fault(400, 'value', '_total is none, estimate or accurate.', { parameter: '_total' });
}
