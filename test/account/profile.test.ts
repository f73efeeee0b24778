// What a person does with their profile: names, nickname and language, pictures of every kind, hostile ones among them. Applications are
// asked what they are told, from outside.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import sharp from 'sharp';
import { enteredBy, idOf, openAccount } from '../support/account/person-of-account.ts';
import { signIn } from '../support/oidc/relying-party.ts';
import type { Person, Visit } from '../support/person.ts';
import { type RunningService, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: RunningService;
let person: Person;
beforeAll(async () => {
  service = await startService();
  ({ person } = await enteredBy(service.issuer, 0));
});
afterAll(() => service.stop());

const tokenOn = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
const open = (page: string) => openAccount(person, 0, `/account${page}`);
const row = () =>
  service
    .database('accounts')
    .where({ id: idOf(0) })
    .first();
const lastEvent = async () =>
  (await service.database('audit_events').orderBy('id', 'desc').first()) as Record<string, string>;

/** What the application `trusted` is told at userinfo. */
async function userinfo() {
  const { configuration, tokens } = await signIn(service, {
    person,
    clientId: 'trusted',
    scope: 'openid email profile',
  });
  return oidc.fetchUserInfo(configuration, tokens.access_token, idOf(0));
}

describe('names, nickname and language', () => {
  const save = async (fields: Record<string, string>) => person.press(await open('/profile'), 'save-profile', fields);

  it('reach applications by the claims of the scope profile, updated_at with them', async () => {
    await service
      .database('accounts')
      .where({ id: idOf(0) })
      .update({ updated_at: 1 });
    const saved = await save({ family: '  Exemple-Martin ', nickname: '<b>Zo</b>', language: 'fr' });
    expect([saved.status, saved.html.includes('Vos informations sont enregistrées')]).toEqual([200, true]);
    expect(saved.html).toContain('&lt;b&gt;Zo&lt;/b&gt;');
    expect(saved.html).not.toContain('<b>Zo');
    expect((await lastEvent())['details']).toBe('{"fields":["family","name","nickname","language"]}');
    const told = await userinfo();
    expect(told).toMatchObject({
      name: 'Mathilde Exemple-Martin',
      given_name: 'Mathilde',
      family_name: 'Exemple-Martin',
      nickname: '<b>Zo</b>',
      locale: 'fr',
    });
    expect(Date.parse(String(told.updated_at))).toBeGreaterThan(Date.parse('2020-01-01'));
    // A name of its own is kept; what is emptied is told no more.
    await save({ name: 'Dr Mathilde Martin', nickname: '', language: '' });
    await save({ family: 'Martin' });
    const later = await userinfo();
    expect(later).toMatchObject({ name: 'Dr Mathilde Martin', family_name: 'Martin', nickname: 'Dr Mathilde Martin' });
    expect(later).not.toHaveProperty('locale');
  });

  it('the language chosen is that of the pages after the sign-in, whatever the browser says', async () => {
    await save({ language: 'en' });
    person.cookies.delete('hygie_language /');
    const page = await person.visit('/account', { headers: { 'accept-language': 'fr' } });
    expect(page.html).toContain('<html lang="en"');
    await save({ language: '' });
  });

  it.each([
    ['name', '', 'Enter your name.'],
    ['name', '\u202eelyc', 'invisible'],
    ['given', 'a\u200bb', 'invisible'],
    ['family', 'a\u0007', 'invisible'],
    ['nickname', 'x'.repeat(201), 'too long'],
    ['nickname', '---', 'no letter'],
  ])('SEC-44 %s %j is refused beside its field, and nothing is stored', async (field, value, reason) => {
    const before = await row();
    const page = await save({ [field]: value });
    expect([page.status, page.html.includes(reason)]).toEqual([422, true]);
    expect(page.html).toMatch(
      new RegExp(`id="${field}"[^>]*aria-describedby="${field}-problem[^>]*aria-invalid="true"`),
    );
    expect(await row()).toEqual(before);
  });
});

const WIDE = 900;
/** A photograph with a place and a camera in its metadata, lying on its side. */
const photograph = () =>
  sharp({ create: { width: WIDE, height: 600, channels: 3, background: '#336699' } })
    .jpeg()
    .withExif({ IFD0: { Artist: 'SECRET-CAMERA' }, IFD3: { GPSLatitude: '48/1 51/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();

async function upload(bytes: Buffer, { name = 'photo.jpg', type = 'image/jpeg', more = {} } = {}): Promise<Visit> {
  const page = await open('/picture');
  const form = new FormData();
  form.set('csrf', tokenOn(page.html));
  for (const [field, value] of Object.entries(more)) form.set(field, String(value));
  form.set('picture', new Blob([new Uint8Array(bytes)], { type }), name);
  return send(form);
}

async function send(form: FormData, headers: Record<string, string> = {}): Promise<Visit> {
  const request = new Request(service.issuer, { method: 'POST', body: form });
  const body = Buffer.from(await request.arrayBuffer());
  const type = request.headers.get('content-type') ?? '';
  return person.visit('/account/picture', {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': type, origin: service.issuer, ...headers },
  });
}

describe('SEC-44 pictures', () => {
  it('are written anew: square, without metadata, at a public address that ends with the next picture', async () => {
    const saved = await upload(await photograph());
    expect([saved.status, saved.html.includes('Your picture has been saved')]).toEqual([200, true]);
    const first = String((await userinfo()).picture);
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/picture\/[\w-]{43}\.jpg$/);
    const answer = await fetch(first);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400, immutable');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    const read = await sharp(bytes).metadata();
    expect([read.width, read.height, read.exif, read.orientation, read.xmp]).toEqual([
      256,
      256,
      undefined,
      undefined,
      undefined,
    ]);
    expect(bytes.toString('latin1')).not.toContain('SECRET');
    expect(saved.html).toContain(new URL(first).pathname);

    await upload(
      await sharp(await photograph())
        .png()
        .toBuffer(),
      { name: 'p.png', type: 'image/png' },
    );
    expect((await fetch(first)).status).toBe(404);
    const second = String((await userinfo()).picture);
    expect((await fetch(second)).status).toBe(200);
    const removed = await upload(Buffer.alloc(0), { name: '', more: { remove: 'yes' } });
    expect(removed.status).toBe(200);
    expect((await fetch(second)).status).toBe(404);
    expect((await userinfo()).picture).toBe(`${service.issuer}/picture/person.svg`);
    const changes = await service.database('audit_events').where({ event: 'account.profile-changed' }).pluck('details');
    expect(changes.filter((details) => details === '{"fields":["picture"]}')).toHaveLength(3);
  });

  it('what is no picture, or hides something, is refused kindly; nothing is stored', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const jpeg = await photograph();
    // A PNG that says in its header to have 60,000 x 60,000 pixels.
    const bomb = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const large = await sharp({ create: { width: 6000, height: 5000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const cases: [string, Buffer, number, string][] = [
      ['SVG', svg, 422, 'JPEG, PNG, WebP or GIF'],
      ['SVG called JPEG', svg, 422, 'JPEG, PNG, WebP or GIF'],
      ['PDF', Buffer.from('%PDF-1.7 ...'), 422, 'JPEG, PNG, WebP or GIF'],
      [
        'HTML behind a signature',
        Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from('<script>')]),
        422,
        'can’t be read',
      ],
      ['TIFF', await sharp(jpeg).tiff().toBuffer(), 422, 'JPEG, PNG, WebP or GIF'],
      ['half a JPEG', jpeg.subarray(0, jpeg.length / 2), 422, 'can’t be read'],
      ['bomb', bomb, 422, 'can’t be read'],
      ['30 megapixels', large, 422, 'can’t be read'],
      ['nothing', Buffer.alloc(0), 422, 'Choose a picture.'],
      ['5 MB and a byte', Buffer.concat([jpeg, Buffer.alloc(5_000_001 - jpeg.length)]), 413, 'too large'],
    ];
    for (const [what, bytes, status, reason] of cases) {
      const page = await upload(bytes);
      expect([what, page.status, page.html.includes(reason)]).toEqual([what, status, true]);
    }
    expect(await service.database('pictures').pluck('account_id')).toEqual([]);
  }, 60_000);

  it('of an animation the first frame is kept, and nothing of what was hidden behind the end of a file', async () => {
    const frames = await sharp({ create: { width: 40, height: 80, channels: 3, background: 'red' } })
      .raw()
      .toBuffer();
    const animation = await sharp(frames, { raw: { width: 40, height: 80, channels: 3, pageHeight: 40 } })
      .gif()
      .toBuffer();
    const polyglot = Buffer.concat([animation, Buffer.from('<script>HIDDEN</script>')]);
    const page = await upload(polyglot, { name: 'a.gif.html', type: 'text/html' });
    expect(page.html).toContain('Your picture has been saved');
    const served = Buffer.from(await (await fetch(String((await userinfo()).picture))).arrayBuffer());
    expect((await sharp(served).metadata()).pages).toBeUndefined();
    expect(served.toString('latin1')).not.toContain('HIDDEN');
  });

  it('SEC-32 from elsewhere, without a token, or of a stranger are not looked at', async () => {
    const form = async () => {
      const data = new FormData();
      data.set('picture', new Blob([new Uint8Array(await photograph())]), 'x.jpg');
      return data;
    };
    const before = await row();
    expect((await send(await form())).status).toBe(403);
    const own = await form();
    own.set('csrf', tokenOn((await open('/picture')).html));
    expect((await send(own, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const stranger = await fetch(`${service.issuer}/account/picture`, {
      method: 'POST',
      body: own,
      redirect: 'manual',
    });
    expect(stranger.status).toBe(303);
    expect(await row()).toEqual(before);
  });

  it('SEC-44 of one account, two forms are read at a time: each holds 5 MB of memory for as long as it takes to come', async () => {
    await open('/picture');
    const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 4_000_000 };
    const slow = [1, 2].map(() => {
      const sent = request(`${service.issuer}/account/picture`, { method: 'POST', headers });
      sent.on('error', () => {});
      sent.write('--b\r\n');
      return sent;
    });
    const nothing = async () => (await upload(Buffer.alloc(0))).status;
    await until(async () => (await nothing()) === 503, 'both are being read');
    for (const sent of slow) sent.destroy();
    await until(async () => (await nothing()) === 422, 'both are given up');
  });

  it('SEC-43 SEC-44 forms that are broken, repeated, endless or of another type end in 4xx', async () => {
    const csrf = tokenOn((await open('/picture')).html);
    const post = (type: string, body: string | Buffer) =>
      person.visit('/account/picture', {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers: { 'content-type': type, origin: service.issuer },
      });
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const multipart = 'multipart/form-data; boundary=b';
    const file = '--b\r\ncontent-disposition: form-data; name="picture"; filename="x"\r\n\r\nx\r\n';
    const bodies: [string, string | Buffer][] = [
      [multipart, ''],
      [multipart, 'no boundary at all'],
      [multipart, part('csrf', csrf)],
      [multipart, `${part('csrf', csrf)}${part('csrf', csrf)}--b--\r\n`],
      [multipart, `${part('csrf', csrf)}${part('__proto__', 'x')}${part('csrf[x]', 'y')}--b--\r\n`],
      [multipart, `${part('csrf', csrf)}${file}${file}--b--\r\n`],
      [multipart, `${part('csrf', 'x'.repeat(5000))}--b--\r\n`],
      [multipart, `${part('x'.repeat(500), csrf)}--b--\r\n`],
      [multipart, `${part('a', '').repeat(50)}--b--\r\n`],
      [multipart, `--b\r\n${'x-y: z\r\n'.repeat(3000)}\r\n\r\n--b--\r\n`],
      [multipart, Buffer.from([0x2d, 0x2d, 0x62, 0x0d, 0x0a, 0xff, 0xfe, 0x00, 0x0d, 0x0a])],
      ['multipart/form-data', part('csrf', csrf)],
      [`multipart/form-data; boundary=${'b'.repeat(500)}`, 'x'],
      ['application/json', '{}'],
      ['application/x-www-form-urlencoded', `csrf=${csrf}`],
      ['', 'x'],
    ];
    for (const [index, [type, body]] of bodies.entries()) {
      const { status } = await post(type, body);
      expect([index, status >= 400 && status < 500]).toEqual([index, true]);
    }
  });
});
