// Drives what is neither a sign-in nor the directory, and sends secrets to every address in places where they do not belong.

import { STYLES } from '#demo/pages/layout.ts';
import type { Stage } from '#support/hygiene/stage.ts';
import { sendRaw } from '#support/raw-request.ts';

export async function driveEverywhere({ canaries, send, service }: Stage): Promise<void> {
  const secret = (kind: string) => canaries.make(kind, 'stranger');
  const html = { accept: 'text/html' };
  const home = await (await send('anybody', '/', { headers: html })).text();
  const files = [...home.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  const paths = [
    '/health/live',
    '/health/ready',
    '/favicon.ico',
    '/robots.txt',
    '/picture/person.svg',
    '/picture/none.svg',
    '/sandbox',
  ];
  const docs = [
    '/directory',
    '/directory/docs',
    '/directory/try',
    '/directory/openapi.json',
    '/.well-known/change-password',
    '/metrics',
  ];
  for (const path of [
    ...files,
    ...paths,
    ...docs,
    '/logout',
    '/logout/success',
    '/outbox',
    '/outbox/1',
    '/outbox/1/html',
  ]) {
    await send('anybody', path, { headers: html });
  }
  for (const file of [...STYLES.map((name) => `styles/${name}.css`), 'copy.js', 'towns.js', 'mirabelle.svg'])
    await send('anybody', `/demo/${file}`);
  for (const file of ['try', 'sign-in', 'answer', 'snippets', 'oauth4webapi'])
    await send('anybody', `/directory/try/${file}.js`);
  for (const path of [
    '/',
    '/authorize',
    '/logout',
    '/account',
    '/directory/v2/metadata',
    '/health/live',
    '/demo/',
    '/assets',
  ]) {
    const query = `?code=${secret('authorization code')}&state=${secret('state')}&token=${secret('access token')}&password=${secret('password')}`;
    await send('stranger', `${path}${query}`, { headers: html });
    await send('stranger', `${path}${query}`, {
      headers: { accept: 'application/json', cookie: `hygie_session=${secret('cookie')}; ${secret('cookie')}` },
    });
  }
  await send('stranger', `/logout/confirm`, {
    method: 'POST',
    body: new URLSearchParams({ xsrf: secret('csrf token'), logout: 'yes' }),
  });
  await send('stranger', `/logout`, {
    method: 'POST',
    body: new URLSearchParams({ id_token_hint: secret('ID token') }),
  });
  // Some clients put secrets into the path of an address.
  for (const path of [
    '/oauth/token',
    '/userinfo',
    '/authorize',
    '/callback',
    '/account',
    '/account-link',
    '/account-link/password-reset',
    '/interaction',
    '/picture',
    '/outbox',
  ]) {
    await send('stranger', `${path}/${secret('in the path')}`, { headers: html });
    await send('stranger', `${path}/token=${secret('access token')};code=${secret('authorization code')}`, {
      headers: html,
    });
  }
  const { host } = new URL(service.issuer);
  for (const head of [
    `GET /%zz?token=${secret('access token')} HTTP/1.1\r\nHost: ${host}`,
    `GET /x\u00e9${secret('access token')} HTTP/1.1\r\nHost: ${host}`,
    `GET http://user:${secret('password')}@evil.example/?code=${secret('authorization code')} HTTP/1.1\r\nHost: ${host}`,
    `GET /?a=b HTTP/1.1\r\nHost: ${secret('header')}.example`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\nBad Header ${secret('header')}: x`,
    `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded; charset=${secret('header')}\r\nContent-Length: 3\r\n\r\na=%`,
    `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/${secret('header')}\r\nContent-Length: 1\r\n\r\na`,
    `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nCookie: ${'a'.repeat(23_000)}${secret('cookie')}`,
  ]) {
    const whole = head.includes('\r\n\r\n')
      ? head.replace('\r\n', '\r\nConnection: close\r\n')
      : `${head}\r\nConnection: close\r\n\r\n`;
    await sendRaw(service.issuer, whole);
  }
}
