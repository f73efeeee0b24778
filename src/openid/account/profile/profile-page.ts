// The profile page of a person. It shows the security of the account, the person's picture, names and e-mail address, the linked records of
// the directory, and links to actions on the person's data.

import { type AccountContext, leadTo, type PageName, pathOf } from '#openid/account/page-context.ts';
import { actionLink, part, sendSpacePage } from '#openid/account/space-page.ts';
import { type ChangeKind, suspension } from '#store/accounts/links/link-changes.ts';
import { breakable, initialEmblem } from '#web/components.ts';
import { formatDate } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type RecordLabel, recordLabel } from '#web/forms/workspace-list.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import { LANGUAGES } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** A record of the directory to which the account is linked. */
interface Linked {
  id: string;
  label: RecordLabel;
  current: boolean;
  /**
   * Set if applications do not get this link at present. The reason is a change of the record by an edition of the directory, or `hidden`
   * if the operator hides the record.
   */
  suspended: ChangeKind | 'hidden' | undefined;
}

/**
 * Makes the handler of a page to which a person comes after choosing a password. It redirects to the profile with a notice: `welcome` after
 * a first password, `password-changed` after a forgotten one. The page demands a new sign-in first (`ANEW`). After a first password, the
 * arrival cookie (`sign-in/arrival.ts`) makes this sign-in without any input.
 */
export const welcome =
  (kind: 'welcome' | 'password-changed') =>
  async (context: AccountContext): Promise<void> =>
    leadTo(context, 'profile', { kind });

/** Shows the page. */
export async function sendProfile(context: AccountContext): Promise<void> {
  const { messages, account } = context;
  const { id: edition, hidden } = context.edition();
  const record = (type: 'Practitioner' | 'Organization') => async (id: string) => {
    const reference = `${type}/${id}` as const;
    const suspended: Linked['suspended'] = hidden.has(reference)
      ? 'hidden'
      : suspension(account.linkChanges?.[reference], edition)?.change;
    // A suspended link may lead to another person or organization, so the page does not show the label of the record.
    const label = suspended ? {} : await context.labelInDirectory(type, id);
    return { id, label, current: type === 'Organization' && id === account.currentWorkspace, suspended };
  };
  const records = {
    practitioners: await Promise.all(account.practitioners.map(record('Practitioner'))),
    workspaces: await Promise.all(account.workspaces.map(record('Organization'))),
  };
  const security = await securityState(context);
  const { profile, account: words } = messages;
  const content = html`<p class="lead">${words.introduction}</p>
${deletionRequested(context)}
${security && part('security-state', words.sections.security, security)}
${part('identity', profile.identity, identity(context))}
${part('directory', words.directory, directory(context, records))}
${part('own-data', profile.ownData, ownData(context))}`;
  sendSpacePage(context, { section: 'profile', title: words.sections.profile, content });
}

/**
 * Renders the person's picture. It is the one that applications get as well. If it is on another site, the page shows initials instead,
 * because pages load nothing from other sites (SEC-31).
 */
function ownPicture({ site, account, messages, pictures }: AccountContext): Html {
  if (account.picture !== undefined) return initialEmblem(account.name);
  return html`<img class="portrait" src="${site.base}${pictures.pathOf(account.id)}" alt="${messages.profile.pictureOf}" width="96" height="96">`;
}

function identity(context: AccountContext): Html {
  const { site, account, settings } = context;
  const { profile } = context.messages;
  const { given, family, nickname, picture } = account;
  const fromDirectory = given === undefined && family === undefined && account.practitioners.length > 0;
  const chosen = LANGUAGES.find((one) => one === account.language);
  const rows = [
    [profile.field.given, given ?? (fromDirectory ? profile.asInDirectory : undefined)],
    [profile.field.family, family ?? (fromDirectory ? profile.asInDirectory : undefined)],
    [profile.field.nickname, nickname],
    [profile.field.language, chosen ? messagesIn(chosen).languageName : profile.browserLanguage],
    [profile.picture, picture && html`<a href="${picture}" rel="noreferrer">${new URL(picture).host}</a>`],
  ].filter((row): row is [string, string | Html] => row[1] !== undefined);
  const edit = settings.profile.editable.includes('name') ? profile.edit : profile.editSome;
  const isConfirmable = account.email !== undefined && !account.emailVerified && site.mailAvailable;
  return html`<div class="box identity-box">
${ownPicture(context)}
<div class="who"><p><strong>${account.name}</strong></p>
${account.email && html`<p>${breakable(account.email)} <span class="${account.emailVerified ? 'current' : 'unverified'}">${account.emailVerified ? profile.emailVerified : profile.emailUnverified}</span></p>`}</div>
<dl class="about">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
<ul class="actions">
<li>${actionLink(context, 'editProfile', 'edit-profile', edit)}</li>
<li>${actionLink(context, 'email', 'change-email', isConfirmable ? profile.emailConfirm : profile.emailChange)}</li>
</ul>
</div>
<p class="help">${profile.toldAbout} <a href="${pathOf(site, 'applications')}">${profile.toldLink}</a></p>`;
}

