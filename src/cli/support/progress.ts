import { printNotice } from '#shared/operator-messages.ts';
import type { OnProgress, Step } from '#shared/progress.ts';

// Shows the progress of long work on standard error: a bar with rate and time left on a terminal, a line every few seconds
// elsewhere.

interface ProgressDisplay {
  show(step: Step): void;
  /** Clears the bar, so that the next output begins on a line of its own. */
  end(): void;
}

const BAR = 24;
const TERMINAL_EVERY = 100;
const LINE_EVERY = 5000;

/** Creates a display of progress that writes to `stream`. `now` returns the present time in milliseconds. */
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

/**
 * Runs `work`, which shows its progress with `show` and prints lines with `say`. The bar is cleared before each printed line, and when the
 * work ends or fails.
 */
export async function withProgress<Result>(
  work: (show: OnProgress, say: (line: string) => void) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress();
  const say = (line: string) => {
    progress.end();
    printNotice(line);
  };
  try {
    return await work(progress.show, say);
  } finally {
    progress.end();
  }
}

function describe({ name, done, count, unit }: Step, seconds: number, since: number): string {
  const rate = seconds >= 0.5 && since > 0 ? `, ${grouped(Math.round(since / seconds))}/s` : '';
  const items = `${grouped(count)} ${unit}${rate}`;
  if (done === undefined) return `${name}  ${items}, ${Math.round(seconds)} s so far`;
  const full = Math.round(Math.min(1, done) * BAR);
  const left = done > 0.02 && done < 1 ? `, ${Math.ceil((seconds * (1 - done)) / done)} s left` : '';
  return `${name.padEnd(11)}[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.floor(done * 100)} %  ${items}${left}`;
}

/** Formats a whole number with a space between its thousands. */
export function grouped(number: number): string {
  return number.toLocaleString('en').replaceAll(',', ' ');
}
