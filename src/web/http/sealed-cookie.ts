// Sealed cookies keep data in the browser of a stranger, so that it needs no row of the database. Nobody can read or change the data. A
// text that is too large for one cookie is split into several.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { cookieName, cookiesOf, writeCookie } from './cookies.ts';

/** Browsers accept 4,096 bytes of name and value. */
const PART = 3800;
/** The parts must fit into 24 KiB, together with other cookies and an address of 8 KiB (`server/process/http-server.ts`). */
const MOST_PARTS = 3;

/** Thrown if the text does not fit into the cookies. */
export class TooLargeForCookies extends Error {}

export interface SealedCookie {
  /** Returns the text that was written in this context; undefined if there is none or it cannot be opened. */
  read(req: IncomingMessage, context: string): string | undefined;
  /** Writes a text to a path for some seconds. Throws `TooLargeForCookies`. */
  write(res: ServerResponse, text: string, at: { context: string; path: string; seconds: number }): void;
  /** Removes the cookies that the request sent. */
  clear(req: IncomingMessage, res: ServerResponse, path: string): void;
}

/** Makes a sealed cookie of this name, for the path `/` or for paths below. The first of `keys` seals; all of them open. */
export function sealedCookie(
  name: string,
  keys: readonly string[],
  secure: boolean,
  paths: '/' | 'below' = 'below',
): SealedCookie {
  const [first = ''] = keys;
  const prefixed = cookieName(name, { secure, path: paths });
  const nameOf = (index: number) => (index === 0 ? prefixed : `${prefixed}.${index}`);
  return {
    read: (req, context) => {
      const cookies = cookiesOf(req);
      const [, count, start = ''] = /^([1-9])\.(.*)$/.exec(cookies.get(prefixed) ?? '') ?? [];
      if (count === undefined || Number(count) > MOST_PARTS) return undefined;
      const rest = Array.from({ length: Number(count) - 1 }, (_, index) => cookies.get(nameOf(index + 1)) ?? '');
      return unseal(keys, [start, ...rest].join(''), context);
    },
    write: (res, text, { context, path, seconds }) => {
      const parts = seal(first, text, context).match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
      if (parts.length > MOST_PARTS) throw new TooLargeForCookies(`${name} would need ${parts.length} cookies`);
      for (const [index, part] of parts.entries()) {
        const value = index === 0 ? `${parts.length}.${part}` : part;
        writeCookie(res, `${nameOf(index)}=${value}`, { path, seconds, secure });
      }
    },
    clear: (req, res, path) => {
      const sent = cookiesOf(req);
      for (let index = 0; index < MOST_PARTS; index += 1) {
        if (sent.has(nameOf(index))) writeCookie(res, `${nameOf(index)}=`, { path, seconds: 0, secure });
      }
    },
  };
}
