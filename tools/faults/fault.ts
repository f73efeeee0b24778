// The type of a fault, with what is expected of the service while it is there.

import type { Kind, Site } from './site/site.ts';

/** A fault under load. */
export interface Fault {
  name: string;
  /** How it is made, for the table. */
  how: string;
  on: readonly Kind[];
  /** How long the fault stays, in seconds from the end of `make`. */
  seconds: number;
  /** What clients may see beside a good answer and 503 with Retry-After. */
  may?: RegExp;
  /** Clients notice nothing: not even a 503. */
  unnoticed?: true;
  /** What /health/ready says while it is there; without it, it is not looked at. */
  ready?: 200 | 503;
  /** What has to be in the log. */
  log?: RegExp;
  /** It kills a process of the service: what waits a quarter of a second to be recorded may be missing. */
  kills?: true;
  /** What was acknowledged last may be lost by it, as decided. Those of before are not asked afterwards. */
  forgets?: true;
  /** Sessions and tokens may end by it: those of before are not asked of the service afterwards. */
  ends?: true;
  /** Why it cannot be made on this machine. */
  missing?(site: Site): string | undefined;
  make(site: Site): unknown;
  mend(site: Site): unknown;
  /** Looks for more than the load does, afterwards: what is wrong, a sentence each. */
  check?(site: Site): Promise<string[]>;
}

/** A start or a command that has to be refused. */
export interface Refused {
  name: string;
  how: string;
  on: readonly Kind[];
  /** Runs it with the fault, and takes the fault away. */
  run(site: Site): Promise<{ code: number | null; said: string }>;
  code: number;
  says: RegExp;
}

export const BOTH: readonly Kind[] = ['sqlite', 'postgresql'];
export const SQLITE: readonly Kind[] = ['sqlite'];
export const POSTGRESQL: readonly Kind[] = ['postgresql'];
export const PAIR: readonly Kind[] = ['pair'];
/** What a client sees of a process that is not there. */
export const GONE = /^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET|other side closed|EPIPE|terminated|fetch failed)/;
