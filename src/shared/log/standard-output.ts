// Writes the log to standard output, which may be full, slow or gone. The service goes on, and reports later how many lines are missing.
// Pino's own stream ends the process when a disk is full, and tries for ever at the exit (`sonic-boom`, `flushSync`).

import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/**
 * Lines are collected, and written together once they have `WRITTEN_AT_ONCE` characters, or after `WRITTEN_WITHIN` milliseconds. Four times as
 * many characters would wait so long under load that V8 moves each line to its old generation.
 */
const WRITTEN_AT_ONCE = 16_384;
const WRITTEN_WITHIN = 500;
/** Maximum characters of waiting lines while nothing can be written. Further lines are only counted. */
const MOST_WAITING = 4_194_304;
/** Milliseconds between two attempts to write. An ending process makes LAST_TRIES attempts, with LAST_PAUSE between them. */
const PAUSE = 1000;
const LAST_TRIES = 50;
const LAST_PAUSE = 20;

/** Error codes of a pipe with a slow reader. Writing is tried again. */
const SLOW = /^(EAGAIN|EBUSY)$/;

/**
 * Makes a destination for logs that machines read. Lines are collected and written together, twice a second at the latest and at the exit.
 * Lines that do not fit on a full disk are tried again. Once the reader of a pipe has gone away, nothing is written any more.
 */
export function together(fd = 1): DestinationStream {
  let waiting = '';
  let writing: Buffer | undefined;
  let timer: NodeJS.Timeout | undefined;
  let gone = false;
  let missing = 0;
  let reason: string | undefined;
  let refused = false;

  const later = (pause: number) => {
    timer ??= setTimeout(flush, pause).unref();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (writing || waiting === '') return;
    writing = Buffer.from(waiting);
    waiting = '';
    put(writing);
  };
  const put = (piece: Buffer) => {
    refused = false;
    write(fd, piece, (error, written) => {
      if (error) return failed(error);
      if (reason !== undefined) recovered(reason);
      writing = piece.subarray(written);
      if (writing.length > 0) return put(writing);
      writing = undefined;
      if (waiting !== '') later(WRITTEN_WITHIN);
    });
  };
  const failed = ({ code = '' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') {
      gone = true;
      waiting = '';
      writing = undefined;
      return;
    }
    if (!SLOW.test(code)) reason = code;
    refused = true;
    setTimeout(() => writing && put(writing), PAUSE).unref();
  };
  const recovered = (code: string) => {
    waiting += `${messageOf(code, missing)}\n`;
    reason = undefined;
    missing = 0;
  };
  process.prependListener('exit', () => {
    // The chunk in progress was passed to the system already. It is written again only if the system refused it.
    const rest = refused && writing ? writing.toString() + waiting : waiting;
    waiting = '';
    if (!gone) writeNow(fd, rest);
  });
  return {
    write: (line) => {
      if (gone) return;
      if (waiting.length >= MOST_WAITING) {
        missing += 1;
        return;
      }
      waiting += line;
      if (waiting.length >= WRITTEN_AT_ONCE) flush();
      else later(WRITTEN_WITHIN);
    },
  };
}

function messageOf(code: string, missing: number): string {
  const time = new Date().toISOString();
  const msg =
    'the log could not be written for a while: the lines of that time came late, and those that are missing are counted';
  return JSON.stringify({ level: 'warn', time, pid: process.pid, code, missing, msg });
}

/** Writes synchronously. This is for text that people read, and for the end of the process. Text that cannot be written is dropped. */
export function writeNow(fd: number, text: string): void {
  let rest = Buffer.from(text);
  for (let tries = 0; rest.length > 0 && tries < LAST_TRIES; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (!SLOW.test(String((error as NodeJS.ErrnoException).code))) return;
      tries += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_PAUSE);
    }
  }
}
