// Checks beside single searches: batches, the codes of the edition, and the totals of suggestions.

import type { Draw } from '#support/draw.ts';
import { type Bundle, type Client, encoded, notesOf } from './ask.ts';
import { expectedOf, type Oracle, type Result } from './compare.ts';
import type { Concept, Type } from './edition/entry.ts';
import type { Question } from './kinds.ts';

/** Each entry of a batch has to be the single answer, to the letter. */
export async function comparedBatch(client: Client, questions: readonly Question[], draw: Draw): Promise<Result> {
  const urls = questions.map(({ type, criteria, sort, including = [] }) => {
    const query = [...criteria, ...including, ...(sort === undefined ? [] : ([['_sort', sort]] as const))];
    return `${type}?${encoded([...query, ['_count', String(draw.one([1, 5, 20]))]])}`;
  });
  const { status, bundle } = await client.batch(urls);
  if (status !== 200) return { hits: 0, differences: [`a batch of ${urls.length} answered ${status}`] };
  const differences: string[] = [];
  let hits = 0;
  for (const [at, url] of urls.entries()) {
    const entry = bundle.entry?.[at] as unknown as { response: { status: string }; resource?: Bundle };
    const single = await client.get(url);
    const same = textOf(entry.resource) === textOf(single.status === 200 ? single.bundle : undefined);
    if (!entry.response.status.startsWith(String(single.status)) || !same)
      differences.push(`${url} differs in a batch: ${entry.response.status}, alone ${single.status}`);
    hits += entry.resource?.total ?? 0;
  }
  return { hits, differences };
}

/** The text of an answer, without the help of a search that finds nothing: it is left out under load. */
function textOf(bundle: Partial<Bundle> = {}): string {
  const { entry, ...rest } = bundle;
  return JSON.stringify(bundle.total === 0 ? rest : bundle);
}

interface CodeSystem {
  url: string;
  concept: { code: string; display?: string; property: { valueInteger: number }[] }[];
}

/** The elements of codes that have a list, and the systems whose codes are none of them. */
const LISTED: readonly (readonly [type: Type, parameter: string, systems: RegExp])[] = [
  ['Practitioner', 'qualification', /ProfessionSante$/],
  ['PractitionerRole', 'specialty', /(?<!TypeSavoirFaire)$/],
  ['PractitionerRole', 'role', /$/],
  ['Organization', 'type', /$/],
];

/** Every code of the edition, with its label and its number, and no other. One result for each code system. */
export async function comparedCodes(client: Client, { edition }: Oracle): Promise<Result[]> {
  const wanted = new Map<string, Map<string, { label: string; count: number }>>();
  for (const [type, parameter, systems] of LISTED) {
    const counts = new Map<Concept, number>();
    for (const { concepts } of edition.entries[type])
      for (const concept of concepts[parameter] ?? []) counts.set(concept, (counts.get(concept) ?? 0) + 1);
    const ofCode = new Map<string, number>();
    for (const { concepts } of edition.entries[type]) {
      const codes = new Set(
        (concepts[parameter] ?? []).flatMap((one) => one.map(({ system, code }) => `${system}|${code}`)),
      );
      for (const code of codes) ofCode.set(code, (ofCode.get(code) ?? 0) + 1);
    }
    for (const { system, code, label } of [...counts.keys()].flat()) {
      if (system === undefined || code === '' || !systems.test(system)) continue;
      const codes = wanted.get(system) ?? new Map();
      if (!codes.has(code)) codes.set(code, { label, count: ofCode.get(`${system}|${code}`) ?? 0 });
      wanted.set(system, codes);
    }
  }
  const { bundle } = await client.get('CodeSystem?_count=200');
  const served = (bundle.entry ?? []).map(({ resource }) => resource as unknown as CodeSystem);
  const names = new Set([...wanted.keys(), ...served.map(({ url }) => url)]);
  return [...names].map((url) => {
    const concepts = served.find((one) => one.url === url)?.concept ?? [];
    const found = concepts.map(({ code, display, property }) => `${code} ${display} ${property[0]?.valueInteger}`);
    const stated = [...(wanted.get(url) ?? [])].map(([code, { label, count }]) => `${code} ${label} ${count}`);
    const differences = [
      ...found.filter((one) => !stated.includes(one)).map((one) => `CodeSystem ${url}: ${one} is served`),
      ...stated.filter((one) => !found.includes(one)).map((one) => `CodeSystem ${url}: ${one} is missing`),
    ];
    return { hits: concepts.length, differences };
  });
}

const SUGGESTION = /^(Practitioner|Organization|PractitionerRole)\?(.*) finds (\d+): /s;

/** A search that finds nothing, for example for a name with another letter. The totals of what is suggested have to be right. */
export async function comparedSuggestions(
  client: Client,
  oracle: Oracle,
  question: Question,
): Promise<Result | undefined> {
  if (expectedOf(oracle, question).total > 0) return undefined;
  const { bundle } = await client.search(question.type, question.criteria);
  const differences: string[] =
    bundle.total === 0 ? [] : [`${question.type}?${encoded(question.criteria)} finds ${bundle.total}`];
  let hits = 0;
  for (const note of notesOf(bundle)) {
    const [, type = '', query = '', total = ''] = SUGGESTION.exec(note) ?? [];
    if (type === '') continue;
    hits++;
    const criteria = [...new URLSearchParams(query)];
    const expected = expectedOf(oracle, { type: type as Type, criteria }).total;
    if (expected !== Number(total) || expected === 0) differences.push(`suggested: ${note} It is ${expected}.`);
  }
  return { hits, differences };
}
