// What the directory says to everybody, without a token: in its CodeSystem resources what people say for professions, specialities and kinds
// of structures, and in its CapabilityStatement where errors are reported.

import { distance } from 'fastest-levenshtein';
import { Client } from 'fhir-kit-client';
import type { DirectoryType } from '#demo/directory.ts';
import { folded } from './text.ts';

/** The words of one type of resource. */
export interface Vocabulary {
  /** The search parameter for these words. */
  kind: 'qualification' | 'type';
  /** The labels that a text means as a whole, in the singular or the plural; none for any other text. */
  labelsOf(text: string): readonly string[];
  /** A label, or another word for one, that begins with the word or is a slip of the pen away from it. */
  closeTo(word: string): string | undefined;
  /** Labels and what people say for them, the frequent labels first. `label` is there if the value is another word for it. */
  options: readonly { value: string; label?: string }[];
}

export type Vocabularies = Record<DirectoryType, Vocabulary>;

/** Titles of the code systems that each search understands. */
const TITLES: Record<DirectoryType, readonly string[]> = {
  Practitioner: ['Professions', 'Specialties and skills'],
  Organization: ['Kinds of structures'],
};

/** Other words for one label that are offered, and options in all. */
const [WORDS_OFFERED, OPTIONS] = [3, 300];

/** Letters of a word for which close ones are looked for. */
const SHORTEST_CLOSE = 4;

/** Milliseconds after which the directory is asked again: an edition may bring other codes. */
const FRESH = 600_000;

/** What the directory says about itself to everybody, without a token. */
interface DirectoryFacts {
  vocabularies: Vocabularies;
  /** Where people report errors in a record: a web page, or `mailto:` with an address. */
  reportUrl: string | undefined;
}

/** Reads the facts of a directory and keeps them for some minutes. Where they cannot be read, every word is part of a name. */
export function createDirectoryFacts(): (apiUrl: string) => Promise<DirectoryFacts> {
  let kept: { apiUrl: string; at: number; read: Promise<DirectoryFacts> } | undefined;
  return async (apiUrl) => {
    if (kept?.apiUrl !== apiUrl || Date.now() - kept.at > FRESH) {
      const read = readFacts(apiUrl);
      kept = { apiUrl, at: Date.now(), read };
      read.catch(() => {
        kept = undefined;
      });
    }
    return kept.read.catch(() => ({ vocabularies: vocabulariesOf([]), reportUrl: undefined }));
  };
}

async function readFacts(apiUrl: string): Promise<DirectoryFacts> {
  const client = new Client({ baseUrl: apiUrl });
  const [codes, statement] = await Promise.all([
    client.search({ resourceType: 'CodeSystem', searchParams: { _count: '200' } }),
    client.capabilityStatement(),
  ]);
  const { entry = [] } = codes as object as fhir3.Bundle;
  return {
    vocabularies: vocabulariesOf(entry.map(({ resource }) => resource as fhir3.CodeSystem)),
    reportUrl: reportUrlOf(statement as object as fhir3.CapabilityStatement),
  };
}

/** The operator's contact for errors, as the directory's handbook names it. Only a page or a mail address may become a link. */
function reportUrlOf({ contact = [] }: fhir3.CapabilityStatement): string | undefined {
  const [point] = contact.find(({ name }) => name === 'Errors in records')?.telecom ?? [];
  const address = point?.system === 'email' ? `mailto:${point.value}` : point?.value;
  return address && /^(mailto|https?):/.test(address) ? address : undefined;
}

export function vocabulariesOf(systems: readonly fhir3.CodeSystem[]): Vocabularies {
  const of = (type: DirectoryType) =>
    vocabularyOf(
      type === 'Practitioner' ? 'qualification' : 'type',
      systems.filter(({ title = '' }) => TITLES[type].includes(title)).flatMap(({ concept = [] }) => concept),
    );
  return { Practitioner: of('Practitioner'), Organization: of('Organization') };
}

function vocabularyOf(kind: Vocabulary['kind'], concepts: readonly fhir3.CodeSystemConcept[]): Vocabulary {
  const labels = new Map<string, Set<string>>();
  const options = new Map<string, { value: string; label?: string }>();
  const add = (value: string, label: string, offered = true) => {
    const key = folded(value);
    labels.set(key, (labels.get(key) ?? new Set()).add(label));
    if (offered && !options.has(key)) options.set(key, value === label ? { value } : { value, label });
  };
  const byCount = concepts.toSorted((one, other) => countOf(other) - countOf(one));
  for (const { display } of byCount) if (display !== undefined) add(display, display);
  for (const { display, designation = [] } of byCount) {
    for (const [at, { value }] of designation.entries())
      if (display !== undefined) add(value, display, at < WORDS_OFFERED);
  }
  return {
    kind,
    labelsOf: (text) => {
      const key = folded(text);
      return [...(labels.get(key) ?? labels.get(key.replace(/[sx](?= |$)/g, '')) ?? [])];
    },
    closeTo: (word) => {
      const key = folded(word);
      if (key.length < SHORTEST_CLOSE) return undefined;
      const terms = [...labels.keys()];
      const slips = key.length < 8 ? 1 : 2;
      return (
        terms.filter((term) => term.startsWith(key)).toSorted((one, other) => one.length - other.length)[0] ??
        terms.find((term) => distance(term, key) <= slips)
      );
    },
    options: [...options.values()].slice(0, OPTIONS),
  };
}

function countOf({ property = [] }: fhir3.CodeSystemConcept): number {
  return property.find(({ code }) => code === 'count')?.valueInteger ?? 0;
}
