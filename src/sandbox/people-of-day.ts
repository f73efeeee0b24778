// The people in the edition of a day. Each position in the register is computed by itself, so that an edition of any size needs no memory.

import { DEMO_PEOPLE, moved, personOf, withMailbox } from './people.ts';
import { type Person, SHIPPED_EDITION } from './shipped-edition.ts';

export interface EditionOptions {
  /** Number of people, more than those of the demonstration. */
  practitioners: number;
  /** Another seed makes other people. */
  seed: number;
  /** Days since the first edition, which is 0. */
  day: number;
}

/** Share of people that leave, move or get a mailbox within a day; as many as leave arrive. */
const CHURN = 0.005;

/** The number of copies of the structures that the people fill. */
export function copiesOfStructures({ practitioners }: EditionOptions): number {
  return Math.ceil(practitioners / SHIPPED_EDITION.people.length);
}

/** The people of an edition, in the order of their lines: first those of the demonstration, which never change. */
export function* peopleOfDay({ practitioners, seed, day }: EditionOptions): Generator<Person> {
  const { people } = SHIPPED_EDITION;
  yield* DEMO_PEOPLE;
  const others = practitioners - DEMO_PEOPLE.length;
  const share = Math.max(1, Math.round((practitioners * CHURN) / 3));
  const [leaves, moves, joins] = [7919, 104_729, 15_485_863].map((factor) =>
    createTurns(others, share, seed, factor, day),
  ) as [Turns, Turns, Turns];
  for (let position = 0; position < others; position++) {
    const { times, last: arrived } = leaves(position);
    const copy = Math.floor((position + DEMO_PEOPLE.length) / people.length);
    // A person that leaves is followed by one with a new number.
    let person = personOf(seed, position + times * others, people, copy);
    const { last: movedOn } = moves(position);
    const { last: joinedOn } = joins(position);
    if (movedOn > arrived) person = moved(person, movedOn);
    if (joinedOn > arrived) person = withMailbox(person, joinedOn);
    yield person;
  }
}

/** The number of turns that a position had up to the day, and the day of the last one; 0 means never. */
type Turns = (position: number) => { times: number; last: number };

/** Gives each day a turn to `share` positions, and to each position once before any has its second turn. */
function createTurns(positions: number, share: number, seed: number, factor: number, day: number): Turns {
  const cycle = Math.ceil(positions / share);
  let step = factor;
  while (commonDivisor(step, positions) > 1) step++;
  return (position) => {
    const first = Math.floor(((position * step + seed) % positions) / share) + 1;
    const times = day < first ? 0 : Math.floor((day - first) / cycle) + 1;
    return { times, last: times === 0 ? 0 : first + (times - 1) * cycle };
  };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
