// The page of the browser application: wires buttons and forms to `sign-in.js` and to the directory. All its texts are in the
// page itself (`pages/browser-page.ts`).

import { jsonText, recordingFetch, requestText, shown } from './http-trace.js';
import { inShort, resourceCard } from './resource-cards.js';
import { browserClient, userInfoClaim } from './sign-in.js';

const element = (id) => document.getElementById(id);
const sentence = (id) => element(id).content.textContent;
const application = element('application').dataset;

/** The person signed in: access token, ID token, claims. In memory only; undefined before and after. */
let person;

/** The messages that go over the wire after the callback, by the end of their path. */
const STEP_OF = { token: 4, userinfo: 5 };
const fetchAndShow = recordingFetch((path, text) => showMessage(STEP_OF[path.split('/').at(-1)], text));
const client = browserClient(application, fetchAndShow);

start();

async function start() {
  element('sign-in').addEventListener('click', () => attempt(() => client.begin(document.documentElement.lang)));
  element('sign-out').addEventListener('click', () => attempt(() => client.signOut(person.idToken)));
  element('next').addEventListener('click', ({ target }) => attempt(() => search(target.dataset.address)));
  element('search-form').addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => search(searchAddress(new FormData(event.target))));
  });

  const address = new URL(location.href);
  if (address.searchParams.has('state')) await attempt(() => finish(address));
  showPerson();
}

/** The browser is back from the service. */
async function finish(answer) {
  // The code is about to serve its turn: it leaves the address bar and the history.
  history.replaceState(null, '', application.page);
  const { url, state } = client.underway();
  if (url) showMessage(1, requestText('GET', new URL(url)));
  showMessage(2, requestText('GET', answer));
  person = await client.finish(answer);
  const received = shown('state', answer.searchParams.get('state'));
  showMessage(3, `sessionStorage  state=${shown('state', state)}\ncallback        state=${received}`);
  showMessage(5, `ID token ${jsonText(person.claims)}`);
  showMessage(6, `sub ${person.claims.sub}`);
}

function showMessage(step, text) {
  if (!step) return;
  element('steps-lead').textContent = sentence('steps-lead-after');
  const message = document.createElement('pre');
  message.tabIndex = 0;
  message.textContent = text;
  element('steps').children[step - 1].append(message);
}

function showPerson() {
  element('sign-in').hidden = Boolean(person);
  element('sign-out').hidden = !person;
  element('search').hidden = !person;
  element('greeting').textContent = person ? sentence('greeting-text').replace('{name}', person.claims.name) : '';
}

/** The directory's address for this search. It comes from the ID token: each person may have another one. */
function searchAddress(form) {
  const type = form.get('type');
  form.delete('type');
  const criteria = [...form].filter(([, value]) => value.trim());
  return `${userInfoClaim(person.claims).apiUrl}/${type}?${new URLSearchParams([...criteria, ['_count', '10']])}`;
}

async function search(address) {
  const begin = performance.now();
  const bundle = await read(address);
  const milliseconds = Math.round(performance.now() - begin);
  const { pathname, searchParams } = new URL(address);
  const type = pathname.split('/').at(-1);
  element('total').textContent = sentence(`total-${type}`).replace('{n}', bundle.total);
  element('took').textContent = `· ${milliseconds} ms`;
  element('request').textContent = `GET ${pathname}?${[...searchParams].map((pair) => pair.join('=')).join('&')}`;

  const resources = (bundle.entry ?? [])
    .filter(({ search }) => search.mode === 'match')
    .map(({ resource }) => resource);
  const cards = await Promise.all(resources.map(withParent));
  element('results').replaceChildren(...(cards.length ? cards.map(cardElement) : [sentence('nothing-found')]));

  const next = bundle.link?.find(({ relation }) => relation === 'next')?.url;
  element('next').hidden = !next;
  element('next').dataset.address = next ?? '';
}

/** A card; a structure's names the structure that it is a part of. */
async function withParent(resource) {
  const found = resourceCard(resource);
  const card = { ...found, title: found.title || sentence('nameless') };
  if (!card.partOf) return card;
  const parent = await read(`${userInfoClaim(person.claims).apiUrl}/${card.partOf}`);
  return { ...card, partOf: resourceCard(parent).title || card.partOf };
}

/** Asks the directory as the person. The token goes to the directory's own address and to no other. */
async function read(address) {
  if (!address.startsWith(`${userInfoClaim(person.claims).apiUrl}/`)) throw new Error(`Not the directory: ${address}`);
  const headers = { Accept: 'application/fhir+json', Authorization: `Bearer ${person.accessToken}` };
  const response = await fetch(address, { headers });
  const resource = await response.json();
  if (response.ok) return resource;
  if (response.status === 401) {
    person = undefined;
    showPerson();
    throw new Error(sentence('access-ended'));
  }
  throw new Error(resource.issue?.map(({ diagnostics, details }) => diagnostics ?? details?.text).join(' '));
}

function cardElement(card) {
  const { firstElementChild: article } = element('card').content.cloneNode(true);
  for (const slot of article.querySelectorAll('[data-slot]')) fill(slot, [card[slot.dataset.slot] ?? []].flat());
  return article;
}

/** A text, or the beginning of a list under its heading; without a value the slot goes. */
function fill(slot, values) {
  if (values.length === 0 || values[0] === '') return slot.remove();
  if (!slot.matches('div')) {
    slot.textContent = values.join(', ');
    return;
  }
  const heading = slot.querySelector('dt');
  if (values.length > 1) heading.textContent = heading.dataset.several ?? heading.textContent;
  const { first, more } = inShort(values);
  for (const value of first) slot.appendChild(document.createElement('dd')).textContent = value;
  if (!more) return;
  const rest = slot.appendChild(document.createElement('dd'));
  rest.className = 'more';
  rest.textContent = more;
}

/** Does something that may fail, and shows the error when it does. */
async function attempt(task) {
  element('problem').hidden = true;
  try {
    await task();
  } catch (error) {
    const text =
      error.message === 'StateMismatch' ? sentence('state-mismatch') : (error.error_description ?? error.message);
    element('problem').querySelector('p').textContent = text;
    element('problem').hidden = false;
  }
}
