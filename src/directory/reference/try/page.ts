// Writes the page to try the directory, with all its texts and data. In the browser, `browser/try.js` adds the parts that depend on the
// reader's input.

import { isWhole } from '#directory/metadata/parameter-examples.ts';
import { type CodeLanguage, snippetsOf } from '#directory/reference/browser/snippets.js';
import type { ReferenceDirectory, ReferenceType } from '#directory/reference/descriptions.ts';
import { requestLine, usualPairs } from '#directory/reference/examples.ts';
import type { ReferenceMessages } from '#directory/reference/messages/fr.ts';
import { referenceMessages } from '#directory/reference/page.ts';
import { codeBlock, codeLanguages, prose } from '#directory/reference/parts.ts';
import { ruleOf, withEverything } from '#directory/reference/type-chapter.ts';
import { type Html, html, trustedHtml } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';

export interface TryPage extends PageFrame {
  directory: ReferenceDirectory;
  /** Path of the page. The paths of the page's scripts begin with this path. */
  page: string;
  /**
   * The OAuth client with which the script of the page signs a person in; undefined if no suitable client is registered
   * (`config/built-in-clients.ts`).
   */
  client: Record<'issuer' | 'clientId' | 'scope' | 'callback' | 'afterSignOut', string> | undefined;
  /** Lines of configuration that register the client. The key is the name of the file in which the operator writes them. */
  entries: Readonly<Record<string, string>>;
  /** The account of a fictional person, for signing in. */
  person?: { login: string; password: string } | undefined;
  /** Path of the reference page. */
  docs: string;
}

export function renderTryPage(page: TryPage): string {
  const { directory, language, client, docs } = page;
  const messages = referenceMessages(language);
  const { tryIt } = messages;
  const first = firstRequest(directory, client !== undefined);
  const content = html`<p class="lead">${tryIt.lead} <a href="${docs}">${tryIt.reference}</a></p>
<noscript><p class="notice">${tryIt.noScript}</p></noscript>
<div id="try" hidden>
${client ? signIn(page, messages) : register(page, messages)}
<p class="notice" id="problem" role="alert" hidden></p>
<div class="try">
<div>${form(directory, messages)}</div>
${answer(messages)}
${code(directory, first, messages)}
</div>
</div>
${trustedHtml(`<script type="application/json" id="facts">${JSON.stringify(factsOf(page, first, messages)).replaceAll('<', '\\u003c')}</script>`)}
<script type="module" src="${page.page}/try.js"></script>`;
  return renderPage({ ...page, title: tryIt.title, content, reading: true });
}

/**
 * The request that the page shows if the address of the page names none. Without a sign-in, this is a request that the directory answers
 * without a token.
 */
function firstRequest({ types }: ReferenceDirectory, withToken: boolean): string {
  const type = types.find(({ scopes }) => withToken || scopes.length === 0);
  return type ? requestLine(type.type, usualPairs(type).slice(0, 1)) : '';
}

function signIn({ person }: TryPage, { tryIt }: ReferenceMessages): Html {
  return html`<div class="try-person"><p id="signed-out">${tryIt.signedOut}${
    person &&
    html`<br>${tryIt.demoPerson} <code id="demo-login">${person.login}</code> ${copyButton('demo-login', tryIt)} ${tryIt.demoPassword} <code id="demo-password">${person.password}</code> ${copyButton('demo-password', tryIt)}`
  }</p>
<p id="signed-in" hidden><strong id="person"></strong> <button type="button" class="quiet small" id="sign-out">${tryIt.signOut}</button></p>
<p class="hidden" id="copied" role="status"></p></div>`;
}

/** Shows the operator how to register the client: the lines to add to each of two configuration files. */
function register({ entries }: TryPage, { tryIt }: ReferenceMessages): Html {
  return html`<div class="try-person"><p>${tryIt.register}</p>
${Object.entries(entries).map(([file, lines]) => codeBlock(file, lines, file))}
<p class="hidden" id="copied" role="status"></p></div>`;
}

function copyButton(id: string, { copy }: ReferenceMessages['tryIt']): Html {
  return html`<button type="button" class="quiet small" data-copies="${id}" aria-describedby="${id}">${copy}</button>`;
}

function form({ base, types, resultParameters }: ReferenceDirectory, { tryIt }: ReferenceMessages): Html {
  return html`<form id="form">
<div class="field"><label for="request">${tryIt.request}</label>
<p class="hint" id="request-hint"><code>GET ${base}/</code> ${tryIt.requestHint}</p>
<input id="request" aria-describedby="request-hint" autocomplete="off" spellcheck="false" autocapitalize="off" required></div>
<div class="field"><label for="type">${tryIt.type}</label>
<select id="type"><option value="">${tryIt.otherType}</option>${types.map(({ type }) => html`<option>${type}</option>`)}</select></div>
<fieldset class="field"><legend>${tryIt.criteria}</legend>
<div id="criteria"></div>
<button type="button" class="quiet small" id="add">${tryIt.add}</button></fieldset>
<p class="actions"><button id="send">${tryIt.words.send}</button></p>
</form>
<details class="examples"><summary>${tryIt.examples}</summary><ul>${examplesOf(types).map(
    (request) =>
      html`<li><a href="#${request}"><code>${decodeURIComponent(request.replaceAll('+', ' '))}</code></a></li>`,
  )}</ul></details>
<template id="criterion"><div class="criterion"><input aria-label="${tryIt.name}" placeholder="${tryIt.name}" autocomplete="off" spellcheck="false" autocapitalize="off">
<input aria-label="${tryIt.value}" autocomplete="off" spellcheck="false" autocapitalize="off">
<button type="button" class="quiet small" aria-label="${tryIt.remove}">×</button><p class="hint"></p></div></template>
${types.map((type) => namesOf(type, resultParameters))}`;
}

