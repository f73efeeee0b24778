// The page after a sign-in. It shows the person, the claims of the ID token and of the userinfo endpoint, and the six steps with their HTTP
// messages. After the steps, it shows how the service ends a session with a logout token.

import { type Html, html } from '#demo/html.ts';
import { shown } from '#demo/http-trace.ts';
import { demoPaths } from '#demo/paths.ts';
import { SECOND_FACTOR, userInfoClaim } from '#demo/relying-party.ts';
import { personOf, structureOf } from '#demo/search/records.ts';
import type { DemoPerson } from '#demo/session.ts';
import type { Excerpt } from '#demo/source-lines.ts';
import type { View } from '#demo/view.ts';
import { page } from './layout.ts';
import { copyButton, personCard, structureCard } from './parts.ts';

/** Resources of the directory, by reference: those that the person's claims name, and the parents of the structures among them. */
export type Resolved = Record<string, fhir3.FhirResource | undefined>;

/** Renders the page after a sign-in. `code` has the lines of code of each step. */
export function stepsPage(view: View, person: DemoPerson, resolved: Resolved, code: readonly Excerpt[]): string {
  const { steps } = view.messages;
  const minutes = Math.max(0, Math.floor((person.accessEndsAt - Date.now()) / 60_000));
  const address = `POST ${view.issuer}${demoPaths.backchannelLogout}`;
  const proofs = [
    ...steps.list.map(
      (_step, at) => html`${messageFold(view, person.steps[at] ?? [])}
${at === 4 && claimsFold(view, person)}`,
    ),
    html`<pre tabindex="0">${address}</pre>
<p><a class="button" href="${view.to('/account/sessions')}">${steps.later.toAccount}</a></p>`,
  ];
  return page(view, {
    title: view.messages.nav.steps,
    current: 'steps',
    scripts: ['copy'],
    content: html`<section class="hero">
<h1>${steps.title(String(person.claims['name'] ?? person.claims.sub))}</h1>
<p class="lead">${person.returning ? steps.returning : steps.newcomer} ${steps.remaining(minutes)}</p>
<a class="button" href="${view.to('practitioners')}">${view.messages.start.toSearch}</a>
</section>
${contents(view, minutes > 0)}
${whoSection(view, person, resolved)}
${minutes > 0 && shellSection(view, person)}
<section aria-labelledby="happened">
<h2 id="happened">${steps.happened}</h2>
<p>${steps.happenedLead}</p>
<ol class="steps">
${[...steps.list, steps.later].map(
  ({ title, text }, at) => html`<li id="step-${at + 1}">
<div><h3>${title}</h3>
<p>${text}</p>
${proofs[at]}</div>
${code[at] && codeOf(view, code[at])}
</li>`,
)}
</ol>
</section>
${secondFactorSection(view, person)}`,
  });
}

