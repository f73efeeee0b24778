// Keeps the answer of a page without a service, and asks a handler of the account pages for it: with whatever the stores of its context say.

import type { AccountContext } from '#openid/account/page-context.ts';
import { transcript } from '#support/page-transcript.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

export interface Shown {
  status: number;
  /** What the page says, line by line; nothing for a redirect. */
  lines: string[];
  html: string;
  location?: string;
  headers: Record<string, string>;
}

export interface Asked {
  /** The posted form, with a token of its own. */
  form?: Record<string, string>;
  /** What the browser's session keeps. */
  session?: object;
  url?: string;
  query?: object;
  userAgent?: string;
}

/** A response that keeps what it is told. */
export function answerKept() {
  const shown: Shown = { status: 200, lines: [], html: '', headers: {} };
  const set = (name: string, value: string) => {
    shown.headers[name.toLowerCase()] = value;
    return res;
  };
  const res = {
    set,
    setHeader: set,
    getHeader: () => undefined,
    appendHeader: set,
    attachment: (name: string) => set('content-disposition', name),
    status: (status: number) => {
      shown.status = status;
      return res;
    },
    type: () => res,
    send: (html: unknown) => {
      shown.html = String(html);
      shown.lines = transcript(shown.html).split('\n');
    },
    redirect: (status: number, location: string) => Object.assign(shown, { status, location }),
  };
  return { shown, res };
}

/** The answer of a handler in English. `stores` become part of its context. */
export async function shownPage(
  handle: (context: AccountContext) => unknown,
  stores: object,
  { form, session = {}, url = '/account', query = {}, userAgent }: Asked = {},
): Promise<Shown> {
  const { shown, res } = answerKept();
  const tokens = tokensOfSession({});
  const [, csrf = ''] = /value="([^"]+)"/.exec(String(csrfField(tokens[0]))) ?? [];
  const site = createSite({ issuer: 'https://connect.example', branding: { name: 'Hygie', colour: '#0b5f6b' } });
  // A new session is empty.
  const regenerate = (done: () => void) => {
    Object.assign(req, { session: {} });
    done();
  };
  const req = {
    url,
    method: form ? 'POST' : 'GET',
    query,
    headers: { ...(userAgent && { 'user-agent': userAgent }) },
    ip: '192.0.2.1',
    session: { account: session, regenerate },
    sessionID: 'id-of-the-session',
    body: form && { csrf, ...form },
  };
  const context = {
    req,
    res,
    site,
    path: url,
    language: 'en',
    languageLink: (language: string) => `${url}?lang=${language}`,
    messages: messagesIn('en'),
    tokens,
    isShared: () => false,
    ...stores,
  };
  await handle(context as never);
  return shown;
}
