// The page to try the directory. It shows one request, as a line and as criteria, its answer, and the code for the same request. The page
// has all texts (`try/page.ts`). The request stands behind the `#` of the address. Browsers do not send that part to the server, and their
// button Back goes from request to request.

import { answerElements, make } from './answer.js';
import { browserClient } from './sign-in.js';
import { below, partsOf, snippetsOf } from './snippets.js';

const at = (id) => document.getElementById(id);
const { base, types, results, client: settings, first, page, words } = JSON.parse(at('facts').textContent);
const client = settings && browserClient(settings);
const line = at('request');
/** A request with more criteria than this, which the directory refuses anyway, gets no fields. */
const MOST_CRITERIA = 60;
/** An error with a sentence of the page as its message. */
class Told extends Error {}
/** Aborts the request that is running, before the next one is sent. */
let running = new AbortController();

start();

async function start() {
  at('form').addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(go);
  });
  at('form').addEventListener('input', ({ target }) => (target === line ? showCriteria() : fromCriteria(target)));
  at('add').addEventListener('click', () => addCriterion('', '').querySelector('input').focus());
  at('sign-out')?.addEventListener('click', () => attempt(client.signOut));
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = !navigator.clipboard;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(at(button.dataset.copies).textContent);
      at('copied').textContent = words.copied;
    });
  }
  addEventListener('hashchange', () => {
    // The link that skips the head of the page is no request.
    if (at(location.hash.slice(1))) return;
    fromAddress();
    // Without a session, the request is not sent yet: the button signs in first.
    if (client?.session() || !client || !needsToken()) attempt(send);
  });
  // After a sign-out, the button Back must not show the answer again.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  at('try').hidden = false;
  const answer = new URL(location.href);
  if (!answer.searchParams.has('state')) return fromAddress();
  await attempt(() => signedIn(answer));
}

/** Goes on when the browser comes back from the service. The code is removed from the address bar and the history before it is redeemed. */
async function signedIn(answer) {
  const begun = client?.underway(answer);
  history.replaceState(null, '', begun ? `${page}#${begun.request}` : page);
  fromAddress();
  if (!begun) throw new Told(words.stateMismatch);
  await client.finish(answer, begun);
  showPerson();
  await send();
}

/** Sends the request, after a sign-in if one is needed. Nothing is sent before somebody asks for it on this page. */
async function go() {
  if (client && needsToken() && !client.session()) return client.begin(document.documentElement.lang, line.value);
  if (location.hash.slice(1) === encodedLine()) return send();
  location.hash = line.value;
}

const encodedLine = () => new URL(`#${line.value}`, location.href).hash.slice(1);

/** Checks whether the request needs the token. Requests for what is open to everybody are sent without it. */
function needsToken() {
  const { path } = partsOf(below(base, line.value));
  return types[path.split('/', 1)[0]]?.open !== true && path !== 'metadata';
}

function fromAddress() {
  line.value = readable(location.hash.slice(1)) || first;
  showCriteria();
  showPerson();
}

/** Decodes letters. It does not decode characters that separate parameters, or that a field of one line would drop. */
function readable(text) {
  try {
    return decodeURI(text.replaceAll(/%(?=25|0[ad])/gi, '%25'));
  } catch {
    return text;
  }
}

/** The address of the request. The token is sent there, so an address that is not below the base address is refused. */
function addressOf(request) {
  const address = new URL(`${base}/${below(base, request)}`);
  // An escaped `/` or `.` in the path is refused, because a proxy may decode it and then forward the request to another address of the
  // host.
  if (!address.href.startsWith(`${base}/`) || /%(?:2e|2f|5c)/i.test(address.pathname)) throw new Told(words.elsewhere);
  address.hash = '';
  return address;
}

/** A link of this page for an address or a reference of the directory; undefined for any other text. */
function linkOf(text) {
  // Files of an export get no link, because the page does not show them.
  if (text.startsWith(`${base}/`)) return text.includes('.ndjson') ? undefined : `#${text.slice(base.length + 1)}`;
  return /^[A-Z]\w+\/[\w.-]+$/.test(text) && types[text.split('/', 1)[0]] ? `#${text}` : undefined;
}

async function send() {
  running.abort();
  running = new AbortController();
  const address = addressOf(line.value);
  const session = needsToken() ? client?.session() : undefined;
  const headers = {
    Accept: 'application/fhir+json',
    ...(session && { Authorization: `Bearer ${session.accessToken}` }),
  };
  at('status').textContent = words.asking;
  const begin = performance.now();
  // A redirect is an error, because it would send the token to another address. The directory does not redirect.
  const options = { headers, redirect: 'error', credentials: 'omit', cache: 'no-store', signal: running.signal };
  const response = await fetch(address, options);
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - begin);
  if (response.status === 401 && session) client.forget();
  showAnswer(response, text, milliseconds);
  showPerson();
  // On a narrow screen, the answer is below the form.
  if (matchMedia('(max-width: 69.99rem)').matches) at('status').scrollIntoView();
}