function directory(
  context: AccountContext,
  { practitioners, workspaces }: Record<'practitioners' | 'workspaces', readonly Linked[]>,
): Html {
  const { account, workspace } = context.messages;
  const several = workspaces.filter(({ suspended }) => !suspended).length > 1;
  const support = linkTarget(context.site.supportUrl);
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
            html`<div><dt>${term}</dt>${records.map((record) => html`<dd>${recordOf(record, context)}</dd>`)}</div>`,
        )}</dl>`
  }
${several && html`<p>${actionLink(context, 'workspace', 'change-workspace', workspace.change)}</p>`}
${support && html`<p class="help">${account.mistake} <a href="${support}">${account.mistakeLink}</a></p>`}`;
}

function recordOf({ id, label, current, suspended }: Linked, { messages }: AccountContext): Html {
  const { currentWorkspace, left, other, hidden } = messages.account;
  const reasons = { left, other, missing: left, hidden };
  return html`${recordLabel(id, label)} ${
    current && html`<span class="current">${currentWorkspace}</span>`
  }${suspended && html`<p class="warning">${reasons[suspended]}</p>`}`;
}

function ownData(context: AccountContext): Html {
  const { profile } = context.messages;
  const deletion =
    context.account.deletionRequestedAt === undefined &&
    html`<li>${actionLink(context, 'deletion', 'delete-account', profile.deletion)}</li>`;
  return html`<div class="box"><ul class="actions">
<li>${actionLink(context, 'data', 'own-data-link', profile.data)}</li>
${deletion}
</ul></div>`;
}

/**
 * Renders the notice that a deletion was requested. The page shows it until the person withdraws the request or an operator deletes the
 * account. Undefined if there is no request.
 */
function deletionRequested(context: AccountContext): Html | undefined {
  const { site, language, account, tokens } = context;
  if (account.deletionRequestedAt === undefined) return undefined;
  const { profile } = context.messages;
  return html`<div class="notice" id="deletion-requested">
<p class="notice-title">${profile.deletionRequested(formatDate(account.deletionRequestedAt, language))}</p>
<p>${profile.deletionWaits}</p>
<form method="post" action="${pathOf(site, 'withdrawDeletion')}">${csrfField(tokens[0])}
<button class="quiet small" id="withdraw-deletion" type="submit">${profile.deletionWithdraw}</button></form>
</div>`;
}

/** If only this number of recovery codes is left, or fewer, the page advises the person to make new ones. */
const FEW_CODES = 2;

/**
 * Renders the state of the account's security, with a link to the next step that the person should take. Resolves with undefined for a
 * shared account. External programs rely on the id of the link, `next-step`.
 */
export async function securityState(context: AccountContext): Promise<Html | undefined> {
  const { site, account, secondFactors, isShared, passkeyRegistration } = context;
  const { account: messages, passkeys, links } = context.messages;
  if (isShared(account.id)) return undefined;
  const protectedBySteps = (await secondFactors.kinds(account.id)).length > 0;
  const codes = await secondFactors.countRecoveryCodes(account.id);
  const enough = codes > FEW_CODES;
  const facts: [boolean, string][] = [
    [protectedBySteps, protectedBySteps ? messages.stateSteps : messages.stateNoSteps],
  ];
  if (protectedBySteps && account.hasPassword) facts.push([enough, messages.codesLeft(codes)]);
  // Without mail nobody can verify an address here, so the page does not warn of it.
  if (account.email && (account.emailVerified || site.mailAvailable))
    facts.push([account.emailVerified, account.emailVerified ? messages.stateEmail : messages.stateNoEmail]);
  const next = (): [PageName, string] | undefined => {
    if (!protectedBySteps)
      return passkeyRegistration ? ['passkeys', passkeys.addFirst] : ['secondFactor', messages.stepsAdd];
    if (account.hasPassword && !enough) return ['recoveryCodes', messages.newCodes];
    return account.email && !account.emailVerified && site.mailAvailable ? ['email', links.address.verify] : undefined;
  };
  const [page, label] = next() ?? [];
  return html`<div class="box"><ul class="states">${facts.map(([good, text]) => html`<li class="state ${good ? 'state-on' : 'state-off'}">${text}</li>`)}</ul>
${page ? html`<p class="choices"><a class="button" id="next-step" href="${pathOf(site, page)}">${label}</a></p>` : html`<p class="fine">${messages.stateDone}</p>`}</div>`;
}
