// An account before pages whose stores are played: what their handlers record and ask of stores is kept, anew for each test.

import { beforeEach, expect } from '@jest/globals';
import { type Asked, shownPage } from '#support/openid/shown-page.ts';

export const ME = {
  id: 'me',
  name: 'Zoé Martin',
  given: 'Zoé',
  family: 'Martin',
  email: 'zoe@clinic.example',
  emailVerified: true,
  hasPassword: true,
};

/** To be called in a `describe`. */
export function withStores(common: object = {}) {
  const kept: { recorded: object[]; calls: unknown[][] } = { recorded: [], calls: [] };
  beforeEach(() => void Object.assign(kept, { recorded: [], calls: [] }));
  const audit = { record: async (event: object) => void kept.recorded.push(event) };
  return {
    kept,
    /** Member of a store that is called, and has this result. */
    told:
      <Result>(name: string, result: Result) =>
      async (...given: unknown[]) => {
        kept.calls.push([name, ...given]);
        return result;
      },
    /** What is shown, and what the session keeps and says next. */
    ask: async (
      handle: Parameters<typeof shownPage>[0],
      stores: object = {},
      { account = {}, ...asked }: Asked & { account?: object } = {},
    ) => {
      const session: Record<string, unknown> = { ...asked.session };
      const context = { audit, ...common, ...stores, account: { ...ME, ...account } };
      const shown = await shownPage(handle, context, { ...asked, session });
      return { ...shown, session, notice: session['notice'] };
    },
  };
}

/** A record of the audit trail about the own account. */
export const recordOf = (event: string, details?: object, more: object = {}): object =>
  expect.objectContaining({ event, account: 'me', ...(details && { details }), ...more });
