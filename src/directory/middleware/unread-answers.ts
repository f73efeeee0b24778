// Bounds the unread part of responses: a response that the client does not read stays in memory until its connection ends (SEC-76).
// `limits.ts` says how many bytes.

import type { RequestHandler, Response } from 'express';
import { limitReached } from '#shared/limits-reached.ts';
import { callerOf, tokenOf } from './authenticate.ts';

/**
 * Middleware behind `authenticate`. Once `most` bytes of responses wait for one client in this process, a further response that is not read
 * at once ends its connection. Bytes count when a response is written, so that requests that come together cannot pass together.
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

/** Counts the bytes that the network did not accept at once. Call it after a whole response was handed to Node. */
export function wasWritten(res: Response): void {
  (res.locals['written'] as (() => void) | undefined)?.();
}
