// The page of the steps over HTTP: the code beside each step is that of the files, and a second factor that was demanded is looked for.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeOfSteps } from '#demo/source-lines.ts';
import { demoReader, textOf } from '#support/demo/reader.ts';
import { openedForAll } from '#support/opened.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService } from '#support/service.ts';

const service = openedForAll(startService);

describe('the code of the steps', () => {
  it('stands in the files, from the line that is named', () => {
    const excerpts = codeOfSteps();
    expect(excerpts).toHaveLength(7);
    for (const { file, first, text } of excerpts) {
      const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n');
      const shown = text.split('\n');
      expect(shown.length).toBeGreaterThan(2);
      expect(lines.slice(first - 1, first - 1 + shown.length).map((line) => line.trim())).toEqual(
        shown.map((line) => line.trim()),
      );
    }
  });

  it('is shown beside its step, below a list of contents whose links all lead somewhere', async () => {
    const reader = await demoReader(service);
    const page = await reader.open('steps');
    const [contents = ''] = /<nav class="contents"[\s\S]*?<\/nav>/.exec(page.html) ?? [];
    const targets = [...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets).toHaveLength(10);
    for (const id of targets) expect(page.html).toContain(`id="${id}"`);
    for (const [at, { file, first }] of codeOfSteps().entries()) {
      const [step = ''] = new RegExp(`<li id="step-${at + 1}">[\\s\\S]*?\n</li>`).exec(page.html) ?? [];
      expect(textOf({ html: step })).toContain(`Le code\u00a0: ${file}, à partir de la ligne ${first}`);
    }
  });
});

describe('a second factor', () => {
  const credentials = { login: DEMO_ACCOUNTS[5]?.email ?? '', password: DEMO_PASSWORD };

  /** The authorization request of a sign-in that demands a second factor. */
  async function demanded() {
    const person = createPerson(service.issuer);
    const post = { method: 'POST', headers: { origin: service.issuer }, redirect: 'manual' } as const;
    const answer = await fetch(`${service.issuer}/demo/sign-in?secondFactor=1`, post);
    person.remember(answer.headers);
    return { person, request: new URL(answer.headers.get('location') ?? '') };
  }

  it('is demanded as an essential claim, and the service asks for it', async () => {
    const { person, request } = await demanded();
    expect(JSON.parse(request.searchParams.get('claims') ?? '')).toEqual({
      id_token: { acr: { essential: true, value: 'https://refeds.org/profile/mfa' }, amr: null },
    });
    const login = await person.visit(request);
    const { html } = await person.press(login, 'sign-in', credentials);
    expect(html).toContain('otpauth:');
  });

  it('is missing if somebody took the demand out on the way: nobody is signed in', async () => {
    const { person, request } = await demanded();
    request.searchParams.delete('claims');
    const callback = await person.signIn(request, credentials);
    const { status, html } = await person.visit(callback, { headers: { 'accept-language': 'en' } });
    expect(status).toBe(400);
    expect(html).toContain('<h1>A second factor is missing</h1>');
    expect((await person.visit('/demo/steps')).status).toBe(401);
  });
});
