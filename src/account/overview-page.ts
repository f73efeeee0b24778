// The page with a person's details, second factor, allowed applications and directory records.

import type { Account } from '../store/accounts/account-row.ts';
import type { ChangeKind } from '../store/accounts/link-changes.ts';
import { doneNotice, personCard, problemNotice } from '../web/components.ts';
import { type Html, type HtmlValue, html, linkTarget } from '../web/html.ts';
import { formatDate } from '../web/language.ts';
import { type PageFrame, renderPage } from '../web/layout.ts';
import { type Messages, messagesIn } from '../web/messages.ts';
import { type ConsentList, consentList } from './consent-list.ts';
import { type Notice, pathOf } from './page-context.ts';

/** A record of the directory that an account is linked to. */
interface Linked {
  id: string;
  name: string | undefined;
  current: boolean;
  /** What an edition of the directory has made of the link, while applications are not told of it. */
  suspended: ChangeKind | undefined;
}

interface OverviewPage extends PageFrame, ConsentList {
  account: Pick<Account, 'name' | 'email'>;
  practitioners: readonly Linked[];
  workspaces: readonly Linked[];
  secondFactor: { since: number; recoveryCodes: number } | undefined;
  notice: Notice | undefined;
  /** The form that was sent no longer fitted the browser's session. */
  stale: boolean;
}

/** The page. */
export function renderOverviewPage(page: OverviewPage): string {
  const messages = messagesIn(page.language);
  const { site, account, stale } = page;
  const leave = html`<a class="action" id="sign-out" href="${site.base}/logout">${messages.account.signOut}</a>`;
  const content = html`<p class="lead">${messages.account.introduction}</p>
${stale && problemNotice(messages.account.stale, html`<p>${messages.account.staleAdvice}</p>`, { focus: true })}
${noticeOf(page, messages)}
${personCard(account, messages.consent.signedInAs, leave)}
${section('steps', messages.account.steps, secondFactor(page, messages))}
${section('security', messages.account.security, security(page, messages))}
${section('applications', messages.account.applications, consentList(page))}
${section('directory', messages.account.directory, directory(page, messages))}`;
  return renderPage({ ...page, title: messages.account.title, problem: stale, content });
}

/** A part of the page; the id is relied on from outside. */
function section(id: string, heading: string, content: HtmlValue): Html {
  return html`<section class="section account" id="${id}"><h2>${heading}</h2>
${content}
</section>`;
}

function noticeOf({ notice }: OverviewPage, { account }: Messages): Html | undefined {
  switch (notice?.kind) {
    case 'consent-revoked':
      return doneNotice(account.revoked(notice.client), html`<p>${account.revokedAdvice}</p>`);
    case 'second-factor-removed':
      return doneNotice(account.removed, html`<p>${account.removedAdvice}</p>`);
    case 'password-changed':
      return doneNotice(account.passwordChanged, html`<p>${account.passwordChangedAdvice}</p>`);
    case 'sessions-ended':
      return doneNotice(account.sessionsEnded, html`<p>${account.sessionsEndedAdvice(notice.sessions)}</p>`);
    case undefined:
      return undefined;
  }
}

function secondFactor({ site, language, secondFactor: factor }: OverviewPage, { account }: Messages): Html {
  if (!factor) {
    return html`<div class="box"><p class="state state-off">${account.stepsOff}</p>
<p>${account.stepsOffAbout}</p>
<p class="choices"><a class="button" id="add-second-factor" href="${pathOf(site, 'secondFactor')}">${account.stepsAdd}</a></p></div>`;
  }
  const none = factor.recoveryCodes === 0;
  return html`<div class="box"><p class="state state-on">${account.stepsOn}</p>
<p>${account.stepsSince(formatDate(factor.since, language))}</p>
<p${none && html` class="warning"`}>${account.codesLeft(factor.recoveryCodes)}</p>
<ul class="actions">
<li><a class="action" id="new-recovery-codes" href="${pathOf(site, 'recoveryCodes')}">${account.newCodes}</a></li>
<li><a class="action" id="remove-second-factor" href="${pathOf(site, 'removal')}">${account.remove}</a></li>
</ul></div>`;
}

function security({ site }: OverviewPage, { account }: Messages): Html {
  return html`<div class="box"><p>${account.securityAbout}</p>
<ul class="actions">
<li><a class="action" id="change-password" href="${pathOf(site, 'password')}">${account.changePassword}</a></li>
<li><a class="action" id="other-sessions" href="${pathOf(site, 'sessions')}">${account.endSessions}</a></li>
</ul></div>`;
}

function directory({ practitioners, workspaces, site }: OverviewPage, { account }: Messages): Html {
  const support = linkTarget(site.supportUrl);
  const groups = [
    [account.practitioners(practitioners.length), practitioners],
    [account.workspaces(workspaces.length), workspaces],
  ] as const;
  const linked = groups.filter(([, records]) => records.length > 0);
  return html`${
    linked.length === 0
      ? html`<p class="none">${account.unlinked}</p>`
      : html`<dl class="box records">${linked.map(
          ([term, records]) =>
            html`<div><dt>${term}</dt>${records.map((record) => html`<dd>${recordOf(record, account)}</dd>`)}</div>`,
        )}</dl>`
  }
${support && html`<p class="help">${account.mistake} <a href="${support}">${account.mistakeLink}</a></p>`}`;
}

function recordOf(
  { id, name, current, suspended }: Linked,
  { currentWorkspace, left, other }: Messages['account'],
): Html {
  return html`<span class="record-name">${name ?? id}</span> ${name !== undefined && html`<span class="record-id">${id}</span> `}${
    current && html`<span class="current">${currentWorkspace}</span>`
  }${suspended && html`<p class="warning">${suspended === 'other' ? other : left}</p>`}`;
}
