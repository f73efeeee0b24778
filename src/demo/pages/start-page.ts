// The first page of the demo. It introduces two applications, one with a server and one in the browser, and lists the accounts with which
// people can sign in.

import { type Html, html } from '#demo/html.ts';
import type { View } from '#demo/view.ts';
import { page, signInForm } from './layout.ts';

/** A fictional person with an account that anybody can use to sign in. */
export interface AccountHint {
  login: string;
  password: string;
  name: string;
  note: Record<'fr' | 'en', string>;
}

/** Renders the first page of the demo. `over` says how the session has ended, if it has just ended. */
export function startPage(view: View, accounts: AccountHint[], over?: 'signedOut' | 'ended'): string {
  const { start } = view.messages;
  return page(view, {
    title: start.title,
    content: html`${over && html`<p class="notice" role="status">${start[over]}${over === 'ended' && html` <a href="${view.to('steps')}">${start.toEnding}</a>`}</p>`}
<section class="hero">
<h1>${start.title}</h1>
<p class="lead">${start.lead}</p>
</section>
<div class="ways">
${serverWay(view)}
${browserWay(view)}
</div>
${accounts.length > 0 && accountList(view, accounts)}
<section aria-labelledby="steps-title">
<h2 id="steps-title">${start.stepsTitle}</h2>
<ol class="steps steps-short">
${[...view.messages.steps.list, view.messages.steps.later].map(({ title }) => html`<li><h3>${title}</h3></li>`)}
</ol>
</section>`,
  });
}

function serverWay(view: View): Html {
  const { server, signedIn, toSearch } = view.messages.start;
  const action = view.person
    ? html`<p>${signedIn(view.person)}</p><a class="button" href="${view.to('practitioners')}">${toSearch}</a>`
    : signInForm(view, view.messages.signIn);
  return html`<section class="way way-server" aria-labelledby="server-title">
<h2 id="server-title">${server.title}</h2>
<p>${server.text}</p>
${action}
<p class="source">${server.code} <code>src/demo/relying-party.ts</code></p>
</section>`;
}

function browserWay({ messages, to }: View): Html {
  const { browser } = messages.start;
  return html`<section class="way" aria-labelledby="browser-title">
<h2 id="browser-title">${browser.title}</h2>
<p>${browser.text}</p>
<a class="button" href="${to('/directory/try')}">${browser.open}</a>
<p class="source">${browser.code} <code>src/directory/reference/browser/sign-in.js</code></p>
</section>`;
}

function accountList({ messages, language }: View, accounts: AccountHint[]): Html {
  const { account, accountsTitle, accountsLead, onePassword } = messages.start;
  const [password, ...others] = new Set(accounts.map((one) => one.password));
  const shared = others.length === 0;
  return html`<section aria-labelledby="accounts-title">
<h2 id="accounts-title">${accountsTitle}</h2>
<p>${accountsLead}${shared && html` ${onePassword} <code>${password}</code>`}</p>
<table class="stacked accounts">
<thead><tr><th scope="col">${account.name}</th><th scope="col">${account.login}</th>${!shared && html`<th scope="col">${account.password}</th>`}<th scope="col">${account.note}</th></tr></thead>
<tbody>
${accounts.map(
  ({ name, login, password, note }) => html`<tr>
<th scope="row">${name}</th>
<td data-label="${account.login}"><code>${login}</code></td>
${!shared && html`<td data-label="${account.password}"><code>${password}</code></td>`}
<td data-label="${account.note}">${note[language]}</td>
</tr>`,
)}
</tbody>
</table>
</section>`;
}
