// What the logout modules of the conformance suite share: a signed-in browser, the request to the end-session endpoint, and
// the proof that the person is (or is not) signed out.

import { expect } from '@jest/globals';
import { checkErrorResponse } from '#support/certification/conditions.ts';
import {
  createRun,
  discovery,
  type Flow,
  type Parameters,
  POST_LOGOUT,
  randomValue,
} from '#support/certification/suite.ts';
import type { Visit } from '#support/person.ts';
import type { RunningService } from '#support/service.ts';

/** Every mark that the suite puts at the end of a state, next to letters and digits. */
const MARKS = `!"#$%&'()*,-./:<=>?@[\\]^_\`{|}~`;

export interface LogoutRun {
  flow: Flow;
  /** The request of a module: all three parameters, with changes. */
  endSession(parameters?: Parameters): Promise<{ page: Visit; state: string }>;
  /** Presses the button that ends the session, if the page asks. */
  confirm(page: Visit): Promise<Visit>;
  /** A request with `prompt=none`: the error at the callback, or undefined where the person is still signed in. */
  silentError(): Promise<string | undefined>;
}

/** A normal authorization flow in a browser of its own, before the logout. */
export async function beforeLogout(service: RunningService): Promise<LogoutRun> {
  const run = createRun(service);
  const flow = await run.flow({ state: randomValue(128) });
  return {
    flow,
    endSession: async (parameters = {}) => {
      const { end_session_endpoint } = await discovery(service);
      const url = new URL(String(end_session_endpoint));
      const state = `${randomValue(60)}${MARKS}`;
      const all: Parameters = {
        id_token_hint: flow.tokens.id_token,
        post_logout_redirect_uri: POST_LOGOUT,
        state,
        ...parameters,
      };
      for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
      return { page: await run.person.visit(url), state };
    },
    confirm: async (page) => (page.html.includes('id="sign-out"') ? run.person.press(page, 'sign-out') : page),
    silentError: async () => {
      const request = run.request({ prompt: 'none', state: randomValue(128) });
      const { left } = await run.person.visit(request);
      if (left?.searchParams.has('code')) return undefined;
      return checkErrorResponse(service.issuer, request, left);
    },
  };
}

/** Errors that say that the person would have to be asked (OpenID Connect Core section 3.1.2.6). */
export const NEEDS_THE_PERSON = [
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
];

/** The person is back at the client, with the state and nothing else. */
export function checkSignedOutAt(left: URL | undefined, state: string): void {
  expect(`${left?.origin}${left?.pathname}`).toBe(POST_LOGOUT);
  expect([...(left?.searchParams ?? [])]).toEqual([['state', state]]);
}

/** The OP shows a page, and leads to nowhere, not even after the person has agreed to sign out. */
export async function staysHere({ confirm }: LogoutRun, page: Visit): Promise<Visit> {
  expect(page.left).toBeUndefined();
  expect(page.html).toContain('<h1>');
  const end = await confirm(page);
  expect(end.left).toBeUndefined();
  return end;
}
