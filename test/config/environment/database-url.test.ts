// DATABASE_URL and DATABASE_URL_FILE: what is wrong with them is said at once, without the password, and TLS is checked.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { readDatabaseUrl } from '#config/environment/database-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'hygie-url-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'url');
const BASE = 'postgres://hygie:hunter2@db.example:5432/hygie';

async function read(env: Record<string, string>): Promise<{ url: string | undefined; issues: ConfigIssue[] }> {
  const issues: ConfigIssue[] = [];
  return { url: await readDatabaseUrl(env, issues), issues };
}

describe('DATABASE_URL', () => {
  it.each(['prefer', 'require', 'verify-ca'])(
    'sslmode=%s checks certificate and name, as node-postgres 8 does, whatever a later one does',
    async (mode) => {
      const { url, issues } = await read({ DATABASE_URL: `${BASE}?sslmode=${mode}&sslrootcert=/etc/hosts` });
      expect([url, issues]).toEqual([`${BASE}?sslmode=verify-full&sslrootcert=/etc/hosts`, []]);
    },
  );

  it.each([
    BASE,
    'postgresql://hygie@db.example/hygie',
    'postgres://hygie:a%2Fb%23c@/hygie?host=/var/run/postgresql',
    `${BASE}?sslmode=disable`,
    `${BASE}?sslmode=no-verify`,
    `${BASE}?sslmode=verify-full`,
    `${BASE}?uselibpqcompat=true&sslmode=require`,
  ])('%s is taken as it is', async (given) => {
    expect(await read({ DATABASE_URL: given })).toEqual({ url: given, issues: [] });
  });

  it.each([
    [{ DATABASE_URL: 'mysql://root:hunter2@db/hygie' }, 'DATABASE_URL', /no PostgreSQL address/],
    [{ DATABASE_URL: 'postgres://hygie:hunter2#x@db/hygie' }, 'DATABASE_URL', /%2F, %3F and %23/],
    [{ DATABASE_URL: `${BASE}?sslmode=verify_full` }, 'DATABASE_URL', /"verify_full" is not known.*Use verify-full/],
    [
      { DATABASE_URL: `${BASE}?sslrootcert=/nowhere/ca.pem` },
      'DATABASE_URL',
      /sslrootcert \/nowhere\/ca.pem is not there/,
    ],
    [{ DATABASE_URL: BASE, DATABASE_URL_FILE: file }, 'DATABASE_URL', /Keep one of the two/],
    [{ DATABASE_URL_FILE: '/nowhere/url' }, 'DATABASE_URL_FILE', /\/nowhere\/url cannot be read \(ENOENT\)/],
  ])('SEC-17 %j: named with the remedy, without the password', async (env, path, said) => {
    const { issues } = await read(env);
    expect(issues.map((issue) => issue.path)).toEqual([path]);
    const told = issues.map(({ problem, remedy }) => `${problem} ${remedy}`).join();
    expect(told).toMatch(said);
    expect(told).not.toContain('hunter2');
  });

  it('DATABASE_URL_FILE names a file that holds it, as secrets of containers do', async () => {
    writeFileSync(file, `${BASE}\n`);
    expect(await read({ DATABASE_URL_FILE: file })).toEqual({ url: BASE, issues: [] });
  });
});
