// Summarizes the security of an account for the overview: its present protection, and the next thing to do.

import { type Html, html } from '#web/html.ts';
import { type AccountContext, type PageName, pathOf } from './page-context.ts';

/** The page advises new recovery codes if this many or fewer are left. */
const FEW_CODES = 2;

/**
 * Renders the security of the account and the next thing to do. Returns undefined for an account that everybody shares. Programs of others
 * rely on the link's id `next-step`.
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
  if (account.email)
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
