// Owns how a search lets others have a turn in the event loop. Does not own what it does in its own turn.

import { setImmediate as laterTurn } from 'node:timers/promises';

/** Milliseconds of one turn. */
const TURN = 8;

export type Turns = ReturnType<typeof takeTurns>;

/** Begins a turn; when it is `over`, `next` waits for another one. */
export function takeTurns() {
  let end = performance.now() + TURN;
  return {
    over: () => performance.now() > end,
    async next() {
      await laterTurn();
      end = performance.now() + TURN;
    },
  };
}
