// Bounds what a client leaves unread: an answer that nobody takes stays in memory until its connection ends (SEC-76).

import type { RequestHandler, Response } from 'express';
import { limitReached } from '#shared/limits-reached.ts';
import { callerOf, tokenOf } from './authenticate.ts';

/**
 * Middleware after `authenticate`. Where `most` bytes of answers to one client wait to be read, in this process, a further answer that
 * is not read at once ends its connection. Counted when an answer is written: requests that came together cannot pass together.
 */
export function boundUnreadAnswers(most: number): RequestHandler {
  const unread = new Map<string, number>();
  return (req, res, next) => {
    const token = tokenOf(res);
    if (!token) return next();
    const caller = callerOf(token);
    const add = (bytes: number) => {
      const sum = (unread.get(caller) ?? 0) + bytes;
      if (sum > 0) unread.set(caller, sum);
      else unread.delete(caller);
      return sum;
    };
    res.locals['written'] = () => {
      const waiting = res.writableLength;
      if (waiting === 0) return;
      res.once('close', () => add(-waiting));
      if (add(waiting) <= most) return;
      limitReached('unread-answers');
      req.socket.destroy();
    };
    next();
  };
}

/** To be called when a whole answer was handed to Node: what the network did not take at once waits for its reader. */
export function wasWritten(res: Response): void {
  (res.locals['written'] as (() => void) | undefined)?.();
}
