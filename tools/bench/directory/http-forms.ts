// The requests that are measured over HTTP: the two common searches, and further kinds by what they search and by format.

import { createDraw, type Draw } from '#support/draw.ts';
import type { Target } from './drive.ts';
import { identifier, type Sources } from './query-classes.ts';

export interface Form {
  what: string;
  /** The target in this form; `asked` is the service with a token. */
  target(asked: Target, sources: Sources): Target;
}

/** Different requests of each kind. */
const COUNT = 400;
const ROLES = 20;
const INCLUDES = '_include=PractitionerRole:practitioner&_include=PractitionerRole:organization';

export const FORMS: readonly Form[] = [
  { what: 'read', target: (asked, sources) => ({ ...asked, paths: reads(sources) }) },
  {
    what: 'page of 20 by name prefix, POST',
    target: (asked, sources) => ({
      ...asked,
      method: 'POST',
      paths: pathsOf('name', sources).map((path) => path.replace('?', '/_search?')),
    }),
  },
  {
    what: `the roles of ${ROLES} people with people and structures (_include)`,
    target: (asked, sources) => ({ ...asked, paths: roles(sources) }),
  },
  { what: 'page of 50 people with roles and structures (_revinclude)', target: withRoles },
  { what: 'page of 20 by name prefix, XML', target: withHeaders({ accept: 'application/fhir+xml' }) },
  { what: 'page of 20 by name prefix, gzip', target: withHeaders({ 'accept-encoding': 'gzip' }) },
  { what: 'search that finds nothing', target: (asked, sources) => ({ ...asked, paths: misspelt(sources) }) },
  { what: 'codes of the edition', target: (asked) => ({ ...asked, paths: ['/directory/v2/CodeSystem?_count=200'] }) },
];

function withHeaders(headers: Record<string, string>): Form['target'] {
  return (asked, sources) => ({
    ...asked,
    headers: { ...asked.headers, ...headers },
    paths: pathsOf('name', sources),
  });
}

function reads({ people }: Sources): string[] {
  const draw = createDraw(12);
  return Array.from({ length: COUNT }, () => `/directory/v2/Practitioner/${draw.one(people).id}`);
}

function withRoles(asked: Target, sources: Sources): Target {
  const more = '_revinclude=PractitionerRole:practitioner&_include:recurse=PractitionerRole:organization';
  return {
    ...asked,
    paths: pathsOf('name', sources).map((path) => `${path.replace('_count=20', '_count=50')}&${more}`),
  };
}

function roles({ people }: Sources): string[] {
  const draw = createDraw(13);
  return Array.from({ length: COUNT }, () => {
    const ids = draw.some(people, ROLES).map(({ id }) => id);
    return `/directory/v2/PractitionerRole?practitioner=${ids.join(',')}&_count=${ROLES}&${INCLUDES}`;
  });
}

/** Names with a letter too many that no name has, which find nothing; help takes a tenth of the time of a process at most. */
export function misspelt({ people }: Sources): string[] {
  const draw = createDraw(14);
  const names = people.map(({ name }) => name[0] ?? '').filter((word) => word.length >= 4);
  return Array.from({ length: COUNT }, () => {
    const word = draw.one(names);
    const at = draw.between(1, word.length - 1);
    return `/directory/v2/Practitioner?name=${word.slice(0, at)}q${word.slice(at)}`;
  });
}

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
