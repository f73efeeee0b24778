// The chapter for beginners: how to get a token (on the reader's own machine, or with a registered application), and the first search with
// its response.

import { type Html, type HtmlValue, html } from '#web/html.ts';
import type { ReferenceDirectory } from './descriptions.ts';
import { authorization, bundle, clientEntry, exchange, laidOut, refresh, requestLine, usualPairs } from './examples.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeBlock, codeIn, prose } from './parts.ts';

type Step = readonly [title: string, about: string, code?: string | undefined, more?: HtmlValue];

export interface StartPlace {
  /** Address of the demo application; undefined if it does not run. */
  demo?: string;
  /** The account of a fictional person, for signing in. */
  person?: { login: string; password: string } | undefined;
}

export function startChapter(directory: ReferenceDirectory, messages: ReferenceMessages, place: StartPlace): Html {
  const { start, sample } = messages;
  const people = directory.types.find(({ type }) => type === 'Practitioner');
  const request = people ? requestLine('Practitioner', usualPairs(people)) : '';
  const ways: Record<string, readonly Step[]> = {
    machine: onOwnMachine(directory, messages, { ...place, request }),
    registered: [
      [start.register, start.registerAbout],
      [start.signIn, start.signInAbout, authorization(directory)],
      [start.exchange, start.exchangeAbout, exchange(directory.tokenUrl)],
      [start.unattended, start.unattendedAbout, refresh(directory.tokenUrl)],
    ],
  };
  const chosen = place.demo === undefined ? 'registered' : 'machine';
  return chapter(
    'start',
    start.title,
    html`<fieldset class="switch"><legend>${start.where}</legend>${Object.keys(ways).map(
      (way) =>
        html`<label><input type="radio" name="way" id="way-${way}"${way === chosen && html` checked`}><span>${start.ways[way]}</span></label>`,
    )}</fieldset>
${Object.entries(ways).map(([way, list]) => html`<ol class="steps" data-way="${way}">${list.map(step)}</ol>`)}
<h3>${start.search}</h3><p>${prose(start.searchAbout)}</p>
${codeIn(directory, `GET ${decodeURIComponent(request.replaceAll('+', ' '))}`, request, messages)}
<h3>${sample.title}</h3><p>${prose(sample.about)}</p>
${codeBlock('Bundle', laidOut(bundle(directory)))}`,
  );
}

function step([title, about, code, more]: Step): Html {
  return html`<li><h3>${title}</h3><p>${prose(about)}</p>${code !== undefined && codeBlock(title, code)}${more}</li>
`;
}

function onOwnMachine(
  { tryPage }: ReferenceDirectory,
  { start, tryIt }: ReferenceMessages,
  { demo, person, request }: StartPlace & { request: string },
): Step[] {
  // If no demo runs here, the steps are about a service that the reader starts on their own machine. So the links lead to that machine.
  const own = demo === undefined ? 'http://localhost:3000' : '';
  const account =
    person &&
    html`<p>${tryIt.demoPerson} <code>${person.login}</code>, ${tryIt.demoPassword} <code>${person.password}</code></p>`;
  const link = (address: string, text: string) => html`<p class="after"><a href="${own}${address}">${text}</a></p>`;
  return [
    [start.run, start.runAbout, 'npm ci && npm start'],
    [
      start.try,
      start.tryAbout,
      undefined,
      html`${account}${link(`${own === '' ? tryPage : '/directory/try'}#${request}`, tryIt.title)}`,
    ],
    [start.token, start.tokenAbout, undefined, link(demo ?? '/demo', start.demo)],
    [start.own, start.ownAbout, clientEntry],
  ];
}
