// The page of the browser application, with all its texts and templates. `browser/demo.js` fills it in.

import { type Html, html } from '#demo/html.ts';
import { demoPaths } from '#demo/paths.ts';
import type { SEARCH_KEYS } from '#demo/search-keys.ts';
import type { View } from '#demo/view.ts';
import { page } from './layout.ts';

export function browserPage(view: View, settings: { issuer: string; clientId: string }): string {
  const { messages, to } = view;
  return page(view, {
    title: messages.browser.title,
    module: to('browser/demo.js'),
    content: html`<div id="application" data-issuer="${settings.issuer}" data-client-id="${settings.clientId}"
 data-callback="${settings.issuer}${demoPaths.browserCallback}" data-after-sign-out="${settings.issuer}${demoPaths.start}" data-page="${to(demoPaths.browser)}">
<section class="hero">
<h1>${messages.browser.title}</h1>
<p class="lead">${messages.browser.lead}</p>
<noscript><p class="notice">${messages.browser.noScript}</p></noscript>
<p id="greeting" role="status"></p>
<p class="actions"><button class="primary" id="sign-in" hidden>${messages.signIn}</button> <button class="quiet" id="sign-out" hidden>${messages.signOut}</button></p>
<section class="refusal" id="problem" role="alert" hidden><h2>${messages.browser.problem}</h2><p></p></section>
</section>
<section id="search" aria-labelledby="search-title" hidden>
<h2 id="search-title">${messages.browser.searchTitle}</h2>
${searchForm(view)}
<p class="summary" role="status"><strong id="total"></strong> <span id="took"></span></p>
<p><code id="request"></code></p>
<div class="cards" id="results"></div>
<p><button id="next" hidden>${messages.search.next}</button></p>
</section>
<section aria-labelledby="steps-title">
<h2 id="steps-title">${messages.start.stepsTitle}</h2>
<p id="steps-lead">${messages.browser.stepsLead}</p>
<ol class="steps" id="steps">
${messages.steps.list.map(({ title }, index) => html`<li><h3>${title}</h3><p>${messages.browser.steps[index]}</p></li>`)}
</ol>
</section>
${templates(view)}
</div>`,
  });
}

function searchForm({ messages }: View): Html {
  const { search, browser } = messages;
  const keys = [
    'name',
    'address',
    'identifier',
  ] as const satisfies readonly (typeof SEARCH_KEYS)['Organization'][number][];
  return html`<form class="search" id="search-form" role="search">
<fieldset class="kinds"><legend>${browser.kind}</legend>
<label><input type="radio" name="type" value="Practitioner" checked> ${messages.nav.practitioners}</label>
<label><input type="radio" name="type" value="Organization"> ${messages.nav.organizations}</label>
</fieldset>
<div class="fields">
${keys.map(
  (key) => html`<div class="field"><label for="${key}">${search.keys[key].label}</label>
<input id="${key}" name="${key}" aria-describedby="${key}-hint" autocomplete="off" spellcheck="false">
<p class="hint" id="${key}-hint">${search.keys[key].hint}</p></div>`,
)}
</div>
<p class="actions"><button class="primary">${search.submit}</button></p>
</form>`;
}

/** A card with a slot for each part, and the sentences that the module needs. */
function templates({ messages }: View): Html {
  const { search } = messages;
  const facts = {
    addresses: search.address,
    secureMail: search.secureMail,
    phones: search.phones,
    qualifications: search.qualifications,
    partOf: search.partOf,
  };
  return html`<template id="card"><article class="card"><div><h3 data-slot="title"></h3><p class="subtitle" data-slot="subtitle"></p><p class="identifier" data-slot="identifiers"></p></div>
<dl>${Object.entries(facts).map(([slot, label]) => html`<div data-slot="${slot}"${slot === 'secureMail' && html` class="mail"`}><dt${slot === 'addresses' && html` data-several="${search.addresses}"`}>${label}</dt></div>`)}</dl></article></template>
<template id="nameless">${search.nameless}</template>
<template id="steps-lead-after">${messages.browser.stepsLeadAfter}</template>
<template id="greeting-text">${messages.start.signedIn('{name}')}</template>
<template id="total-Practitioner">${search.Practitioner.count('{n}')}</template>
<template id="total-Organization">${search.Organization.count('{n}')}</template>
<template id="nothing-found">${search.nothingFound}</template>
<template id="access-ended">${messages.refusal[401]}</template>
<template id="state-mismatch">${messages.problem.state.text}</template>`;
}
