// docs/quick-starts.md: the applications for Express and for the browser are taken from the page and run. Those for Spring Security and Keycloak are
// run by `npm run interop`, from files that are the same as on the page.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadClients } from '#config/index.ts';
import { openBrowser } from '#support/browser.ts';
import { newVisitor, signInAtTheService } from '#support/demo/visitor.ts';
import { quickStartFile } from '#support/docs/quick-starts.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { createPerson } from '#support/person.ts';
import { CREDENTIALS } from '#support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const JAVA = join(ROOT, 'tools/interoperability/java');
const CLIENT_SECRET = 'a-secret-of-an-application-that-opens-nothing';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Puts files of the page into a new folder, for this service and a free port, with its entry in force. */
async function place(section: string, port: string, files: readonly string[]) {
  const folder = newFolder();
  const free = String(await freePort());
  const here = (text: string) => text.replaceAll('http://localhost:3000', service.issuer).replaceAll(port, free);
  for (const file of ['config/clients.yaml', ...files])
    writeFileSync(join(folder, file.replace('config/', '')), here(quickStartFile(section, file)));
  service.replaceClients(await loadClients({ ...service.settings, configFolder: folder }, { CLIENT_SECRET }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, port: free, origin: `http://localhost:${free}` };
}

async function running(child: ChildProcess, origin: string, use: () => Promise<void>): Promise<void> {
  try {
    const answers = () =>
      fetch(origin, { redirect: 'manual' }).then(
        () => true,
        () => false,
      );
    await until(async () => child.exitCode !== null || (await answers()), 'the application answers');
    await use();
  } finally {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
  }
}

describe('docs/quick-starts.md', () => {
  it('Express signs a person in and searches the directory', async () => {
    const { folder, origin } = await place('Express', '8080', ['server.mjs']);
    const env = { PATH: process.env['PATH'], CLIENT_SECRET, SESSION_SECRET: 'only for this test' };
    const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: 'ignore' });
    await running(child, origin, async () => {
      const visitor = createPerson(origin);
      const { left } = await visitor.visit('/');
      const callback = await createPerson(service.issuer).signIn(left ?? '', CREDENTIALS);
      const { html } = await visitor.visit(callback);
      const answer = JSON.parse(html) as { person: string; total: number; found: string[] };
      expect(answer.person).toBe(DEMO_ACCOUNTS[0]?.name);
      expect(answer.total).toBeGreaterThan(0);
      expect(answer.found.length).toBeGreaterThan(0);
    });
  });

  it('an application in the browser signs a person in and searches the directory (needs python3)', async () => {
    if (spawnSync('python3', ['--version']).status !== 0) return;
    const { folder, port, origin } = await place('browser', '8081', ['index.html', 'application.js']);
    const child = spawn('python3', ['-m', 'http.server', port], { cwd: folder, stdio: 'ignore' });
    const browser = await openBrowser();
    try {
      await running(child, origin, async () => {
        const { page, errors } = await newVisitor(browser);
        await page.goto(origin);
        await page.click('#sign-in');
        await signInAtTheService(page, `${origin}/`);
        await page.locator('#answer', { hasText: '"resourceType": "Bundle"' }).waitFor();
        expect(JSON.parse((await page.textContent('#answer')) ?? '')).toMatchObject({ total: expect.any(Number) });
        expect(errors).toEqual([]);
      });
    } finally {
      await browser.close();
    }
  });

  it.each([
    ['Spring', 'src/main/resources/application.yml', 'quick-spring/src/main/resources/application.yml'],
    ['Spring', 'src/main/java/example/Application.java', 'quick-spring/src/main/java/example/Application.java'],
    ['Keycloak', 'broker.sh', 'quick-keycloak/broker.sh'],
  ])('%s: %s is what npm run interop runs', (section, file, copy) => {
    expect(readFileSync(join(JAVA, copy), 'utf8')).toBe(quickStartFile(section, file));
  });

  it('the entries of Spring Security and Keycloak are valid', async () => {
    for (const section of ['Spring', 'Keycloak']) {
      const folder = newFolder();
      writeFileSync(join(folder, 'clients.yaml'), quickStartFile(section, 'config/clients.yaml'));
      const [client] = await loadClients({ mode: 'development', configFolder: folder }, { CLIENT_SECRET });
      expect(client?.id).toMatch(/^quick-/);
    }
  });
});
