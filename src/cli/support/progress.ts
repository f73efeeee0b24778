// Shows the progress of long work on standard error: a bar with rate and time left on a terminal, a line every few seconds
// elsewhere.

/** `done` is the share of this step, 0-1, undefined if it cannot be known. `count` is the number of items so far. */
export interface Step {
  name: string;
  done?: number;
  count: number;
  unit: string;
}

interface ProgressDisplay {
  show(step: Step): void;
  /** Clears the bar, so that the next output begins on a line of its own. */
  end(): void;
}

const BAR = 24;
const TERMINAL_EVERY = 100;
const LINE_EVERY = 5000;

/** Creates a display on the given stream. `now` returns milliseconds. */
export function createProgress(
  stream: { isTTY?: boolean | undefined; write(text: string): unknown } = process.stderr,
  now: () => number = () => performance.now(),
): ProgressDisplay {
  const terminal = stream.isTTY === true;
  let step: { name: string; began: number; from: number } | undefined;
  let shown = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    show(next) {
      const time = now();
      const fresh = step?.name !== next.name;
      if (!step || fresh) step = { name: next.name, began: time, from: next.count };
      if (!(terminal && fresh) && time - shown < (terminal ? TERMINAL_EVERY : LINE_EVERY)) return;
      if (!terminal && fresh && shown === Number.NEGATIVE_INFINITY) {
        shown = time;
        return;
      }
      shown = time;
      const text = describe(next, (time - step.began) / 1000, next.count - step.from);
      stream.write(terminal ? `\r${text}\u001b[K` : `${text}\n`);
      drawn = terminal;
    },
    end() {
      if (drawn) stream.write('\r\u001b[K');
      drawn = false;
    },
  };
}

function describe({ name, done, count, unit }: Step, seconds: number, since: number): string {
  const rate = seconds >= 0.5 && since > 0 ? `, ${grouped(Math.round(since / seconds))}/s` : '';
  const items = `${grouped(count)} ${unit}${rate}`;
  if (done === undefined) return `${name}  ${items}, ${Math.round(seconds)} s so far`;
  const full = Math.round(Math.min(1, done) * BAR);
  const left = done > 0.02 && done < 1 ? `, ${Math.ceil((seconds * (1 - done)) / done)} s left` : '';
  return `${name.padEnd(11)}[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.floor(done * 100)} %  ${items}${left}`;
}

/** A whole number with its thousands apart. */
export function grouped(number: number): string {
  return number.toLocaleString('en').replaceAll(',', ' ');
}
