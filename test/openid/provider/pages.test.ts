// SEC-30, SEC-37: the pages of the provider itself: their texts and ways on, where their forms lead, and in which language.

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createProviderPages } from '#openid/provider/pages.ts';
import { messagesIn } from '#web/messages.ts';
import { createSite } from '#web/site.ts';

const site = createSite({ issuer: 'https://c.example/base', branding: { name: 'Hygie', colour: '#0b5f6b' } });
const pages = createProviderPages(site);
const messages = messagesIn('en');

/** A request in English, and its response. */
function context(oidc?: object, { method = 'GET', url = '/authorize?a=b', headers = {} } = {}) {
  const req = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url,
    headers: { 'accept-language': 'en', ...headers },
  });
  const res = new ServerResponse(req);
  return { req, res, ...(oidc && { oidc }) } as never as Parameters<typeof pages.error>[0];
}
const client = { clientName: 'Cabinet', clientUri: 'https://a.example/home' };
/** The texts of a page within its main part, one after the other. */
const texts = (html: string) =>
  html
    .slice(html.indexOf('<main'), html.indexOf('</main>'))
    .split(/<[^>]*>/)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
const formsOf = ({ res }: { res: ServerResponse }) =>
  /form-action ([^;]*)/.exec(String(res.getHeader('content-security-policy')))?.[1];

describe('pages of the provider', () => {
  it('SEC-37 the question before a sign-out: of everything, or of the asking application alone', () => {
    const { signOut } = messages;
    const form = '<form id="op.logoutForm"><input></form>';
    const alone = context();
    const html = pages.logout(alone, form);
    expect(texts(html)).toEqual([signOut.title, signOut.everywhere('Hygie'), signOut.confirm('Hygie'), signOut.stay]);
    expect([
      html.includes(form),
      html.includes('<a class="button quiet" id="stay" href="/base/">'),
      formsOf(alone),
    ]).toEqual([true, true, "'self'"]);
    const of = context({ client, params: { post_logout_redirect_uri: 'https://a.example/bye', ui_locales: 'en' } });
    const asked = pages.logout(of, form);
    expect(texts(asked)).toEqual([
      ...[
        signOut.title,
        signOut.fromClient('Cabinet', 'Hygie'),
        signOut.confirm('Hygie'),
        signOut.leaveOnly('Cabinet'),
      ],
    ]);
    expect(asked).toContain('<button id="sign-out" type="submit" form="op.logoutForm" name="logout" value="yes">');
    expect(asked).toContain('<button class="quiet" id="stay" type="submit" form="op.logoutForm">');
    expect([formsOf(of), formsOf(context({ params: { post_logout_redirect_uri: 7 } }))]).toEqual([
      "'self' https://a.example",
      undefined,
    ]);
  });

  it('the end of a sign-out, and nobody who is signed in', () => {
    const { signedOut, home } = messages;
    expect([
      texts(pages.signedOut(context())),
      texts(pages.signedOut(context({ client }))),
      texts(pages.notSignedIn(context())),
    ]).toEqual([
      [signedOut.title, signedOut.advice, signedOut.signIn],
      [signedOut.partlyTitle('Cabinet'), signedOut.partlyAdvice('Hygie'), home.account],
      [signedOut.neverTitle, signedOut.never('Hygie'), signedOut.signIn],
    ]);
    expect(pages.signedOut(context())).toContain('href="/base/account"');
  });

  it('the form that carries a response to the application posts itself, and there alone', () => {
    const at = context({ params: { ui_locales: 'fr en' } }, { headers: { 'accept-language': 'en' } });
    const action = 'https://a.example/cb?x="><b>';
    const html = pages.formPost(at, {
      action,
      fields: [
        ['code', 'a"b'],
        ['state', 's'],
      ],
    });
    const { formPost } = messagesIn('fr');
    expect(texts(html)).toEqual([formPost.title, formPost.automatic, formPost.withoutScript, formPost.submit]);
    expect(html).toContain('<form id="answer" method="post" action="https://a.example/cb?x=&quot;&gt;&lt;b&gt;">');
    expect(html).toContain(
      '<input type="hidden" name="code" value="a&quot;b">\n<input type="hidden" name="state" value="s">',
    );
    expect([formsOf(at), String(at.res.getHeader('content-security-policy')).includes("script-src 'sha256-")]).toEqual([
      "'self' https://a.example",
      true,
    ]);
    expect(html).not.toContain('lang=en');
  });

  it('an error has its code, its reference and the way to the application; a page of a form cannot change its language', () => {
    const at = context({ client });
    at.res.setHeader('x-request-id', 'ref-1');
    const html = pages.error(at, { error: 'invalid_request', description: 'the reason' });
    for (const part of ['invalid_request', 'the reason', 'ref-1', 'href="https://a.example/home"', 'a=b&amp;lang=fr'])
      expect(html).toContain(part);
    const posted = pages.error(context(undefined, { method: 'POST' }), { error: 'x' });
    expect([posted.includes('lang=fr'), posted.includes('a.example')]).toEqual([false, false]);
    const chosen = context(undefined, { url: '/authorize?lang=fr' });
    expect(pages.signedOut(chosen)).toContain('<html lang="fr"');
    expect(String(chosen.res.getHeader('set-cookie'))).toMatch(/hygie_language=fr; /);
  });
});
