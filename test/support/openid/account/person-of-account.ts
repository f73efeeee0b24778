// Signs a person in to the account pages, with an authenticator app.

import { Secret, TOTP } from 'otpauth';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

/** The nth of the demonstration's people; each test has its own, so that none meets another's second factor. */
export function credentialsOf(index: number): { login: string; password: string } {
  return { login: DEMO_ACCOUNTS[index]?.email ?? '', password: DEMO_PASSWORD };
}

export const idOf = (index: number): string => DEMO_ACCOUNTS[index]?.id ?? '';

/** A person with a new browser, which reads pages in English. */
export function englishPerson(issuer: string): Person {
  const person = createPerson(issuer);
  person.cookies.set('hygie_language /', 'en');
  return person;
}

/** Opens a page of the space, and signs in on the way if it has to be; in English. */
export async function openAccount(person: Person, index: number, page = '/account'): Promise<Visit> {
  person.cookies.set('hygie_language /', 'en');
  const visit = await person.visit(page);
  if (!visit.html.includes('id="sign-in"')) return visit;
  return person.press(visit, 'sign-in', credentialsOf(index));
}

/** A new browser, with a person signed in to the space. */
export async function enteredBy(issuer: string, index: number): Promise<{ person: Person; overview: Visit }> {
  const person = createPerson(issuer);
  return { person, overview: await openAccount(person, index) };
}

/** An authenticator app that took the address on the page. */
export function appOf({ html }: Visit): (ahead?: number) => string {
  const address = /href="(otpauth:[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const secret = new URL(address).searchParams.get('secret') ?? '';
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  // The service takes the next code as well: so there are two that are good at any moment.
  return (ahead = 0) => totp.generate({ timestamp: Date.now() + ahead * 30_000 });
}

/** The recovery codes on the page. */
export function recoveryCodesOn({ html }: Visit): string[] {
  return [...html.matchAll(/<code>([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})<\/code>/g)].map(([, code]) => code ?? '');
}
