// The code that the reference shows, run as it stands: the way to a token in a shell, and each request by curl, by Node and by Python. HAPI's, in Java,
// is run by `npm run interop`.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tryClient } from '#config/built-in-clients.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

const run = promisify(execFile);
const CALLBACK = 'https://app.example/callback';
/** Twenty programs, one after the other. */
const PATIENCE = 120_000;

let service: RunningService;
let token: string;
let blocks: Block[];

beforeAll(async () => {
  service = await startService();
  token = (await signIn(service)).tokens.access_token;
  blocks = await blocksOf(service);
});
afterAll(() => service.stop());

interface Block {
  language: string;
  code: string;
}

async function blocksOf({ issuer }: RunningService): Promise<Block[]> {
  const html = await (await fetch(`${issuer}/directory/docs`)).text();
  return [...html.matchAll(/<pre([^>]*)><code>(.*?)<\/code>/gs)].map(([, attributes = '', code = '']) => ({
    language: /data-language="(\w+)"/.exec(attributes)?.[1] ?? '',
    code: code
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  }));
}

/** Follows the steps of an application that is registered, with the commands of the page. */
async function tokenByShell(own: RunningService): Promise<string> {
  own.replaceClients([{ ...tryClient(own.settings), id: 'own', callbackUrls: [CALLBACK] }]);
  const shown = await blocksOf(own);
  const blockWith = (text: string) => shown.find(({ code }) => code.includes(text))?.code ?? '';
  const ask = `${blockWith('code_challenge_method')}\necho "$VERIFIER"`;
  const { stdout } = await run('sh', ['-c', ask], { env: { ...process.env, CLIENT_ID: 'own' } });
  const [address = '', verifier = ''] = stdout.trim().split('\n');
  const back = await createPerson(own.issuer).signIn(address, {
    login: DEMO_ACCOUNTS[0]?.email ?? '',
    password: DEMO_PASSWORD,
  });
  expect(back.searchParams.get('state')).toMatch(/^[\da-f]{40}$/);
  const answer = await run('sh', ['-c', blockWith('grant_type=authorization_code')], {
    env: { ...process.env, CLIENT_ID: 'own', VERIFIER: verifier, CODE: back.searchParams.get('code') ?? '' },
  });
  return (JSON.parse(answer.stdout) as { access_token: string }).access_token;
}

async function isThere(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

const env = () => ({ ...process.env, TOKEN: token });
const PROGRAMS = {
  curl: (code: string) => run('sh', ['-c', code], { env: env() }),
  // In this folder, so that its connections count as those of a test.
  javascript: (code: string) =>
    run(process.execPath, ['--input-type=module', '-e', code], { env: env(), cwd: import.meta.dirname }),
  python: (code: string) => run('python3', ['-c', code], { env: env() }),
};

const isShellThere = async () => (await isThere('curl', '--version')) && (await isThere('openssl', 'version'));

describe('the code that the page shows', () => {
  it('leads to a token, by a shell (needs curl and openssl)', async () => {
    if (!(await isShellThere())) return;
    const own = await startService();
    try {
      const headers = { authorization: `Bearer ${await tokenByShell(own)}` };
      expect((await fetch(`${own.issuer}/directory/v2/Practitioner?_count=1`, { headers })).status).toBe(200);
    } finally {
      await own.stop();
    }
  });

  it.each(Object.entries(PROGRAMS))(
    'is run as it stands, and finds something (%s; needs curl, or python3 with requests)',
    async (language, program) => {
      const isMissing =
        (language === 'curl' && !(await isThere('curl', '--version'))) ||
        (language === 'python' && !(await isThere('python3', '-c', 'import requests')));
      if (isMissing) return;
      const codes = blocks.filter((block) => block.language === language);
      expect(codes.length).toBeGreaterThan(12);
      for (const { code } of codes) {
        const { stdout } = await program(code);
        const answer = JSON.parse(stdout) as { resourceType?: string; total?: number; transactionTime?: string };
        const isRead = /^(Practitioner|Organization|PractitionerRole)$/.test(answer.resourceType ?? '');
        // A manifest of what has changed may be empty.
        const isFound = isRead || (answer.total ?? 0) > 0 || answer.transactionTime !== undefined;
        expect([code, isFound]).toEqual([code, true]);
      }
    },
    PATIENCE,
  );
});
