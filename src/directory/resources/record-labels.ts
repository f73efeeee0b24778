// The labels by which people know a record of the directory: name, number on their documents, town. Pages show them for the records that an
// account is linked to.

import type { Address, HumanName, Identifier } from 'fhir/r3.js';
import type { Snapshot } from '#search-index/index.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import type { LabelInDirectory, RecordLabel } from '#web/forms/workspace-list.ts';

interface Labelled {
  name?: string | HumanName[];
  identifier?: Identifier[];
  address?: Address[];
}

const SIRET = /^\d{14}$/;

/** Numbers that people know, the best known first; SIREN and internal ones are not among them. */
const NUMBERS: readonly (readonly [name: string, system: string, form?: RegExp])[] = [
  ['RPPS', IDENTIFIER_SYSTEMS.rpps],
  ['FINESS', IDENTIFIER_SYSTEMS.finess],
  ['SIRET', IDENTIFIER_SYSTEMS.sirene, SIRET],
];

/** The label of a record in the current edition; an empty one where there is none, or while the directory cannot be read. */
export function createRecordLabels(snapshots: { current(): Pick<Snapshot, 'read'> | undefined }): LabelInDirectory {
  return async (type, id) => {
    // A page shows other things as well, and does not fail for a missing name.
    const found = await snapshots
      .current()
      ?.read(type, id)
      .catch(() => undefined);
    return found ? labelOf(JSON.parse(found.json) as Labelled) : {};
  };
}

function labelOf({ name, identifier = [], address = [] }: Labelled): RecordLabel {
  const inFull = typeof name === 'string' ? name : name?.[0] && inWords(name[0]);
  const number = numberOf(identifier);
  const town = [address[0]?.postalCode, address[0]?.city].filter(Boolean).join(' ');
  return { ...(inFull && { name: inFull }), ...(number && { number }), ...(town && { town }) };
}

function numberOf(identifiers: readonly Identifier[]): string | undefined {
  for (const [name, known, form = /./] of NUMBERS) {
    const found = identifiers.find(({ system, value = '' }) => system === known && form.test(value));
    if (found) return `${name} ${found.value}`;
  }
  return undefined;
}

function inWords({ prefix = [], given = [], family = '' }: HumanName): string {
  return [...prefix, ...given, family].filter((part) => part !== '').join(' ');
}
