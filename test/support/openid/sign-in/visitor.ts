// A browser before the pages of `sign-in-app.ts`: keeps its cookies, fetches a page and posts its form.

import request, { type Agent, type Response } from 'supertest';
import { createSignInApp, PERSON, type SignInApp, waitingRequest } from './sign-in-app.ts';

export const LOGIN = '/interaction/aaa';
export const CONSENT = '/interaction/bbb';
export const CHOICE = '/interaction/choice';

export interface Visitor {
  signInApp: SignInApp;
  browser: Agent;
  /** Fetches the page and posts one of its forms, with the token that stood in it. */
  post(page: string, form: string, fields: Record<string, string>): Promise<Response>;
  signIn(login: string, password: string): Promise<Response>;
}

/** A signInApp, a fresh one unless given, on which one request waits for a sign-in and one for consent; and a browser before it. */
export function createVisitor(signInApp = createSignInApp()): Visitor {
  signInApp.requests.set('aaa', waitingRequest('aaa'));
  signInApp.requests.set('bbb', waitingRequest('bbb', { prompt: 'consent', account: PERSON }));
  signInApp.requests.set('choice', waitingRequest('choice', { prompt: 'select_account', account: PERSON }));
  const browser = request.agent(signInApp.app);
  const post: Visitor['post'] = async (page, form, fields) => {
    const csrf = tokenIn(await browser.get(page));
    return browser
      .post(`${page}/${form}`)
      .type('form')
      .send({ csrf, ...fields });
  };
  return { signInApp, browser, post, signIn: (login, password) => post(LOGIN, 'login', { login, password }) };
}

/** The token in a page's form. */
export function tokenIn({ text }: Response): string {
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
}
