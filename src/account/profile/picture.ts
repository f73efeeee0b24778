// A person uploads a picture, or removes theirs.

import { OWN_CLIENT_ID } from '../../config/own-client.ts';
import { limitReached } from '../../shared/limits-reached.ts';
import { consume, memoryLimiter } from '../../shared/rate-limits.ts';
import { problemNotice } from '../../web/components.ts';
import { csrfField, tokensOfSession } from '../../web/forms/csrf.ts';
import { type FieldProblem, fieldProblem } from '../../web/forms/field.ts';
import { readForm } from '../../web/forms/form.ts';
import { type Html, html } from '../../web/html.ts';
import { formatMinutes } from '../../web/language.ts';
import { messagesIn } from '../../web/messages.ts';
import { accountSession, type PageContext, pathOf } from '../page-context.ts';
import { sendSpacePage } from '../space-page.ts';
import { type PictureRefusal, readPicture } from './picture-file.ts';
import { ownPicture } from './profile-page.ts';
import { FILE_FIELD, LARGEST_PICTURE } from './upload.ts';

/** Of one account in an hour, and process: each costs a moment of a processor. */
const uploads = memoryLimiter({ keyPrefix: 'picture', points: 20, duration: 3600 });

type Problem = { kind: 'stale' | 'missing' | 'large' | PictureRefusal } | { kind: 'often'; seconds: number };
const STATUS: Partial<Record<Problem['kind'], number>> = { stale: 403, large: 413, often: 429, busy: 503 };

/** Shows the page. The ids `picture`, `save-picture` and `remove-picture` are relied on from outside. */
export async function sendPicturePage(context: PageContext, problem?: Problem): Promise<void> {
  const { res, site, language, editable } = context;
  if (!editable.includes('picture')) return res.redirect(303, pathOf(site, 'profile'));
  if (problem?.kind === 'often') res.set('retry-after', String(problem.seconds));
  sendSpacePage(context, {
    status: problem ? (STATUS[problem.kind] ?? 422) : 200,
    section: 'profile',
    title: messagesIn(language).profile.picture,
    problem: problem !== undefined,
    content: pictureForm(context, problem),
  });
}

/** Answers the form. */
export async function savePicture(context: PageContext): Promise<void> {
  const { req, res, site, account, audit, editable, pictures } = context;
  if (!editable.includes('picture')) return res.redirect(303, pathOf(site, 'profile'));
  if (res.locals['tooMany']) return sendPicturePage(context, { kind: 'busy' });
  if (res.locals['tooLarge']) return sendPicturePage(context, { kind: 'large' });
  const { fields, stale } = readForm(req, tokensOfSession(req.session), ['remove']);
  if (stale) return sendPicturePage(context, { kind: 'stale' });
  const removed = fields.remove !== undefined;
  if (removed) {
    if (!(await pictures.remove(account.id))) return res.redirect(303, pathOf(site, 'profile'));
  } else {
    if (!req.file?.size) return sendPicturePage(context, { kind: 'missing' });
    const seconds = await consume(uploads, account.id);
    if (seconds > 0) {
      limitReached('pictures');
      return sendPicturePage(context, { kind: 'often', seconds });
    }
    const picture = await readPicture(req.file.buffer, account.id);
    if (!Buffer.isBuffer(picture)) return sendPicturePage(context, { kind: picture });
    await pictures.set(account.id, picture);
  }
  const about = { account: account.id, client: OWN_CLIENT_ID, address: req.ip, details: { fields: ['picture'] } };
  await audit.record({ event: 'account.profile-changed', actor: `account:${account.id}`, ...about });
  accountSession(req).notice = { kind: removed ? 'picture-removed' : 'picture-saved' };
  res.redirect(303, pathOf(site, 'profile'));
}

function pictureForm(context: PageContext, problem: Problem | undefined): Html {
  const { req, site, language, account, path } = context;
  const { account: common, profile } = messagesIn(language);
  const wrong = problem && problem.kind !== 'stale' ? problemText(context, problem) : undefined;
  const described = wrong ? 'picture-problem picture-help' : 'picture-help';
  return html`${problem?.kind === 'stale' && problemNotice(common.stale, html`<p>${common.staleAdvice}</p>`, { focus: true })}
<p class="lead">${profile.pictureAbout}</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate>${csrfField(tokensOfSession(req.session)[0])}
${ownPicture(context)}
<div class="field">
<label for="${FILE_FIELD}">${profile.pictureFile}</label>
${wrong && fieldProblem('picture-problem', wrong)}
<input id="${FILE_FIELD}" name="${FILE_FIELD}" type="file" accept="image/jpeg,image/png,image/webp,image/gif" required aria-describedby="${described}"${wrong && html` aria-invalid="true" autofocus`}>
<p class="field-help" id="picture-help">${profile.pictureHelp(LARGEST_PICTURE)}</p>
</div>
<div class="choices">
<button id="save-picture" type="submit">${profile.save}</button>
${account.picture !== undefined && html`<button class="quiet" id="remove-picture" type="submit" name="remove" value="yes">${profile.removePicture}</button>`}
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${common.cancel}</a>
</div>
</form>`;
}

function problemText({ language }: PageContext, problem: Exclude<Problem, { kind: 'stale' }>): FieldProblem {
  const { pictureProblem, pictureOften } = messagesIn(language).profile;
  if (problem.kind === 'often') return pictureOften(formatMinutes(problem.seconds, language));
  if (problem.kind === 'large') return pictureProblem.large(LARGEST_PICTURE);
  return pictureProblem[problem.kind as Exclude<typeof problem.kind, 'large' | 'stale'>];
}
