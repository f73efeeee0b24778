// Compares what the service answers to a search with what the entries give: total, order, pages there and back, includes, distances.

import type { Draw } from '#support/draw.ts';
import { type Bundle, type Client, encoded, idsOf, linkOf, matchesOf, notesOf } from './ask.ts';
import type { Stage } from './draws/stage.ts';
import type { Edition, Entry, Type } from './edition/entry.ts';
import { metresApart } from './edition/projections.ts';
import type { Question } from './kinds.ts';
import { type Criteria, circleOf, type Evaluate } from './rules/evaluate.ts';
import type { Orders } from './rules/order.ts';

export interface Oracle {
  edition: Edition;
  evaluate: Evaluate;
  orders: Orders;
  referring: Stage['referring'];
}

/** What came of one check. */
export interface Result {
  hits: number;
  /** What differs, in words. */
  differences: readonly string[];
  /** True if the service refused the search as too costly, which its documentation allows. */
  isRefused?: boolean;
}

/** Pages of a walk. A longer list is compared from its beginning, and, by the reverse order, from its end. */
const PAGES = 5;
const WHOLE = 600;
const MOST_COMPARED = 1000;

interface Expected {
  total: number;
  /** The first ids in their order, as far as pages are compared. */
  ids: readonly string[];
}

/** What a search finds. */
export function expectedOf({ edition, evaluate, orders }: Oracle, { type, criteria, sort }: Question): Expected {
  const numbers = orders(type, sort, criteria, evaluate(type, criteria));
  const ids = Array.from(numbers.subarray(0, MOST_COMPARED), (number) => edition.entries[type][number]?.id ?? '');
  return { total: numbers.length, ids };
}

export async function compared(client: Client, oracle: Oracle, question: Question, draw: Draw): Promise<Result> {
  const { type, criteria, sort, including = [], isPosted } = question;
  const { total, ids: expected } = expectedOf(oracle, question);
  const count = including.length > 0 ? draw.one([5, 20]) : draw.one([1, 7, 20, 50, 200]);
  const size = total <= WHOLE && total > PAGES * count ? 200 : count;
  const isCounted = draw.between(0, 2) === 0;
  const query: Criteria = [
    ...criteria,
    ...(sort === undefined ? [] : ([['_sort', sort]] as const)),
    ...including,
    ['_count', String(size)],
    ...(isCounted ? ([['_total', 'accurate']] as const) : []),
  ];
  const differences: string[] = [];
  const wrong = (text: string) => differences.push(`${type}?${encoded(query)}: ${text}`);
  const first = await (isPosted ? client.post(type, query) : client.search(type, query));
  const done = (): Result => ({ hits: total, differences });
  if (first.status === 400 && first.bundle.issue?.every(({ code }) => code === 'too-costly'))
    return { ...done(), isRefused: true };
  if (first.status !== 200) {
    wrong(`${first.status} ${first.bundle.issue?.[0]?.diagnostics}`);
    return done();
  }
  let { bundle } = first;
  const pages: Bundle[] = [];
  for (let at = 0; at < Math.max(1, Math.ceil(Math.min(total, PAGES * size) / size)); at++) {
    const wanted = expected.slice(at * size, (at + 1) * size);
    comparePage(bundle, wanted, at, wrong);
    if (bundle.total === undefined ? isCounted : bundle.total !== total)
      wrong(`page ${at + 1} has total ${bundle.total} instead of ${total}`);
    if (including.length > 0) compareIncluded(oracle, type, wanted, including, bundle, wrong);
    if (criteria.some(([name]) => name === 'near')) compareDistances(oracle.edition, criteria, bundle, wrong);
    pages.push(bundle);
    const next = linkOf(bundle, 'next');
    if ((next !== undefined) !== total > (at + 1) * size) wrong(`page ${at + 1} has ${next ? 'a' : 'no'} next`);
    if (next === undefined) break;
    const followed = await client.follow(next);
    if (followed.status !== 200) wrong(`next of page ${at + 1} answers ${followed.status}`);
    bundle = followed.bundle;
  }
  const previous = pages.length > 1 ? linkOf(pages.at(-1) as Bundle, 'previous') : undefined;
  if (previous !== undefined) {
    const back = await client.follow(previous);
    comparePage(back.bundle, expected.slice((pages.length - 2) * size, (pages.length - 1) * size), -1, wrong);
  }
  return done();
}