function showAnswer(response, text, milliseconds) {
  const resource = parsed(text);
  const size = new Intl.NumberFormat(document.documentElement.lang).format(new Blob([text]).size);
  const total = resource?.total === undefined ? '' : ` · ${words.total.replace('{n}', resource.total)}`;
  at('answer').hidden = false;
  at('answer').classList.toggle('refused', !response.ok);
  at('status').textContent =
    `HTTP ${response.status} · ${milliseconds} ms · ${words.bytes.replace('{n}', size)}${total}`;
  at('headers').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  at('raw').textContent = resource ? JSON.stringify(resource, null, 2) : text;
  const issues = issuesOf(resource, response.ok);
  at('issues').replaceChildren(
    ...(issues.length > 0 ? [make('ul', '', ...issues.map(issueElement))] : []),
    ...(isOutcome(resource) ? [make('p', 'fine', words.said)] : []),
  );
  at('pages').replaceChildren(
    ...['previous', 'next'].flatMap((relation) => {
      const link = linkOf(resource?.link?.find?.((one) => one.relation === relation)?.url ?? '');
      return link ? [Object.assign(make('a', '', words[relation]), { href: link })] : [];
    }),
  );
  at('body').replaceChildren(...bodyElements(resource, text));
}

const isOutcome = (resource) => resource?.resourceType === 'OperationOutcome';

/** Returns the issues to show. A refusal without an OperationOutcome has one issue, of which nothing is known. */
function issuesOf(resource, ok) {
  if (isOutcome(resource)) return resource.issue ?? [];
  return ok ? [] : [{}];
}

function bodyElements(resource, text) {
  // The issues of an OperationOutcome are already shown above, so they are not repeated here.
  if (isOutcome(resource)) return [];
  if (resource) return answerElements(resource, linkOf, words);
  return [Object.assign(make('pre', '', text), { tabIndex: 0 })];
}

/** Shows an issue: first in the language of the page, with its criterion, and then in the words of the directory. */
function issueElement({ code, location: [place = ''] = [], diagnostics, details }) {
  const about = place.replace('http.', '');
  const sentence = make('strong', '', `${words.issues[code] ?? words.issues.other}${about && ` (${about})`}`);
  const said = diagnostics ?? details?.text;
  return make('li', '', sentence, ...(said ? [' ', quotation(said)] : []));
}

const quotation = (text) => Object.assign(make('q', '', text), { lang: 'en' });

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Shows the criteria and the code of the line. */
function showCriteria() {
  const { path, pairs } = partsOf(line.value);
  at('criteria').replaceChildren();
  if (pairs.length <= MOST_CRITERIA) for (const [name, value] of pairs) addCriterion(name, value);
  at('type').value = types[path] ? path : '';
  showCode();
}

function addCriterion(name, value) {
  const row = at('criterion').content.firstElementChild.cloneNode(true);
  const [nameField, valueField] = row.querySelectorAll('input');
  nameField.value = name;
  valueField.value = value;
  row.querySelector('button').addEventListener('click', () => {
    row.remove();
    fromCriteria();
    at('add').focus();
  });
  at('criteria').append(row);
  showRule(row);
  return row;
}

/** Shows what the criterion finds, and an example. */
function showRule(row) {
  const { path } = partsOf(line.value);
  const [nameField, valueField] = row.querySelectorAll('input');
  const known = types[path]?.parameters ?? {};
  nameField.setAttribute('list', `names-${path}`);
  const { rule = '', example = '' } =
    known[nameField.value] ?? results[nameField.value] ?? known[nameField.value.split(':')[0]] ?? {};
  const values = `values-${path}-${nameField.value}`;
  if (at(values)) valueField.setAttribute('list', values);
  else valueField.removeAttribute('list');
  valueField.placeholder = example;
  row.querySelector('.hint').textContent = rule;
}

/** Writes the line from the type and the criteria. */
function fromCriteria(changed) {
  const type = at('type').value;
  const rows = [...at('criteria').children];
  if (changed === at('type') && types[type]) {
    line.value = types[type].first;
    return showCriteria();
  }
  const pairs = rows
    .map((row) => [...row.querySelectorAll('input')].map(({ value }) => value))
    .filter(([name]) => name);
  const query = new URLSearchParams(pairs).toString().replaceAll(/%(?:2C|3A|2F|7C)/g, decodeURIComponent);
  line.value = `${partsOf(line.value).path}${query && `?${query}`}`;
  line.value = readable(line.value);
  for (const row of rows) showRule(row);
  showCode();
}

function showCode() {
  const code = snippetsOf(base, line.value, { token: needsToken() });
  for (const [language, text] of Object.entries(code)) at(`code-${language}`).textContent = text;
  showSubmit();
}

function showSubmit() {
  at('send').textContent = client && needsToken() && !client.session() ? words.signInAndSend : words.send;
}

function showPerson() {
  const session = client?.session();
  const clock = new Intl.DateTimeFormat('fr', { hour: '2-digit', minute: '2-digit' });
  if (settings) {
    at('signed-in').hidden = !session;
    at('signed-out').hidden = Boolean(session);
    const [hours, minutes] = session ? clock.format(session.endsAt).split(':') : [];
    at('person').textContent = session
      ? words.person
          .replace('{name}', session.name)
          .replace('{time}', words.clock.replace('{hours}', hours).replace('{minutes}', minutes))
      : '';
  }
  for (const link of document.querySelectorAll('.languages a')) link.hash = location.hash;
  showSubmit();
}

/** Calls a function that may fail, and shows its error. */
async function attempt(task) {
  at('problem').hidden = true;
  try {
    await task();
  } catch (error) {
    if (error.name === 'AbortError') return;
    at('status').textContent = '';
    const known =
      (error instanceof Told && error.message) ||
      (error.error === 'access_denied' && words.cancelled) ||
      (error instanceof TypeError && words.unreachable);
    const said = [words.failed, ' ', quotation(error.error_description || error.message)];
    at('problem').replaceChildren(...(known ? [known] : said));
    at('problem').hidden = false;
  }
}
