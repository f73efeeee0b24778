// Owns what an address of the directory is: a request as it came, and what answers it by method.
// Does not own which addresses there are (`router.ts`).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../limits.ts';
import { fault } from './operation-outcome.ts';
import type { Answer } from './send-response.ts';

/** A request as it came: path and query are those below the directory's base. */
export interface Asked {
  req: IncomingMessage;
  res: ServerResponse;
  path: string;
  /** As sent, one character for each byte. */
  query: string;
  /** Form of a search by POST, once it has been read. */
  form?: string;
}

/** What one address answers, by method. HEAD is GET, whose body Node leaves out. */
export interface Place {
  GET?(asked: Asked): Promise<Answer>;
  POST?(asked: Asked): Promise<Answer>;
  DELETE?(asked: Asked): Promise<Answer>;
}

export function askedOf(req: IncomingMessage, res: ServerResponse): Asked {
  const { url = '/' } = req;
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return { req, res, path: trimmed, query: at < 0 ? '' : url.slice(at + 1) };
}

/** The query itself, unless it is too long. Throws Fault 414. */
export function bounded(query: string): string {
  if (query.length > LIMITS.queryBytes)
    throw fault(414, 'too-long', `A query takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  return query;
}

const LENIENT = /(^|[,;])\s*handling\s*=\s*"?lenient\b/i;

/** Whether a client wants what is not understood to be ignored (STU3 search 3.1.1.2). */
export function isLenient(prefer: string | string[] | undefined): boolean {
  return prefer !== undefined && LENIENT.test(String(prefer));
}
