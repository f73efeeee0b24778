// Counts how far the registers agree on structures.

import type { Tallies } from '#import/collect/consistency-tallies.ts';
import { departmentOf } from '#import/collect/departments.ts';
import { finessId } from '#import/mapping/resource-ids.ts';
import type { StructureFacts } from '#import/mapping/structure-facts.ts';

/**
 * Counts one structure.
 * @param facts statements of each line about it
 * @param finess kinds of lines that the FINESS files hold, by their first cell
 */
export function countStructure(
  id: string,
  facts: readonly StructureFacts[],
  hasMailbox: boolean,
  finess: ReadonlySet<string>,
  consistency: Pick<Tallies, 'count'>,
): void {
  if (hasMailbox) consistency.count('mailStructures', facts.length === 0 ? id : undefined);
  const of = (source: StructureFacts['source']) => facts.filter((fact) => fact.source === source);
  const [activities, establishments] = [of('activities'), of('establishment')];
  const numbers = activities.map((fact) => fact.finess).filter((number) => number !== '');
  if (id.startsWith('F') && numbers.length > 0)
    consistency.count('numbers', numbers.map(finessId).includes(id) ? undefined : `${id}: ${numbers[0]}`);
  if (finess.size === 0) return;
  const isLegalEntity = facts.some(({ source }) => source === 'legal-entity');
  if (finess.has('structureet') && numbers.length > 0)
    consistency.count('establishments', establishments.length > 0 || isLegalEntity ? undefined : id);
  if (finess.has('structureej') && facts.some(({ source }) => source === 'reference'))
    consistency.count('legalEntities', isLegalEntity ? undefined : id);
  const [places, where] = [departmentsOf(activities), departmentsOf(establishments)];
  if (places.length > 0 && where.length > 0)
    consistency.count(
      'places',
      places.some((place) => where.includes(place)) ? undefined : `${id}: ${places[0]}, in FINESS ${where[0]}`,
    );
  const [named, published] = [entitiesOf(activities), entitiesOf(establishments)];
  if (named.length === 0 || published.length === 0) return;
  const agreed = named.some((entity) => published.includes(entity));
  consistency.count('belonging', agreed ? undefined : `${id}: ${named[0]}, in FINESS ${published[0]}`);
}

function departmentsOf(facts: readonly StructureFacts[]): string[] {
  return facts.flatMap(({ address }) => (address?.parts.postalCode ? [departmentOf(address.parts.postalCode)] : []));
}

function entitiesOf(facts: readonly StructureFacts[]): string[] {
  return facts.map(({ partOf }) => partOf).filter((partOf) => partOf !== '');
}
