// Towns that the field "Where?" suggests. The directory has no list of towns, and 35,000 communes do not fit into a page. So the page holds
// only the large towns, which need no script. While somebody types, the script `towns.js` requests the towns that begin with the typed
// text.

import { type Directory, refusalOf } from '#demo/directory.ts';
import { structureOf } from './records.ts';
import { folded } from './text.ts';
import { readWhere } from './words.ts';

/** The 50 largest towns of France. A batch of the directory allows no more requests than that. */
const LARGE =
  'Paris,Marseille,Lyon,Toulouse,Nice,Nantes,Montpellier,Strasbourg,Bordeaux,Lille,Rennes,Toulon,Reims,Saint-Étienne,Le Havre,Dijon,Grenoble,Angers,Villeurbanne,Saint-Denis,Nîmes,Aix-en-Provence,Clermont-Ferrand,Le Mans,Brest,Tours,Amiens,Annecy,Limoges,Metz,Boulogne-Billancourt,Perpignan,Besançon,Orléans,Rouen,Montreuil,Argenteuil,Mulhouse,Caen,Nancy,Saint-Paul,Roubaix,Tourcoing,Nanterre,Avignon,Poitiers,La Rochelle,Pau,Fort-de-France,Cayenne'.split(
    ',',
  );
/**
 * Maximum number of structures that are read to find the towns that begin with a text (`LOOKED_AT`), and of towns that are suggested
 * (`OFFERED`).
 */
const [LOOKED_AT, OFFERED] = [200, 10];
/** Milliseconds for which the list of large towns is kept. */
const FRESH = 600_000;

/**
 * Makes a function that finds the large towns with structures in the directory. The town with the most structures comes first. The list is
 * kept for `FRESH` milliseconds.
 */
export function createLargeTowns(): (directory: Directory) => Promise<readonly string[]> {
  let kept: { at: number; towns: readonly string[] } | undefined;
  return async (directory) => {
    if (kept && Date.now() - kept.at < FRESH) return kept.towns;
    const totals = await directory
      .totals(LARGE.map((town) => `Organization?${new URLSearchParams({ 'address-city': town, _count: '0' })}`))
      .catch(() => undefined);
    if (!totals) return [];
    const found = LARGE.map((town, at) => ({ town, total: totals[at] ?? 0 })).filter(({ total }) => total > 0);
    const towns = found.toSorted((one, other) => other.total - one.total).map(({ town }) => town);
    // The list is kept for everybody, so it must be complete. It is not complete if the directory has refused some searches of this person,
    // or if no edition has been imported yet.
    if (towns.length > 0 && !totals.includes(undefined)) kept = { at: Date.now(), towns };
    return towns;
  };
}

/**
 * Finds towns with a name that begins with `begin`, in the addresses of some structures. The most frequent town comes first. Returns an
 * empty list if `begin` cannot be the beginning of a town's name.
 */
export async function townsBeginning(directory: Directory, begin: string): Promise<string[]> {
  const [criterion, ...more] = readWhere(begin.slice(0, 60));
  if (criterion?.key !== 'address-city' || more.length > 0 || !/^\p{L}{2}/u.test(begin)) return [];
  try {
    const asked = { 'address-city': criterion.value, _elements: 'address', _count: String(LOOKED_AT) };
    const { matches } = await directory.search('Organization', asked);
    const cities = matches
      .flatMap((one) => structureOf(one as fhir3.Organization).addresses)
      .map(({ city }) => city.replace(/ (\d+er?|cedex)\b.*$/i, ''))
      .filter((city) => folded(city).startsWith(folded(begin)));
    const counted = [...Map.groupBy(cities, folded).values()].toSorted((one, other) => other.length - one.length);
    return counted.flatMap(([city]) => city ?? []).slice(0, OFFERED);
  } catch (error) {
    if (refusalOf(error)) return [];
    throw error;
  }
}
