// The line that shows how far a long command is, in a terminal and elsewhere.

import { describe, expect, it } from '@jest/globals';
import { createProgress, grouped } from '#cli/support/progress.ts';

describe('operations: progress', () => {
  function display(isTTY: boolean) {
    const written: string[] = [];
    let time = 0;
    const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => time);
    const at = (seconds: number, count: number, done: number) => {
      time = seconds * 1000;
      progress.show({ name: 'reading', done, count, unit: 'lines' });
    };
    return { written, at, progress };
  }

  it('draws a bar with rate and time left on a terminal, and clears it', () => {
    const { written, at, progress } = display(true);
    at(0, 0, 0);
    at(0.05, 10, 0.01);
    at(10, 25_000, 0.25);
    progress.end();
    expect(written).toHaveLength(3);
    expect(written[1]).toBe('\rreading    [######..................] 25 %  25 000 lines, 2 500/s, 30 s left\u001b[K');
    expect(written[2]).toBe('\r\u001b[K');
  });

  it('writes a line every few seconds elsewhere', () => {
    const { written, at, progress } = display(false);
    for (let second = 0; second <= 12; second++) at(second, second * 1000, second / 20);
    progress.end();
    expect(written).toHaveLength(2);
    expect(written.every((line) => line.endsWith('\n') && !line.includes('\r'))).toBe(true);
  });

  it('sets thousands apart', () => {
    expect(grouped(1234567)).toBe('1 234 567');
  });
});
