// What a browser keeps because somebody chose so at it: the address to sign in with. It is sealed, names no account, and no account is looked
// up for it, so that the page says the same whether there is one (decision 114).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import { COOKIES } from '#web/http/cookies.ts';
import { sealedCookie } from '#web/http/sealed-cookie.ts';
import type { Site } from '#web/site.ts';
import { DEVICE_COOKIE_LIFETIME } from './device-cookies.ts';

interface Choices {
  /** The address that the login field begins with. */
  login?: string | undefined;
}

export type KeptChoices = ReturnType<typeof keptChoices>;

const CONTEXT = 'choices kept at this browser';

/** Reads and writes these choices. The first of `keys` seals, all of them open. */
export function keptChoices({ base, secure }: Pick<Site, 'base' | 'secure'>, keys: readonly string[]) {
  const path = `${base}${SIGN_IN_PATH}`;
  const cookie = sealedCookie(COOKIES.kept, keys, secure);
  const read = (req: IncomingMessage) => JSON.parse(cookie.read(req, CONTEXT) ?? '{}') as Choices;
  return {
    read,
    /** Changes some of them; undefined forgets one. They are kept for as long as browsers stay known after their last sign-in. */
    change: (req: IncomingMessage, res: ServerResponse, changes: Choices): void => {
      const text = JSON.stringify({ ...read(req), ...changes });
      if (text === '{}') cookie.clear(req, res, path);
      else cookie.write(res, text, { context: CONTEXT, path, seconds: DEVICE_COOKIE_LIFETIME });
    },
  };
}
