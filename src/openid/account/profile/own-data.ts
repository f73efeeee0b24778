// Lets a person download the data that the service has about them (GDPR articles 15 and 20). Also lets them request the deletion of their
// account, or withdraw this request. The deletion itself is made by an operator (`accounts delete`).

import { type AccountContext, leadTo, record } from '#openid/account/page-context.ts';
import { sendQuestion } from '#openid/account/space-page.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { readForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';

/**
 * Maximum number of audit records in the download. The newest are taken. This number is enough for several years of sign-ins, and takes a
 * few megabytes.
 */
const MOST_RECORDS = 10_000;

/** Shows the page with the download button. External programs rely on the id of the button, `download-data`. */
export async function sendDataPage(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { profile } = context.messages;
  const text = html`<p class="lead">${profile.dataAbout}</p>`;
  const button = { id: 'download-data', label: profile.dataSubmit };
  const about = { section: 'profile', title: profile.data, back: 'profile', backLabel: profile.back } as const;
  sendQuestion(context, { ...about, text, button }, stale);
}

/** Sends the file. It contains no secret with which somebody could sign in. */
export async function downloadData(context: AccountContext): Promise<void> {
  if (readForm(context).stale) return sendDataPage(context, { stale: true });
  const data = await personalData(context);
  await record(context, 'account.data-exported');
  // The response must not be cached. `setPageHeaders` has set the header for that.
  context.res
    .attachment('account.json')
    .type('json')
    .send(`${JSON.stringify(data, null, 2)}\n`);
}

async function personalData(context: AccountContext) {
  const { account, site, pictures, secondFactors, passkeys, applications, sessions, auditEvents } = context;
  const { passwordChangeRequired: _, linkChanges: __, keptSession: ___, sessionsNotBefore, ...known } = account;
  const records = await auditEvents.search({ account: account.id, limit: MOST_RECORDS });
  const { createdAt, updatedAt, passwordSetAt } = account;
  const since = { deletionRequestedAt: account.deletionRequestedAt, signedOutEverywhereAt: sessionsNotBefore };
  const factor = await secondFactors.find(account.id);
  return {
    account: {
      ...known,
      picture: account.picture ?? `${site.origin}${site.base}${pictures.pathOf(account.id)}`,
      ...inWords({ createdAt, updatedAt, passwordSetAt, ...since }),
    },
    secondFactor: factor ? { ...inWords({ since: factor.since }), recoveryCodesLeft: factor.recoveryCodes } : null,
    passkeys: (await passkeys.list(account.id)).map(({ name, createdAt, lastUsedAt }) => ({
      name,
      ...inWords({ createdAt, lastUsedAt }),
    })),
    applications: await applications.list(account.id),
    sessions: (await sessions.list(account.id)).map(({ uid: _uid, signedInAt, used, ...session }) => ({
      ...session,
      ...inWords({ signedInAt, lastUsedAt: used.at }),
    })),
    activity: { complete: records.length < MOST_RECORDS, records: records.map(withoutOthers) },
  };
}

/** Converts times in seconds since 1970 to RFC 3339. Unknown times are left out. */
function inWords(times: Readonly<Record<string, number | undefined>>): Record<string, string> {
  const known = Object.entries(times).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, at]) => [name, new Date(at * 1000).toISOString()]));
}

/** Removes the name of the operator and the request id from an audit record. */
function withoutOthers({ actor, requestId: _, ...record }: AuditRecord) {
  return { ...record, actor: actor.startsWith('operator:') ? 'operator' : actor };
}

/**
 * Shows the page that explains a deletion and asks for confirmation. External programs rely on the id of its button, `request-deletion`.
 */
export async function sendDeletionPage(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { messages, account } = context;
  if (account.deletionRequestedAt !== undefined) return leadTo(context, 'profile');
  const { profile } = messages;
  const list = (items: readonly string[]) =>
    html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  const question = {
    section: 'profile',
    title: profile.deletionTitle,
    text: html`<p class="lead">${profile.deletionAbout}</p>
<section class="section"><h2>${profile.deletionGoes}</h2>${list(profile.deletionGoesList)}</section>
<section class="section"><h2>${profile.deletionStays}</h2>${list(profile.deletionStaysList)}</section>`,
    button: { id: 'request-deletion', label: profile.deletionSubmit, danger: true },
    back: 'profile',
  } as const;
  sendQuestion(context, question, stale);
}

/** Stores the request for a deletion. */
export async function requestDeletion(context: AccountContext): Promise<void> {
  if (readForm(context).stale) return sendDeletionPage(context, { stale: true });
  await note(context, true);
}

/** Redirects to the profile. The withdrawal has no page of its own, because its button is on the profile. */
export async function sendWithdrawalPage(context: AccountContext): Promise<void> {
  leadTo(context, 'profile');
}

/** Withdraws the request for a deletion. */
export async function withdrawDeletion(context: AccountContext): Promise<void> {
  if (readForm(context).stale) return leadTo(context, 'profile');
  await note(context, false);
}

async function note(context: AccountContext, wanted: boolean): Promise<void> {
  const { account, accountDeletion } = context;
  if (await accountDeletion.request(account.id, wanted)) {
    const event = wanted ? 'account.deletion-requested' : 'account.deletion-withdrawn';
    await record(context, event);
    return leadTo(context, 'profile', { kind: wanted ? 'deletion-requested' : 'deletion-withdrawn' });
  }
  leadTo(context, 'profile');
}