function comparePage(bundle: Bundle, wanted: readonly string[], at: number, wrong: (text: string) => void): void {
  const ids = idsOf(bundle);
  const where = ids.findIndex((id, index) => id !== wanted[index]);
  if (where < 0 && ids.length === wanted.length) return;
  const [found, missing] = [ids.filter((id) => !wanted.includes(id)), wanted.filter((id) => !ids.includes(id))];
  const page = at < 0 ? 'the page before' : `page ${at + 1}`;
  wrong(
    `${page} differs at ${where < 0 ? ids.length : where} of ${ids.length}: ${found.length} too many (${found.slice(0, 3)}), ` +
      `${missing.length} missing (${missing.slice(0, 3)}), ${wanted.length} wanted`,
  );
}

/** Distances are given in metres or in kilometres with three decimals. */
function compareDistances(
  { entries, numbers }: Edition,
  criteria: Criteria,
  bundle: Bundle,
  wrong: (text: string) => void,
): void {
  const circles = criteria.filter(([name]) => name === 'near').map(([, value]) => circleOf(value));
  const [circle] = circles;
  if (!circle || circles.length > 1) return;
  for (const { resource, search } of matchesOf(bundle)) {
    const { place } = entries.Organization[numbers.Organization.get(resource.id) ?? -1] ?? ({} as Entry);
    const { value = Number.NaN, unit } = search.extension?.[0]?.valueDistance ?? {};
    const metres = place ? metresApart(place, circle.centre) : Number.NaN;
    if (!(Math.abs(value * (unit === 'km' ? 1000 : 1) - metres) < 1))
      wrong(`${resource.id} is ${value} ${unit}, not ${metres} m away`);
  }
}

/** The entries that a page includes, each once; not those of the page itself. */
function includedIds({ edition, referring }: Oracle, type: Type, ids: readonly string[], including: Criteria) {
  const { entries, numbers } = edition;
  const seen = new Set(ids.map((id) => `${type}/${id}`));
  const found = new Set<string>();
  let reached = [...seen];
  for (let isFirst = true; reached.length > 0; isFirst = false) {
    const next = including.flatMap(([name, value]) => {
      if (!isFirst && !name.endsWith(':recurse')) return [];
      const [source, reference] = value.split(':') as [Type, string];
      const target = reference === 'practitioner' ? 'Practitioner' : 'Organization';
      const isReverse = name.startsWith('_revinclude');
      return reached.flatMap((one) => {
        const [of, id = ''] = one.split('/');
        if (of !== (isReverse ? target : source)) return [];
        if (isReverse) return (referring(source, reference, id) ?? []).map((role) => `${source}/${role.id}`);
        const referred = entries[source][numbers[source].get(id) ?? -1]?.references[reference];
        return referred === undefined ? [] : [`${target}/${referred}`];
      });
    });
    reached = [...new Set(next)].filter((one) => !seen.has(one));
    for (const one of reached) {
      seen.add(one);
      found.add(one);
    }
  }
  return found;
}

function compareIncluded(
  oracle: Oracle,
  type: Type,
  ids: readonly string[],
  including: Criteria,
  { entry = [], ...bundle }: Bundle,
  wrong: (text: string) => void,
): void {
  const wanted = includedIds(oracle, type, ids, including);
  const found = entry
    .filter(({ search }) => search.mode === 'include')
    .map(({ resource }) => `${resource.resourceType}/${resource.id}`);
  const isCut = notesOf({ ...bundle, entry }).some((note) => note.startsWith('Not everything is included'));
  const others = found.filter((one) => !wanted.has(one));
  const held = new Set(found);
  const missing = [...wanted].filter((one) => !held.has(one));
  if (others.length > 0) wrong(`${others.length} included beyond: ${others.slice(0, 3)}`);
  if (held.size < found.length) wrong('something is included twice');
  if (missing.length > 0 && !isCut) wrong(`${missing.length} not included: ${missing.slice(0, 3)}`);
  if (isCut && (missing.length === 0 || wanted.size <= MOST_INCLUDED))
    wrong(`cut short at ${found.length} of ${wanted.size}`);
}

const MOST_INCLUDED = 1000;
