// A signed-in person of the demo without a browser, who reads its pages.

import { beforeAll } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

export interface DemoReader extends Person {
  /** Opens a page below `/demo/` in a language. */
  open(path: string, query?: Record<string, string>): Promise<Visit>;
  /** The person's own access token, and the directory asked with it. */
  token: string;
  ask<Resource = fhir3.Bundle>(path: string): Promise<Resource>;
}

/** Signs a demo person in; `nth` is another person than those of other tests that share the service. */
export async function demoReader({ issuer, settings }: RunningService, nth = 0, lang = 'fr'): Promise<DemoReader> {
  const person = createPerson(issuer);
  const begun = await person.visit('/demo/sign-in', { method: 'POST', headers: { origin: issuer } });
  const credentials = { login: DEMO_ACCOUNTS[nth]?.email ?? '', password: DEMO_PASSWORD };
  const callback = await person.signIn(begun.url, credentials);
  await person.visit(callback);
  const { html } = await person.visit('/demo/steps');
  const token = /TOKEN=(?:'|&#39;)([\w~.-]+)/.exec(html)?.[1] ?? '';
  return {
    ...person,
    token,
    open: (path, query = {}) => person.visit(`/demo/${path}?${new URLSearchParams({ ...query, lang })}`),
    async ask(path) {
      const headers = { authorization: `Bearer ${token}` };
      return (await (await fetch(`${settings.directory.url}/${path}`, { headers })).json()) as never;
    },
  };
}

/** To be called at the top of a test file: a service, somebody who reads its demo, and the searches of that person. */
export function withReader(start = () => startService()) {
  const service = openedForAll(start);
  const on = {} as { reader: DemoReader };
  beforeAll(async () => {
    on.reader = await demoReader(service);
  });
  const search =
    (path: string) =>
    (who: string, where = '', more: Record<string, string> = {}): Promise<Visit> =>
      on.reader.open(path, { name: who, address: where, ...more });
  return Object.assign(on, { service, people: search('practitioners'), structures: search('organizations') });
}

/** The text of a page without its marks and the blanks around them, no-break spaces as they are. */
export function textOf({ html }: Pick<Visit, 'html'>): string {
  const [, main = html] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? [];
  return main
    .replace(/<datalist[\s\S]*?<\/datalist>/g, '')
    .replace(/<\/?(a|span|code|strong|small|mark)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&quot;|&#39;|&amp;/g, (sign) => ({ '&quot;': '"', '&#39;': "'" })[sign] ?? '&')
    .replace(/[ \n]*\n[ \n]*/g, '\n')
    .trim();
}

/** What stands on a page of results: the heading, the headings of groups, people and structures, links. */
export const headingOf = ({ html }: { html: string }) => /<h1>(.*?)<\/h1>/.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '');
export const groupsOf = ({ html }: { html: string }) =>
  [...html.matchAll(/<h2[^>]*>([^<]*)<\/h2>/g)].map(([, text = '']) => text);
export const namesOf = ({ html }: { html: string }) =>
  [...html.matchAll(/<h3><a href="\/demo\/(?:practitioners|organizations)\/([^"]+)">([^<]*)/g)].map(
    ([, id = '', name = '']) => ({ id, name }),
  );
/** The address behind a link that has this text, or this `rel`. */
export const linkOf = ({ html }: { html: string }, wanted: string) =>
  new RegExp(`<a[^>]*href="([^"]*)"[^>]*${wanted}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
