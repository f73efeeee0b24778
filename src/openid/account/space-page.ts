// The frame of every account page: a header with the names of the service and of the person, the navigation, the notice of a finished
// action, and the content.

import { doneNotice, problemNotice } from '#web/components.ts';
import { formatDuration } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import type { FormButton } from '#web/forms/form.ts';
import { type Html, type HtmlValue, html } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import {
  addressToCheck,
  assetOf,
  footer,
  languageSwitch,
  type PageFrame,
  type PageParts,
  renderDocument,
  sandboxNotice,
} from '#web/layout.ts';
import { deviceName } from '#web/messages.ts';
import { outboxNote } from '#web/pages/ways-on.ts';
import { type AccountContext, accountSession, type Notice, type PageName, pathOf } from './page-context.ts';

/** The entries of the navigation, in order. Each entry is the name of a page. */
const SECTIONS = ['profile', 'security', 'applications', 'sessions', 'activity'] as const;
type Section = (typeof SECTIONS)[number];

/** The icon of each section, as the name of its asset. */
const ICONS: Record<Section, string> = {
  profile: 'person',
  security: 'shield',
  applications: 'apps',
  sessions: 'computer',
  activity: 'clock',
};

interface SpacePage extends Pick<PageParts, 'status' | 'title' | 'content' | 'scripts' | 'showAddress'> {
  /** The entry of the navigation that is marked as current. */
  section: Section;
  /** True for a page that must not be requested again. Such a page has no language switch, because that would request the page again. */
  once?: boolean;
}

/** Sends a page. If the session has a notice about the last action, the page shows it. */
export function sendSpacePage(context: AccountContext, page: SpacePage): void {
  const { res, site, language, languageLink } = context;
  const { status = 200, section, title, content, scripts = [] } = page;
  const frame = { site, language, languageLink: page.once ? undefined : languageLink };
  const body = html`${header(context, frame)}
<div class="space">
${navigation(context, section)}
<div class="space-content">
${sandboxNotice(frame)}
<main id="content" tabindex="-1">
<h1>${title}</h1>
${takeNotice(context)}
${page.showAddress && html`<p class="fine" id="address">${addressToCheck(frame)}</p>`}
${content}
</main>
${footer(frame)}
</div>
</div>`;
  pageHeaders(res, { scripts });
  const document = renderDocument({ ...frame, title, problem: status >= 400, scripts }, body, 'account-space');
  res.status(status).type('html').send(document);
}

function header({ site, account, messages, tokens }: AccountContext, frame: PageFrame): Html {
  return html`<header class="space-header">
<a class="identity" href="${pathOf(site, 'profile')}"><img src="${assetOf(site, 'mark-inverse.svg')}" alt="" width="32" height="32"><span>${site.name}</span></a>
<p class="whose">${account.name}</p>
${languageSwitch(frame)}
<form class="leave" method="post" action="${pathOf(site, 'signOut')}">${csrfField(tokens[0])}<button class="link" id="sign-out" type="submit">${messages.account.signOut}</button></form>
</header>`;
}

function navigation({ site, messages }: AccountContext, current: Section): Html {
  const { navigation, sections } = messages.account;
  const entry = (section: Section) =>
    html`<li><a class="icon-${ICONS[section]}" href="${pathOf(site, section)}"${section === current && html` aria-current="page"`}>${sections[section]}</a></li>`;
  return html`<nav class="sections" aria-label="${navigation}"><ul>${SECTIONS.map(entry)}</ul></nav>`;
}

/** Renders a section of a page. External programs rely on the ids of sections. */
export function part(id: string, heading: string, content: HtmlValue): Html {
  return html`<section class="section account" id="${id}"><h2>${heading}</h2>
${content}
</section>`;
}

/** Renders a link to an account page. External programs rely on the ids of these links. */
export function actionLink({ site }: AccountContext, page: PageName, id: string, label: string): Html {
  return html`<a class="action" id="${id}" href="${pathOf(site, page)}">${label}</a>`;
}

