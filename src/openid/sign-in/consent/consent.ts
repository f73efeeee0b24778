// Asks whether a client may use the account, and takes the answer (SEC-36).

import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { readForm, UnusableForm } from '#web/forms/form.ts';
import { renderConsentPage } from './consent-page.ts';

/** Answers the posted consent form. */
export async function answerConsent(context: PageContext): Promise<void> {
  const { req, res, interaction, interactions, path, tokens } = context;
  if (interaction.prompt !== 'consent') return res.redirect(303, path);
  const { fields, stale } = readForm(req, tokens, ['choice']);
  if (stale) return sendConsentPage(context, 403);
  switch (fields.choice) {
    case 'allow':
      return interactions.resumeWithConsent(req, res);
    case 'refuse':
      return interactions.abort(req, res);
    default:
      throw new UnusableForm(400, 'the field choice must be allow or refuse');
  }
}

/** Sends the consent page; with 403 if an answer did not come from it. */
export function sendConsentPage(context: PageContext, status: 200 | 403): void {
  const { site, language, languageLink, interaction, path } = context;
  const [token] = context.tokens;
  const stale = status === 403;
  sendPage(context, status, renderConsentPage({ site, language, languageLink, interaction, path, token, stale }));
}