/** Links to the sections of this page. */
function contents({ messages }: View, hasShell: boolean): Html {
  const { steps } = messages;
  const parts = [
    ['who', steps.who.title],
    ...(hasShell ? [['shell', steps.shell.title]] : []),
    ...[...steps.list, steps.later].map(({ title }, at) => [`step-${at + 1}`, `${at + 1}. ${title}`]),
    ['second-factor', steps.secondFactor.title],
  ];
  return html`<nav class="contents" aria-label="${steps.contents}"><ul>${parts.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}

function messageFold(view: View, texts: readonly string[]): Html {
  const { steps } = view.messages;
  return html`<details class="fold" open><summary>${steps.messages}</summary>${texts.map(
    (text) =>
      html`<div class="copyable"><pre tabindex="0">${text}</pre>${copyButton(view, text, steps.messages)}</div>`,
  )}</details>`;
}

/** Shows the lines of code of a step. */
function codeOf(view: View, { file, first, text }: Excerpt): Html {
  const title = view.messages.steps.code(file, first);
  return html`<details class="fold" open><summary>${title}</summary><div class="copyable"><pre tabindex="0">${text}</pre>${copyButton(view, text, title)}</div></details>`;
}

function secondFactorSection(view: View, { claims }: DemoPerson): Html {
  const { title, text, had, submit } = view.messages.steps.secondFactor;
  return html`<section aria-labelledby="second-factor">
<h2 id="second-factor">${title}</h2>
<p>${text}</p>
${claims['acr'] === SECOND_FACTOR && html`<p class="notice">${had} <code>acr=${SECOND_FACTOR}</code></p>`}
<form method="post" action="${view.to('sign-in', { secondFactor: '1' })}"><button>${submit}</button></form>
</section>`;
}

function whoSection(view: View, person: DemoPerson, resolved: Resolved): Html {
  const { who } = view.messages.steps;
  const { email, email_verified: verified } = person.claims;
  const claim = userInfoClaim(person.claims);
  return html`<section aria-labelledby="who">
<h2 id="who">${who.title}</h2>
<dl class="facts">
<div><dt>${who.uuid}</dt><dd><code>${claim.uuid}</code></dd></div>
<div><dt>${who.email}</dt><dd>${String(email ?? '')} (${verified ? who.verified : who.unverified})</dd></div>
<div><dt>${who.api}</dt><dd><code>${claim.apiUrl}</code></dd></div>
</dl>
<div class="columns">
${referenceList(view, who.identities, claim.identities ?? [], resolved)}
${referenceList(view, who.workspace, claim.currentWorkspaceId ? [claim.currentWorkspaceId] : [], resolved)}
</div>
</section>`;
}

/**
 * Shows the whole access token, so that people can try it in a shell. This is safe, because the demo runs only in development and in
 * sandboxes, where people are fictional, and because browsers do not store its pages.
 */
function shellSection(view: View, { accessToken, claims }: DemoPerson): Html {
  const { shell } = view.messages.steps;
  const boxes: [id: string, label: string, text: string][] = [
    ['shell-set', shell.set, `export TOKEN='${accessToken}' BASE='${userInfoClaim(claims).apiUrl}'`],
    ['shell-ask', shell.ask, 'curl -H "Authorization: Bearer $TOKEN" "$BASE/Practitioner?name=martin"'],
  ];
  return html`<section class="shell" aria-labelledby="shell">
<h2 id="shell">${shell.title}</h2>
<p>${shell.lead}</p>
${boxes.map(
  ([id, label, text]) => html`<p class="label" id="${id}">${label}</p>
<div class="copyable"><pre tabindex="0" role="group" aria-labelledby="${id}">${text}</pre>${copyButton(view, text, label)}</div>`,
)}
</section>`;
}

function referenceList(view: View, title: string, references: string[], resolved: Resolved): Html {
  const { who } = view.messages.steps;
  return html`<div>
<p class="label">${title}</p>
${references.length === 0 && html`<p>${who.none}</p>`}
${references.map((reference) => {
  const resource = resolved[reference];
  return html`<p><code>${reference}</code>${!resource && html` (${who.missing})`}</p>${resource && cardOf(view, resource, resolved)}`;
})}
</div>`;
}

function cardOf(view: View, resource: fhir3.FhirResource, resolved: Resolved): Html {
  if (resource.resourceType === 'Practitioner') return personCard(view, personOf(resource));
  const structure = structureOf(resource as fhir3.Organization);
  const parent = resolved[structure.partOf ?? ''];
  return structureCard(view, structure, parent && structureOf(parent as fhir3.Organization));
}

function claimsFold(view: View, person: DemoPerson): Html {
  const { claims: messages } = view.messages.steps;
  const [claims, userinfo] = [flat(person.claims), flat(person.userinfo)];
  const names = [...new Set([...Object.keys(claims), ...Object.keys(userinfo)])];
  return html`<details class="fold" open><summary>${messages.title}</summary><table class="stacked claims">
<caption class="unseen">${messages.title}</caption>
<thead><tr><th scope="col">${messages.claim}</th><th scope="col">${messages.idToken}</th><th scope="col">${messages.userinfo}</th></tr></thead>
<tbody>
${names.map(
  (name) => html`<tr><th scope="row">${claimName(name)}</th>
<td data-label="${messages.idToken}"><code>${claims[name] ?? messages.absent}</code></td>
<td data-label="${messages.userinfo}"><code>${userinfo[name] ?? messages.absent}</code></td></tr>`,
)}
</tbody>
</table></details>`;
}

/**
 * Returns the value of each claim as text. A claim inside an object gets the name of the object, a dot and its own name:
 * `{claim_ns}/userInfo.uuid`.
 */
function flat(claims: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(claims).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return [[name, value.join(', ')]];
    if (typeof value !== 'object') return [[name, shown(name, String(value))]];
    return Object.entries(flat(value as Record<string, unknown>)).map(([inner, text]) => [`${name}.${inner}`, text]);
  });
  return Object.fromEntries(entries);
}

function claimName(name: string): Html {
  const own = name.slice(name.lastIndexOf('/') + 1);
  return html`<span class="namespace">${name.slice(0, -own.length)}</span><code>${own}</code>`;
}
