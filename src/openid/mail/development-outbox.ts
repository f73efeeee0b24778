// The outbox that replaces the mail server in development, if the configuration has none. It keeps mails in memory instead of sending them,
// and shows them as text and as HTML. Production has no outbox.

import { type RequestHandler, Router } from 'express';
import { formatDateTime } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { type Language, languageLink, languageOf, rememberLanguage } from '#web/language.ts';
import { sendPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';
import type { MailSender, Message } from './mail-queue-worker.ts';

interface KeptMail extends Message {
  id: number;
  /** Time in seconds since 1970. */
  at: number;
}

export interface DevelopmentOutbox extends MailSender {
  /** The kept mails, newest first. */
  list(): readonly KeptMail[];
  find(id: number): KeptMail | undefined;
}

const MOST = 100;

export function openDevelopmentOutbox(): DevelopmentOutbox {
  const kept: KeptMail[] = [];
  let last = 0;
  return {
    send: async (message) => {
      last += 1;
      kept.unshift({ ...message, id: last, at: Math.floor(Date.now() / 1000) });
      kept.length = Math.min(kept.length, MOST);
    },
    close: () => {},
    list: () => kept,
    find: (id) => kept.find((mail) => mail.id === id),
  };
}

/** The content security policy for a mail. The inline style of the mail applies, but nothing else is loaded or run. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Answers `GET /outbox`, `/outbox/<number>` and `/outbox/<number>/html`. */
export function outboxRouter(site: Site, outbox: DevelopmentOutbox): RequestHandler {
  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/', (req, res) => {
    const language = languageOf(req);
    const { title } = messagesIn(language).mails.outbox;
    const content = listOf(outbox.list(), site, language);
    sendPage({ res, site, language, languageLink: languageLink(req) }, { title, content });
  });
  router.get('/:id', (req, res, next) => {
    const mail = outbox.find(Number(req.params.id));
    if (!mail) return next();
    const language = languageOf(req);
    const page = { title: mail.subject, content: one(mail, site, language) };
    sendPage({ res, site, language, languageLink: languageLink(req) }, page);
  });
  router.get('/:id/html', (req, res, next) => {
    const mail = outbox.find(Number(req.params.id));
    if (!mail) return next();
    res.setHeader('content-security-policy', MAIL_POLICY);
    res.send(mail.html);
  });
  return router;
}

function listOf(mails: readonly KeptMail[], site: Site, language: Language): Html {
  const { outbox } = messagesIn(language).mails;
  if (mails.length === 0) return html`<p class="lead">${outbox.about}</p>\n<p>${outbox.empty}</p>`;
  return html`<p class="lead">${outbox.about}</p>
<ul class="cards" id="mails">${mails.map(
    ({ id, to, subject, at, language: written }) =>
      html`<li><a href="${site.base}${OUTBOX_PATH}/${id}"><bdi lang="${written}">${subject}</bdi><span>${to}, ${formatDateTime(at, language)}</span></a></li>\n`,
  )}</ul>`;
}

function one({ id, to, at, text, language: written }: KeptMail, site: Site, language: Language): Html {
  const { outbox } = messagesIn(language).mails;
  return html`<p class="lead">${to}, ${formatDateTime(at, language)}</p>
<pre id="mail" lang="${written}">${linked(text)}</pre>
<p class="choices"><a id="as-html" href="${site.base}${OUTBOX_PATH}/${id}/html">${outbox.asHtml}</a> <a href="${site.base}${OUTBOX_PATH}">${outbox.all}</a></p>`;
}

/** Returns the text of a mail, in which each web address is a link. */
function linked(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`));
}