/**
 * Lists example requests: one search for each type, one search for an entry with all resources that belong to it, and `metadata`. An
 * example with a placeholder is left out.
 */
function examplesOf(types: readonly ReferenceType[]): string[] {
  const searches = types.map((type) => requestLine(type.type, usualPairs(type).slice(0, 1)));
  const everything = types.flatMap((type) => {
    const pairs = withEverything(type, types);
    return pairs ? [requestLine(type.type, pairs)] : [];
  });
  return [...searches, ...everything.slice(0, 1), 'metadata'].filter((request) => isWhole(decodeURIComponent(request)));
}

/** Lists the names of parameters that a search for the type can have, with their values if there are only a few. */
function namesOf(
  { type, parameters, chains, ...type_ }: ReferenceType,
  results: ReferenceDirectory['resultParameters'],
) {
  const names = [
    ...parameters.flatMap(({ name, modifiers }) => [name, ...modifiers.map((modifier) => `${name}:${modifier}`)]),
    ...chains.map(([name]) => name),
    ...results.map(({ name }) => name).filter((name) => name !== '_page'),
  ];
  const values = { _include: type_.includes, _revinclude: type_.revIncludes, _sort: type_.sorts };
  return html`${options(`names-${type}`, names)}${Object.entries(values).map(([name, list]) => list.length > 0 && options(`values-${type}-${name}`, list))}`;
}

const options = (id: string, values: readonly string[]) =>
  html`<datalist id="${id}">${values.map((value) => html`<option>${value}</option>`)}</datalist>`;

function code({ base }: ReferenceDirectory, first: string, messages: ReferenceMessages): Html {
  const { tryIt } = messages;
  return html`<section aria-labelledby="code-title"><h2 id="code-title">${tryIt.code}</h2>
<p>${prose(tryIt.tokenAbout)}</p>
${codeLanguages(messages.codeIn)}
${Object.entries(snippetsOf(base, first)).map(
  ([language, text]) =>
    html`<div class="with-copy" data-language="${language}"><pre tabindex="0" role="region" aria-label="${language as CodeLanguage}"><code id="code-${language}">${text}</code></pre>${copyButton(`code-${language}`, tryIt)}</div>`,
)}</section>`;
}

function answer({ tryIt }: ReferenceMessages): Html {
  return html`<section class="answer" aria-labelledby="answer-title"><h2 id="answer-title">${tryIt.answerTitle}</h2>
<p id="status" role="status">${tryIt.nothingYet}</p>
<div id="answer" hidden>
<div id="issues"></div>
<nav id="pages" aria-label="Bundle.link"></nav>
<div id="body"></div>
<details><summary>${tryIt.headers}</summary><pre tabindex="0"><code id="headers"></code></pre></details>
<details><summary>${tryIt.raw}</summary><div class="with-copy"><pre tabindex="0"><code id="raw"></code></pre>${copyButton('raw', tryIt)}</div></details>
</div></section>`;
}

/** All data that `browser/try.js` reads from the page. */
function factsOf({ directory, page, client }: TryPage, first: string, messages: ReferenceMessages): object {
  const { base, types, resultParameters, limits } = directory;
  const results = resultParameters.map(({ name, example }) => [
    name,
    {
      rule: plain(messages.resultParameters.meanings[name]?.(limits) ?? ''),
      example: example.slice(example.indexOf(`${name}=`) + name.length + 1),
    },
  ]);
  return {
    base,
    first,
    page,
    client,
    words: messages.tryIt.words,
    results: Object.fromEntries(results),
    types: Object.fromEntries(types.map((type) => [type.type, typeFacts(type, messages)])),
  };
}

function typeFacts(type: ReferenceType, messages: ReferenceMessages): object {
  const parameters = type.parameters.map((parameter) => [
    parameter.name,
    { rule: plain(ruleOf(type.type, parameter, messages).join(' ')), example: parameter.example },
  ]);
  const chains = type.chains.map(([name, example]) => [name, { example }]);
  return {
    open: type.scopes.length === 0,
    first: requestLine(type.type, usualPairs(type).slice(0, 1)),
    parameters: Object.fromEntries([...parameters, ...chains]),
  };
}

const plain = (text: string) => text.replaceAll('`', '');
