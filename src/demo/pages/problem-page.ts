// The error page of the demo, with a button to sign in again or a link to the start page. Also the page that people see after the service
// has ended their session. The second page shows the logout token, and the checks that the token passed.

import { type Html, html } from '#demo/html.ts';
import { jsonText } from '#demo/http-trace.ts';
import type { Messages } from '#demo/messages/en.ts';
import { demoPaths, SEARCH_PATHS } from '#demo/paths.ts';
import type { Ending } from '#demo/session.ts';
import type { View } from '#demo/view.ts';
import { page, signInForm } from './layout.ts';

export interface Problem {
  kind: keyof Messages['problem'];
  /** What the service, openid-client or Node says about the error: a code, a description, or both. */
  detail?: string;
  /** Page of the demo that opens after the next sign-in. */
  returnTo?: string;
}

export function problemPage(view: View, { kind, detail, returnTo }: Problem): string {
  const { messages, to } = view;
  const { title, text } = messages.problem[kind];
  const again = kind === 'session' ? messages.signIn : messages.signInAgain;
  const reason = detail && html`<pre tabindex="0">${detail}</pre>`;
  // A person who has cancelled a sign-in knows what happened. What the service says about it is meant for developers, so it is folded at
  // the end of the page.
  const isCancelled = kind === 'cancelled';
  const ways = {
    unknownPage: html`<a class="button" href="${to(demoPaths.start)}">${messages.toStart}</a>`,
    gone: html`<a class="button" href="${to(SEARCH_PATHS.Practitioner)}">${messages.directory.newSearch}</a>`,
  };
  return page(view, {
    title,
    content: html`<section class="hero">
<h1>${title}</h1>
<p class="lead">${text}</p>
${!isCancelled && reason}
${kind === 'unknownPage' || kind === 'gone' ? ways[kind] : signInForm(view, again, returnTo)}
${isCancelled && html`<details class="others"><summary>${messages.problem.cancelled.said}</summary>${reason}</details>`}
</section>`,
  });
}

/**
 * Renders the page that says that the service has ended the session. `returnTo` is the page of the demo that opens after the next sign-in.
 */
export function endedPage(view: View, ending: Ending, returnTo?: string): string {
  const { messages, moment, to } = view;
  const { ended } = messages;
  const proofs = [
    html`<pre class="wrapped" tabindex="0">${ending.request}</pre>`,
    html`<pre tabindex="0">${jsonText(ending.header)}</pre>
<pre tabindex="0">${jsonText(ending.claims)}</pre>
${claimsTable(view, ending)}`,
  ];
  return page(view, {
    title: ended.title,
    content: html`<section class="hero">
<h1>${ended.title}</h1>
<p class="lead">${ended.lead(moment(ending.at))}</p>
<div class="actions">${signInForm(view, messages.signInAgain, returnTo)} <a class="button" href="${to(demoPaths.start)}">${messages.toStart}</a></div>
</section>
<section aria-labelledby="happened">
<h2 id="happened">${ended.happened}</h2>
<p>${ended.happenedLead}</p>
<ol class="steps">
${ended.list.map(({ title, text }, index) => html`<li><h3>${title}</h3>\n<p>${text}</p>\n${proofs[index]}</li>`)}
</ol>
</section>`,
  });
}

function claimsTable({ messages, moment }: View, { header, claims }: Ending): Html {
  const { claims: heads, meanings } = messages.ended;
  const events = Object.keys((claims['events'] ?? {}) as object).join(', ');
  const rows: [name: string, value: unknown, meaning: string][] = [
    ['typ', header['typ'], meanings.typ],
    ['iss', claims.iss, meanings.iss],
    ['aud', claims.aud, meanings.aud],
    ['iat', claims.iat, meanings.iat(moment(claims.iat * 1000))],
    ['exp', claims.exp, meanings.exp(moment(claims.exp * 1000))],
    ['jti', claims.jti, meanings.jti],
    ['events', events, meanings.events],
    ['sub', claims.sub, meanings.sub],
    ['sid', claims.sid, meanings.sid],
    ['nonce', claims['nonce'], meanings.nonce],
  ];
  return html`<table class="stacked claims explained">
<caption>${heads.title}</caption>
<thead><tr><th scope="col">${messages.steps.claims.claim}</th><th scope="col">${heads.value}</th><th scope="col">${heads.meaning}</th></tr></thead>
<tbody>
${rows.map(
  ([name, value, meaning]) => html`<tr><th scope="row"><code>${name}</code></th>
<td data-label="${heads.value}">${value === undefined ? heads.absent : html`<code>${String(value)}</code>`}</td>
<td data-label="">${meaning}</td></tr>`,
)}
</tbody>
</table>`;
}