/** Renders the notice that a posted form did not come from a page of this session. */
export function staleNotice({ messages }: AccountContext): Html {
  return problemNotice(messages.account.stale, messages.account.staleAdvice);
}

interface Question {
  section: Section;
  title: string;
  text: HtmlValue;
  /** The button that confirms the action. */
  button: FormButton;
  /** The page to which the person can return without confirming, and the label of the link to it. */
  back: PageName;
  backLabel?: string;
}

/** Sends a page that asks for confirmation. With `stale`, the page says that the posted form did not come from a page of this session. */
export function sendQuestion(context: AccountContext, question: Question, stale: boolean): void {
  const { path, tokens } = context;
  const { section, title, text, button, back, backLabel } = question;
  const submit = html`<button${button.danger && html` class="danger"`} id="${button.id}" type="submit">${button.label}</button>`;
  const content = html`${stale && staleNotice(context)}
${text}
<form method="post" action="${path}">${csrfField(tokens[0])}
${choices(context, submit, back, backLabel)}
</form>`;
  sendSpacePage(context, { status: stale ? 403 : 200, section, title, content });
}

/** Renders the button of a form, and the link that leaves the form. */
export function choices(
  { site, messages }: AccountContext,
  button: Html,
  back: PageName,
  label = messages.account.cancel,
): Html {
  return html`<div class="choices stacked">
${button}
<a class="button quiet" id="cancel" href="${pathOf(site, back)}">${label}</a>
</div>`;
}

/** Renders the notice in the session, and removes it from the session. Undefined if there is none. */
export function takeNotice(context: AccountContext): Html | undefined {
  const session = accountSession(context.req);
  const { notice } = session;
  delete session.notice;
  const { unsent, unsentAdvice } = context.messages.account;
  if (notice?.kind === 'unsent') return problemNotice(unsent, unsentAdvice);
  return notice && doneNotice(...textOf(notice, context));
}

function textOf(
  notice: Exclude<Notice, { kind: 'unsent' }>,
  context: AccountContext,
): [title: string, advice: string | Html] {
  const { site, language, settings, messages } = context;
  const { account, passkeys, profile, sessions, workspace, links } = messages;
  const sent = (advice: string) => html`<p>${advice}</p>${outboxNote(site, language)}`;
  switch (notice.kind) {
    case 'consent-revoked':
      return [account.revoked(notice.client), account.revokedAdvice];
    case 'welcome':
      return [links.invitation.doneTitle, links.invitation.done];
    case 'workspace-chosen':
      return [workspace.changed, workspace.changeAbout];
    case 'profile-saved':
      return [profile.saved, profile.savedAbout];
    case 'deletion-requested':
      return [profile.deletionNoted, profile.deletionNotedAbout];
    case 'deletion-withdrawn':
      return [profile.deletionWithdrawn, profile.deletionWithdrawnAbout];
    case 'second-factor-added':
      return [account.appAdded, account.appAddedAdvice];
    case 'second-factor-removed':
      return [account.removed, account.removedAdvice];
    case 'recovery-codes-saved':
      return [account.codesSaved[notice.madeFor ?? 'renewed'], account.codesSavedAdvice];
    case 'passkey-added':
      return [passkeys.added(notice.name), passkeys.addedAdvice];
    case 'passkey-renamed':
      return [passkeys.renamed, passkeys.renamedAdvice];
    case 'passkey-removed':
      return [passkeys.removed(notice.name), passkeys.removedAdvice];
    case 'password-changed':
      return [account.passwordChanged, account.passwordChangedAdvice];
    case 'session-ended':
      return [sessions.ended(deviceName(notice.device, language)), sessions.endedAdvice];
    case 'email-change-sent': {
      const lifetime = formatDuration(settings.lifetimes.emailChange, language);
      return [links.address.sentTitle(notice.email), sent(links.address.changeSent(lifetime))];
    }
    case 'verification-sent':
      return [links.address.sentTitle(notice.email), sent(links.address.verificationSent)];
    case 'sessions-ended':
      return [account.sessionsEnded, account.sessionsEndedAdvice(notice.sessions)];
  }
}
