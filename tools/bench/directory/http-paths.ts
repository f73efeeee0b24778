// The addresses of the two common searches that are measured over HTTP.

import { createDraw, type Draw } from '#support/draw.ts';
import { identifier, type Sources } from './query-classes.ts';

const DIRECTORY = '/directory/v2/Practitioner?';
/** Different searches of each kind. */
const PATHS = 400;

const KINDS: readonly { what: string; criteria(draw: Draw, sources: Sources): Record<string, string> }[] = [
  { what: 'identifier', criteria: (draw, { people }) => ({ identifier: identifier(draw, draw.one(people)) }) },
  {
    what: 'page of 20 by name prefix',
    criteria: (draw, { people }) => ({ name: namePrefix(draw, people), _count: '20' }),
  },
];

/** Short beginnings, which many names share, so that pages are full. */
function namePrefix(draw: Draw, people: Sources['people']): string {
  const names = people.map(({ name }) => name[0] ?? '').filter((word) => word.length >= 2);
  return draw.prefix(draw.one(names), 4);
}

/** Paths of one kind of search, always the same for the same data. */
export function pathsOf(kind: 'identifier' | 'name', sources: Sources, count = PATHS): string[] {
  const draw = createDraw(11);
  const { criteria } = KINDS[kind === 'identifier' ? 0 : 1] as (typeof KINDS)[number];
  return Array.from({ length: count }, () => DIRECTORY + new URLSearchParams(criteria(draw, sources)));
}
