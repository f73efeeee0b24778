// The page that carries a response to a client (`response_mode=form_post`): a form that posts itself, with a button if scripts are off.

import { iconEmblem } from '#web/components.ts';
import { html } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';

export interface FormPostPage extends Omit<PageFrame, 'languageLink'> {
  /** The client's callback. */
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** The page. It is the same for a response and for an error, which the client shows. */
export function renderFormPostPage({ site, language, action, fields }: FormPostPage): string {
  const messages = messagesIn(language).formPost;
  const inputs = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const content = html`<p class="lead">${messages.automatic}</p>
<noscript><p class="remedy">${messages.withoutScript}</p></noscript>
<form id="answer" method="post" action="${action}">
${inputs}<div class="choices"><button id="continue" type="submit">${messages.submit}</button></div>
</form>`;
  return renderPage({
    site,
    language,
    title: messages.title,
    emblem: iconEmblem('check'),
    content,
    scripts: ['post-form'],
  });
}
