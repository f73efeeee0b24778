// Limits how many bytes of responses a client may leave unread: they stay in memory until the client reads them or its connection ends
// (SEC-76). `limits.ts` has the number.

import type { RequestHandler, Response } from 'express';
import { limitReached } from '#shared/limits-reached.ts';
import { callerOf, tokenOf } from './authenticate.ts';

/**
 * Makes the middleware, which comes after `authenticate`. If one client has left more than `most` bytes unread in this process, each
 * further response that the client does not read at once ends its connection. The bytes are counted when a response is written, so requests
 * that arrive together cannot all pass.
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

/** Counts the bytes of a response that the network did not accept at once. Call it after the whole response was given to Node. */
export function wasWritten(res: Response): void {
  (res.locals['written'] as (() => void) | undefined)?.();
}
