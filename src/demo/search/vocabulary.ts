// What people say for professions, specialities and kinds of structures: the directory's CodeSystem resources, which need no token.

import { Client } from 'fhir-kit-client';
import type { DirectoryType } from '#demo/directory.ts';
import { folded } from './text.ts';

/** The words of one type of resource. */
export interface Vocabulary {
  /** The search parameter for these words. */
  kind: 'qualification' | 'type';
  /** The labels that a text means as a whole, in the singular or the plural; none for any other text. */
  labelsOf(text: string): readonly string[];
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

/** Milliseconds after which the codes are asked for again: an edition may bring others. */
const FRESH = 600_000;

/** Reads the vocabularies of a directory and keeps them for some minutes. Where they cannot be read, every word is part of a name. */
export function createVocabularies(): (apiUrl: string) => Promise<Vocabularies> {
  let kept: { apiUrl: string; at: number; read: Promise<Vocabularies> } | undefined;
  return async (apiUrl) => {
    if (kept?.apiUrl !== apiUrl || Date.now() - kept.at > FRESH) {
      const read = readVocabularies(apiUrl);
      kept = { apiUrl, at: Date.now(), read };
      read.catch(() => {
        kept = undefined;
      });
    }
    return kept.read.catch(() => vocabulariesOf([]));
  };
}

async function readVocabularies(apiUrl: string): Promise<Vocabularies> {
  const client = new Client({ baseUrl: apiUrl });
  const bundle = await client.search({ resourceType: 'CodeSystem', searchParams: { _count: '200' } });
  const { entry = [] } = bundle as object as fhir3.Bundle;
  return vocabulariesOf(entry.map(({ resource }) => resource as fhir3.CodeSystem));
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
    options: [...options.values()].slice(0, OPTIONS),
  };
}

function countOf({ property = [] }: fhir3.CodeSystemConcept): number {
  return property.find(({ code }) => code === 'count')?.valueInteger ?? 0;
}
