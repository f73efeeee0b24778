// Reads the facts that everybody can read from the directory without a token. Its CodeSystem resources have the words that people use for
// professions, specialities and kinds of structures. Its CapabilityStatement has the address to which people report errors.

import { distance } from 'fastest-levenshtein';
import { Client } from 'fhir-kit-client';
import type { DirectoryType } from '#demo/directory.ts';
import { folded } from './text.ts';

/** The words for professions and specialities of people, or for kinds of structures. */
export interface Vocabulary {
  /** The search parameter that finds resources by these words. */
  kind: 'qualification' | 'type';
  /**
   * Returns the labels that `text` stands for. The whole text must be a label or a synonym of labels. It may be in the plural. Returns an
   * empty list for any other text.
   */
  labelsOf(text: string): readonly string[];
  /**
   * Returns a label, or a synonym of a label, that begins with `word`. If there is none, returns one that differs from `word` by one typing
   * error, or by two if `word` has eight letters or more. Returns undefined if none is similar, or if `word` is too short.
   */
  closeTo(word: string): string | undefined;
  /** The labels and their synonyms, the most frequent labels first. If `value` is a synonym, `label` is the label that it stands for. */
  options: readonly { value: string; label?: string }[];
}

export type Vocabularies = Record<DirectoryType, Vocabulary>;

/** Titles of the code systems that have the words for each type of resource. */
const TITLES: Record<DirectoryType, readonly string[]> = {
  Practitioner: ['Professions', 'Specialties and skills'],
  Organization: ['Kinds of structures'],
};

/** Maximum number of synonyms of one label that are offered (`WORDS_OFFERED`), and of all options together. */
const [WORDS_OFFERED, OPTIONS] = [3, 300];

/** Minimum length of a word for which similar words are searched. For a shorter one, too many words are similar. */
const SHORTEST_CLOSE = 4;

/** Milliseconds for which the facts are kept. They are read again after that, because a new edition may have other codes. */
const FRESH = 600_000;

/** The facts that everybody can read from the directory without a token. */
interface DirectoryFacts {
  vocabularies: Vocabularies;
  /** Address to which people report errors in a record: a web page, or `mailto:` with a mail address. */
  reportUrl: string | undefined;
}

/**
 * Makes a function that reads the facts of a directory, and keeps them for `FRESH` milliseconds. If they cannot be read, there are no words
 * for professions and kinds, so that every typed word is searched as a name.
 */
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

/**
 * Returns the operator's contact for errors in records. The directory's handbook defines its name, `Errors in records`. Returns undefined
 * if the contact is neither a web page nor a mail address.
 */
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
