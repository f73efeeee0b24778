// Stores the sign-ins in progress to the account pages. They are stored in a sealed cookie and not in the database, because strangers could
// fill the database with them (SEC-58).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ACCOUNT_PATH } from '#config/built-in-clients.ts';
import type { PendingSignIns, PendingWithPage } from '#openid/account/page-context.ts';
import type { SealedCookie } from '#web/http/cookies.ts';
import type { Site } from '#web/site.ts';

/** Maximum number of sign-ins in progress in one browser. Several windows may each have one. If there are more, the oldest is dropped. */
const MOST = 5;

const CONTEXT = 'sign-ins to the account pages';

/** Stores sign-ins in progress in a cookie. The cookie expires `seconds` after the last sign-in began. */
export function pendingSignIns(cookie: SealedCookie, { base }: Pick<Site, 'base'>, seconds: number): PendingSignIns {
  const path = base + ACCOUNT_PATH;
  const read = (req: IncomingMessage) => {
    const { until, all } = JSON.parse(cookie.read(req, CONTEXT) ?? '{"until":0}') as {
      until: number;
      all: PendingWithPage[];
    };
    return until > Date.now() ? all : [];
  };
  const write = (res: ServerResponse, all: readonly PendingWithPage[]) => {
    const text = JSON.stringify({ until: Date.now() + seconds * 1000, all });
    cookie.write(res, text, { context: CONTEXT, path, seconds });
  };
  return {
    add: (req, res, pending) => write(res, [...read(req).slice(1 - MOST), pending]),
    take: (req, res, state) => {
      const all = read(req);
      const found = all.find((one) => one.state === state);
      const others = all.filter((one) => one !== found);
      if (found && others.length === 0) cookie.clear(req, res, path);
      else if (found) write(res, others);
      return found;
    },
  };
}
