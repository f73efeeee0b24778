// Revokes the remembered consent of an application, from the page that lists them (SEC-36).

import { accountSession, type PageContext } from '#openid/account/page-context.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import { readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { sendApplications } from './applications.ts';

/** Revokes the person's consent to an application. */
export async function revokeConsent(context: PageContext): Promise<void> {
  const { req, res, path, applications, audit } = context;
  const accountId = context.account.id;
  const { fields, stale } = readForm(req, tokensOfSession(req.session), ['client']);
  const clientId = fields.client;
  if (clientId === undefined) throw new UnusableForm(400, 'send the field client');
  refuseControlCharacters('client', clientId);
  if (stale) return sendApplications(context, { stale });

  // Only consents on the page can be revoked; the operator's own decisions cannot.
  const application = (await applications.list(accountId)).find(({ id }) => id === clientId);
  if (application && (await applications.revoke(accountId, clientId))) {
    const actor = `account:${accountId}` as const;
    await audit.record({ event: 'consent.withdrawn', actor, account: accountId, client: clientId, address: req.ip });
    accountSession(req).notice = { kind: 'consent-revoked', client: application.name };
  }
  res.redirect(303, path);
}
