// The person in front of the clients: a small HTTP service that any language can ask to walk through sign-in and pages of an
// application, with a cookie jar for each `person` it names.
//
//   GET /sign-in?url=ADDRESS&person=NAME    the address of the callback to which the service sent the browser, unopened
//   GET /journey?url=ADDRESS&person=NAME    the page on which the journey ends; X-Final-Url and X-Final-Status say where
//
// X-Pressed names the buttons of the service that were pressed on the way.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

const CREDENTIALS = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
/** Buttons of the service that the person presses when a page has them, in this order. */
const BUTTONS = ['sign-in', 'allow', 'continue', 'sign-out'] as const;
const MOST_PAGES = 4;
const MOST_STEPS = 20;

export interface Browser {
  address: string;
  close(): Promise<void>;
}

export async function openBrowser(issuer: string): Promise<Browser> {
  const people = new Map<string, Jars>();
  let nameless = 0;
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const url = searchParams.get('url') ?? '';
    const name = searchParams.get('person') ?? `nameless ${nameless++}`;
    const jars = people.get(name) ?? new Map<string, Person>();
    people.set(name, jars);
    const walk: Walk = { jars, service: new URL(issuer).origin, pressed: [] };
    const plain = { 'content-type': 'text/plain; charset=utf-8' };
    (pathname === '/sign-in' ? leave(walk, url) : journey(walk, url)).then(
      ({ body, headers = {} }) =>
        res.writeHead(200, { ...plain, ...headers, 'x-pressed': walk.pressed.join(' ') }).end(body),
      (error: Error) => res.writeHead(500, plain).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The cookies of one person: one jar for each origin. */
type Jars = Map<string, Person>;

interface Walk {
  jars: Jars;
  /** Origin of the service; the person answers its pages. */
  service: string;
  pressed: string[];
}

interface Walked {
  body: string;
  headers?: Record<string, string>;
}

async function leave(walk: Walk, url: string): Promise<Walked> {
  const visit = await pressThrough(walk, await at(walk, walk.service).visit(url));
  if (!visit.left) throw new Error(`stopped at ${visit.url} (${visit.status}): ${textOf(visit.html)}`);
  return { body: visit.left.href };
}

async function journey(walk: Walk, url: string): Promise<Walked> {
  let next = new URL(url);
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    let visit = await at(walk, next.origin).visit(next);
    if (next.origin === walk.service) visit = await pressThrough(walk, visit);
    if (!visit.left) {
      return { body: visit.html, headers: { 'x-final-url': visit.url, 'x-final-status': String(visit.status) } };
    }
    next = visit.left;
  }
  throw new Error(`the journey from ${url} does not end: it was at ${next.href} last`);
}

/** Answers the pages of the service until the browser leaves it, or a page has no button that the person knows. */
async function pressThrough(walk: Walk, first: Visit): Promise<Visit> {
  let visit = first;
  for (let pages = 0; pages < MOST_PAGES && !visit.left; pages += 1) {
    const button = BUTTONS.find((id) => visit.html.includes(`id="${id}"`));
    if (!button) break;
    walk.pressed.push(button);
    const fields = button === 'sign-in' ? CREDENTIALS : firstWorkspace(visit);
    visit = await at(walk, walk.service).press(visit, button, fields);
  }
  return visit;
}

/** The first place of work of a page that asks for one; nothing of any other page. */
function firstWorkspace({ html }: Visit): Record<string, string> {
  const [, value] = html.match(/name="workspace" value="([^"]+)"/) ?? [];
  return value === undefined ? {} : { workspace: value };
}

function at({ jars }: Walk, origin: string): Person {
  const person = jars.get(origin) ?? createPerson(origin);
  jars.set(origin, person);
  return person;
}

function textOf(html: string): string {
  const text = html.replace(/<style[\s\S]*?<\/style>|<[^>]+>/g, ' ');
  return text.replace(/\s+/g, ' ').slice(0, 500);
}
