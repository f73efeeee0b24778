// Who is in the edition of a day: computed for each place in the register alone, so that an edition of any size needs no memory.

import { demoPeople, moved, personOf, withMailbox } from './people.ts';
import { type Person, shippedEdition } from './shipped-edition.ts';

export interface EditionOptions {
  /** Number of people, more than those of the demonstration. */
  practitioners: number;
  /** Another seed makes other people. */
  seed: number;
  /** Days since the first edition, which is 0. */
  day: number;
}

/** Share of the people who leave, move or get a mailbox within a day; as many as leave arrive. */
const CHURN = 0.005;

/** As many copies of the structures as people fill. */
export function copiesOfStructures({ practitioners }: EditionOptions): number {
  return Math.ceil(practitioners / shippedEdition().people.length);
}

/** The people of an edition, in the order of their lines: first those of the demonstration, who stay as they are. */
export function* peopleOfDay({ practitioners, seed, day }: EditionOptions): Generator<Person> {
  const people = shippedEdition().people;
  const demo = demoPeople();
  yield* demo;
  const others = practitioners - demo.length;
  const share = Math.max(1, Math.round((practitioners * CHURN) / 3));
  const [leaves, moves, joins] = [7919, 104_729, 15_485_863].map((factor) =>
    createTurns(others, share, seed, factor, day),
  ) as [Turns, Turns, Turns];
  for (let place = 0; place < others; place++) {
    const { times, last: arrived } = leaves(place);
    const copy = Math.floor((place + demo.length) / people.length);
    // Whoever leaves is followed by somebody with a number that nobody had.
    let person = personOf(seed, place + times * others, people, copy);
    const { last: movedOn } = moves(place);
    const { last: joinedOn } = joins(place);
    if (movedOn > arrived) person = moved(person, movedOn);
    if (joinedOn > arrived) person = withMailbox(person, joinedOn);
    yield person;
  }
}

/** How often it has been the turn of a place up to the day, and on which day last; 0: never. */
type Turns = (place: number) => { times: number; last: number };

/** Every day it is the turn of `share` places, of each once before it is that of another one again. */
function createTurns(places: number, share: number, seed: number, factor: number, day: number): Turns {
  const cycle = Math.ceil(places / share);
  let step = factor;
  while (commonDivisor(step, places) > 1) step++;
  return (place) => {
    const first = Math.floor(((place * step + seed) % places) / share) + 1;
    const times = day < first ? 0 : Math.floor((day - first) / cycle) + 1;
    return { times, last: times === 0 ? 0 : first + (times - 1) * cycle };
  };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
